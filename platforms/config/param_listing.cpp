// SPDX-License-Identifier: Apache-2.0
#include "platforms/config/param_listing.h"

#include <fmt/format.h>

#include "platforms/config/place.h"
#include "platforms/config/text.h"

namespace switchyard::platforms {

using base::ParamDoc;
using base::ParamSet;

namespace {

std::string number_name(std::string_view noun, std::string_view unit) {
  return unit.empty() ? std::string(noun) : fmt::format("{} of {}", noun, unit);
}

std::string type_name(const Leaf& leaf) {
  switch (leaf.type) {
    case LeafType::boolean:
      return "true or false";
    case LeafType::integer:
    case LeafType::signed_integer:
      return number_name("whole number", leaf.doc.unit);
    case LeafType::number:
      return number_name("number", leaf.doc.unit);
    case LeafType::text:
      return "text";
    case LeafType::size:
      return "size";
    case LeafType::frequency:
      return "frequency";
    case LeafType::time:
      return "time";
    case LeafType::latency:
      return "cycles or time";
    case LeafType::fraction:
      return "share";
    case LeafType::address:
      return "address";
    case LeafType::choice:
      return "one of " + join(std::vector<std::string>(leaf.names.begin(), leaf.names.end()));
    case LeafType::integer_list:
      return number_name("list of whole numbers", leaf.doc.unit);
    case LeafType::text_list:
      return "list of texts";
  }
  return "";
}

}  // namespace

std::vector<ParamSection> list_params(ParamSet& params) {
  ParamListing listing;
  listing.section("", params);
  return listing.take_sections();
}

void ParamListing::section(const std::string& title, ParamSet& params) {
  const std::size_t outer = current_;
  current_ = sections_.size();
  sections_.push_back({title, {}});
  below("", params);
  current_ = outer;
}

void ParamListing::below(const std::string& path, ParamSet& params) {
  paths_.push_back(path);
  params.visit(*this);
  paths_.pop_back();
}

void ParamListing::add(const ParamDoc& doc, const std::string& type, const std::string& fallback,
                       const std::string& range) {
  sections_[current_].rows.push_back(
      {join_path(paths_.back(), doc.key), type, doc.required ? "required" : fallback, range, std::string(doc.text)});
}

void ParamListing::leaf(const Leaf& leaf) { add(leaf.doc, type_name(leaf), leaf.yaml(), leaf.range()); }

void ParamListing::object(const ParamDoc& doc, ParamSet& field) {
  add(doc, "group");
  below(join_path(paths_.back(), doc.key), field);
}

void ParamListing::typed(const ParamDoc& type_doc, std::string& name, const ParamDoc& doc, std::unique_ptr<ParamSet>&,
                         const base::ParamSetFactory& factory) {
  add(type_doc, "one of " + join(factory.names()), name);
  add(doc, fmt::format("group, by {}", type_doc.key));
  add_sections(fmt::format("{} of {}", doc.key, type_doc.key), factory);
}

void ParamListing::steps(const ParamDoc& doc, std::vector<std::pair<std::string, std::unique_ptr<ParamSet>>>& field,
                         const base::ParamSetFactory& factory) {
  add(doc, "list of steps: " + join(factory.names()), field.empty() ? "[]" : "");
  add_sections("step", factory);
}

void ParamListing::add_sections(const std::string& title, const base::ParamSetFactory& factory) {
  if (!listed_.insert(&factory).second) return;
  for (const std::string& name : factory.names()) {
    const std::unique_ptr<ParamSet> params = factory.make(name);
    section(fmt::format("{} {}", title, name), *params);
  }
}

std::size_t ParamListing::begin_sequence(const ParamDoc& doc, std::size_t size) {
  add(doc, "list of groups", size == 0 ? "[]" : "");
  shown_.emplace_back(join_path(paths_.back(), doc.key) + "[]", false);
  return size;
}

std::vector<std::string> ParamListing::begin_named(const ParamDoc& doc, const std::vector<std::string>& keys) {
  add(doc, "map of groups", keys.empty() ? "{}" : join(keys));
  shown_.emplace_back(join_path(paths_.back(), doc.key) + ".NAME", false);
  return keys;
}

void ParamListing::item(std::size_t, ParamSet& value) { show_prototype(shown_.back().first, value); }
void ParamListing::named_item(const std::string&, ParamSet& value) { show_prototype(shown_.back().first, value); }

void ParamListing::show_prototype(const std::string& path, ParamSet& prototype) {
  if (std::exchange(shown_.back().second, true)) return;  // the real items look the same
  below(path, prototype);
}

}  // namespace switchyard::platforms

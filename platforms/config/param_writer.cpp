// SPDX-License-Identifier: Apache-2.0
#include "platforms/config/param_writer.h"

#include <fmt/format.h>

#include "base/random.h"
#include "platforms/config/config_loader.h"
#include "platforms/config/place.h"
#include "platforms/config/required_keys.h"
#include "platforms/config/source_text.h"
#include "platforms/config/text.h"

namespace switchyard::platforms {

using base::ParamDoc;
using base::ParamSet;

std::string write_resolved(ParamSet& params, const Provenance& provenance) {
  ParamWriter writer(provenance);
  writer.write(params);
  return fmt::format("{}\n# hash: {:016x}\nschema: {}\n{}", kResolvedHeader, writer.hash(), kSchemaVersion,
                     writer.text());
}

std::string config_hash(ParamSet& params, const Provenance& provenance) {
  ParamWriter writer(provenance);
  writer.write(params);
  return fmt::format("{:016x}", writer.hash());
}

void ParamWriter::begin_line() {
  const std::size_t width = needs_dash_ ? indent_ - 2 : indent_;
  text_ += std::string(width, ' ') + (needs_dash_ ? "- " : "");
  needs_dash_ = false;
}

void ParamWriter::hash_value(const std::string& path, const std::string& yaml) {
  hash_ = base::fnv1a(fmt::format("{}={}\n", path, yaml), hash_);
}

void ParamWriter::finish_line(const SourcedValue* source, const std::string& yaml) {
  if (source && !source->from.empty()) {
    const std::string ref = source->ref.empty() ? "" : fmt::format(", ref: {}", quoted(source->ref));
    text_ += fmt::format("{{value: {}, from: {}{}}}", yaml, source->from, ref);
  } else {
    text_ += yaml;
  }
  text_ += fmt::format("  # {}\n", source ? source->origin : "default");
}

void ParamWriter::scalar(std::string_view key, const std::string& yaml) {
  const std::string path = path_of(key);
  hash_value(path, yaml);
  begin_line();
  text_ += fmt::format("{}: ", yaml_scalar(key));
  finish_line(provenance_.find(path), yaml);
}

void ParamWriter::leaf(const Leaf& leaf) {
  if (leaf.is_list()) {
    write_list(leaf.doc.key, leaf);
  } else {
    scalar(leaf.doc.key, leaf.yaml());
  }
}

bool ParamWriter::common_source(const std::string& path, std::size_t items, const SourcedValue*& source) const {
  source = provenance_.find(path);
  if (items == 0 || (source && !source->from.empty())) return true;
  source = provenance_.find(join_path(path, std::size_t{0}));
  for (std::size_t i = 0; i < items; ++i) {
    const SourcedValue* item = provenance_.find(join_path(path, i));
    if (!item != !source || (item && (item->origin != source->origin || !item->from.empty()))) return false;
  }
  return true;
}

void ParamWriter::write_list(std::string_view key, const Leaf& leaf) {
  const std::string path = path_of(key);
  hash_value(path, leaf.yaml());
  begin_line();
  const SourcedValue* source = nullptr;
  if (common_source(path, leaf.values.size(), source)) {
    text_ += fmt::format("{}: ", yaml_scalar(key));
    return finish_line(source, leaf.yaml());
  }
  text_ += fmt::format("{}:\n", yaml_scalar(key));
  for (std::size_t i = 0; i < leaf.values.size(); ++i) {
    text_ += std::string(indent_ + 2, ' ') + "- ";
    finish_line(provenance_.find(join_path(path, i)), leaf.yaml(i));
  }
}

void ParamWriter::group(const std::string& head, const std::string& path, ParamSet& params) {
  begin_line();
  const std::size_t start = text_.size();
  text_ += head + ":\n";
  const std::size_t body = text_.size();
  paths_.push_back(path);
  indent_ += 2;
  params.visit(*this);
  indent_ -= 2;
  paths_.pop_back();
  if (text_.size() != body) return;
  text_.resize(start);
  text_ += head + ": {}\n";
}

void ParamWriter::object(const ParamDoc& doc, ParamSet& field) {
  const std::string path = path_of(doc.key);
  const bool is_unused = !doc.required && !provenance_.find(path) && has_required_keys(field);
  if (!is_unused) group(yaml_scalar(doc.key), path, field);
}

void ParamWriter::typed(const ParamDoc& type_doc, std::string& name, const ParamDoc& doc,
                        std::unique_ptr<ParamSet>& field, const base::ParamSetFactory&) {
  if (!field) return;
  scalar(type_doc.key, yaml_scalar(name));
  group(yaml_scalar(doc.key), path_of(doc.key), *field);
}

void ParamWriter::begin_collection(std::string_view key, bool is_empty, std::string_view empty_yaml) {
  const std::string path = path_of(key);
  paths_.push_back(path);
  begin_line();
  text_ += yaml_scalar(key) + (is_empty ? ": " : ":\n");
  if (is_empty) finish_line(provenance_.find(path), std::string(empty_yaml));
  indent_ += 2;
}

void ParamWriter::end_collection() {
  paths_.pop_back();
  indent_ -= 2;
}

void ParamWriter::list_item(const std::string& path, ParamSet& params) {
  const std::size_t before = text_.size();
  paths_.push_back(path);
  indent_ += 2;
  needs_dash_ = true;
  params.visit(*this);
  needs_dash_ = false;
  indent_ -= 2;
  paths_.pop_back();
  if (text_.size() == before) text_ += std::string(indent_, ' ') + "- {}\n";
}

std::size_t ParamWriter::begin_sequence(const ParamDoc& doc, std::size_t size) {
  if (size == 0) hash_value(path_of(doc.key), "[]");
  begin_collection(doc.key, size == 0, "[]");
  return size;
}

void ParamWriter::item(std::size_t index, ParamSet& value) { list_item(join_path(paths_.back(), index), value); }

// An empty map is what there is when nobody writes one: it has no part in the hash.
std::vector<std::string> ParamWriter::begin_named(const ParamDoc& doc, const std::vector<std::string>& keys) {
  const std::string path = path_of(doc.key);
  if (!keys.empty() || doc.required || provenance_.find(path)) {
    begin_collection(doc.key, keys.empty(), "{}");
  } else {  // left out
    paths_.push_back(path);
    indent_ += 2;
  }
  return keys;
}

void ParamWriter::named_item(const std::string& name, ParamSet& value) {
  group(yaml_scalar(name), path_of(name), value);
}

void ParamWriter::steps(const ParamDoc& doc, std::vector<std::pair<std::string, std::unique_ptr<ParamSet>>>& field,
                        const base::ParamSetFactory&) {
  if (field.empty()) hash_value(path_of(doc.key), "[]");
  begin_collection(doc.key, field.empty(), "[]");
  indent_ += 2;
  for (std::size_t i = 0; i < field.size(); ++i) {
    const std::string path = join_path(join_path(paths_.back(), i), field[i].first);
    hash_ = base::fnv1a(path + "\n", hash_);  // a step without parameters counts as well
    needs_dash_ = true;
    group(yaml_scalar(field[i].first), path, *field[i].second);
  }
  indent_ -= 2;
  end_collection();
}

}  // namespace switchyard::platforms

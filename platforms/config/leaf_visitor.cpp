// SPDX-License-Identifier: Apache-2.0
#include "platforms/config/leaf_visitor.h"

#include <fmt/format.h>

#include "platforms/config/text.h"
#include "platforms/config/value_text.h"

namespace switchyard::platforms {

using base::Bounds;
using base::ParamDoc;

namespace {

constexpr Bounds kAll{};

/// A bound in the unit of the parameter.
std::string bound_text(LeafType type, double bound) {
  const auto whole = type == LeafType::number || type == LeafType::fraction ? 0 : highest({0, bound});
  switch (type) {
    case LeafType::size:
      return value_text(base::Bytes{whole});
    case LeafType::frequency:
      return value_text(base::Frequency{whole});
    case LeafType::time:
      return value_text(base::Duration{whole});
    case LeafType::latency:
      return value_text(base::cycles(whole)) + " or " + value_text(base::Duration{whole});
    case LeafType::address:
      return address_text(whole);
    case LeafType::integer:
    case LeafType::integer_list:
      return value_text(whole);
    case LeafType::signed_integer:
      return value_text(signed_bound(bound));
    default:
      return value_text(bound);
  }
}

}  // namespace

std::string Leaf::yaml(std::size_t i) const {
  const bool is_text = type == LeafType::text || type == LeafType::text_list || type == LeafType::choice;
  return is_text ? yaml_scalar(values[i]) : values[i];
}

std::string Leaf::yaml() const {
  if (!is_list()) return yaml(0);
  std::vector<std::string> items;
  for (std::size_t i = 0; i < values.size(); ++i) items.push_back(yaml(i));
  return fmt::format("[{}]", join(items));
}

std::string Leaf::range() const {
  if (type == LeafType::signed_integer && bounds == base::kSigned) return "";
  const bool has_least = bounds.min > kAll.min || (bounds.min < kAll.min && type == LeafType::number);
  const bool has_most = bounds.max < kAll.max;
  if (has_most) return fmt::format("{} to {}", bound_text(type, bounds.min), bound_text(type, bounds.max));
  return has_least ? "at least " + bound_text(type, bounds.min) : "";
}

void LeafVisitor::value(const ParamDoc& doc, bool& field) { leaf({doc, LeafType::boolean, {value_text(field)}}); }

void LeafVisitor::value(const ParamDoc& doc, std::uint64_t& field, Bounds bounds) {
  leaf({doc, LeafType::integer, {value_text(field)}, bounds});
}

void LeafVisitor::value(const ParamDoc& doc, std::int64_t& field, Bounds bounds) {
  leaf({doc, LeafType::signed_integer, {value_text(field)}, bounds});
}

void LeafVisitor::value(const ParamDoc& doc, double& field, Bounds bounds) {
  leaf({doc, LeafType::number, {value_text(field)}, bounds});
}

void LeafVisitor::value(const ParamDoc& doc, std::string& field) { leaf({doc, LeafType::text, {field}}); }

void LeafVisitor::value(const ParamDoc& doc, base::Bytes& field, Bounds bounds) {
  leaf({doc, LeafType::size, {value_text(field)}, bounds});
}

void LeafVisitor::value(const ParamDoc& doc, base::Frequency& field, Bounds bounds) {
  leaf({doc, LeafType::frequency, {value_text(field)}, bounds});
}

void LeafVisitor::value(const ParamDoc& doc, base::Duration& field, Bounds bounds) {
  leaf({doc, LeafType::time, {value_text(field)}, bounds == base::kTimes ? kAll : bounds});
}

void LeafVisitor::value(const ParamDoc& doc, base::Latency& field, Bounds bounds) {
  leaf({doc, LeafType::latency, {value_text(field)}, bounds == base::kLatencies ? kAll : bounds});
}

void LeafVisitor::value(const ParamDoc& doc, base::Fraction& field, Bounds bounds) {
  leaf({doc, LeafType::fraction, {value_text(field)}, bounds});
}

void LeafVisitor::address(const ParamDoc& doc, base::Address& field, Bounds bounds) {
  leaf({doc, LeafType::address, {address_text(field)}, bounds});
}

void LeafVisitor::list(const ParamDoc& doc, std::vector<std::uint64_t>& field, Bounds bounds) {
  std::vector<std::string> items;
  for (const std::uint64_t item : field) items.push_back(value_text(item));
  leaf({doc, LeafType::integer_list, std::move(items), bounds});
}

void LeafVisitor::list(const ParamDoc& doc, std::vector<std::string>& field) {
  leaf({doc, LeafType::text_list, field});
}

void LeafVisitor::choice_index(const ParamDoc& doc, std::size_t& field, std::span<const std::string_view> names) {
  leaf({doc, LeafType::choice, {std::string(names[field])}, {}, names});
}

}  // namespace switchyard::platforms

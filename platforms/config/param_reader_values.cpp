// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "platforms/config/param_reader.h"
#include "platforms/config/text.h"
#include "platforms/config/value_text.h"

namespace switchyard::platforms {
namespace {

using base::Bounds;
using base::ParamDoc;
using Kind = ConfigNode::Kind;

/// Parses text that must stand without quotes.
template <class Parse>
auto unquoted(Parse parse) {
  return [parse](const ConfigNode& node) {
    auto result = parse(node.text);
    if (node.quoted && result.error.empty())
      result.error = fmt::format("found text in quotes; write {} without them", shown(node.text));
    return result;
  };
}

/// Parses text that may stand in quotes as well.
template <class Parse>
auto text_of(Parse parse) {
  return [parse](const ConfigNode& node) { return parse(node.text); };
}

Parsed<bool> parse_bool(std::string_view text) {
  if (text == "true" || text == "false") return {text == "true", ""};
  return {false, fmt::format("expected true or false, found {}", shown(text))};
}

template <class Text>
std::string out_of_range(const std::string& found, bool has_most, const Text& least, const Text& most) {
  if (!has_most) return fmt::format("{} is out of range; allowed: at least {}", found, least);
  return fmt::format("{} is out of range; allowed: {} to {}", found, least, most);
}

/// What is wrong with `value`; `text` writes a number in the unit of the parameter.
template <class Text>
std::string range_error(std::uint64_t value, const Bounds& bounds, Text text) {
  if (within(value, bounds)) return "";
  const std::uint64_t most = highest(bounds);
  return out_of_range(text(value), most != ~std::uint64_t{0}, text(lowest(bounds)), text(most));
}

std::string range_error(std::int64_t value, const Bounds& bounds) {
  if (within_signed(value, bounds)) return "";
  return out_of_range(value_text(value), true, value_text(signed_bound(bounds.min)),
                      value_text(signed_bound(bounds.max)));
}

std::string range_error(double value, const Bounds& bounds) {
  if (value >= bounds.min && value <= bounds.max) return "";
  return out_of_range(value_text(value), bounds.max < Bounds{}.max, value_text(bounds.min), value_text(bounds.max));
}

constexpr auto kNoCheck = [](const auto&) { return std::string(); };
constexpr auto kValueText = [](const auto& value) { return value_text(value); };

}  // namespace

template <class T, class Parse, class Check, class Text>
void ParamReader::read_node(const ConfigNode& node, const std::string& path, T& field, std::string_view expected,
                            Parse parse, Check check, Text text) {
  const auto annotated = annotated_value(node, path, diagnostics_);
  if (!annotated) return;
  const ConfigNode& scalar = *annotated->node;
  if (scalar.kind != Kind::scalar)
    return error(scalar, path, fmt::format("expected {}, found {}", expected, scalar.description()));
  auto parsed = parse(scalar);
  if (parsed.error.empty()) parsed.error = check(parsed.value);
  if (!parsed.error.empty()) return error(scalar, path, parsed.error);
  field = std::move(parsed.value);
  record(*annotated, path, text(field));
}

template <class T, class Parse>
void ParamReader::read_quantity(const ParamDoc& doc, T& field, std::uint64_t T::*number, const Bounds& bounds,
                                std::string_view expected, Parse parse) {
  const ConfigNode* node = take(doc);
  if (!node) return;
  const auto check = [&](const T& value) {
    const auto text = [&](std::uint64_t n) {
      T bound = value;
      bound.*number = n;
      return value_text(bound);
    };
    return range_error(value.*number, bounds, text);
  };
  read_node(*node, path_of(doc), field, expected, text_of(parse), check, kValueText);
}

template <class T, class Read>
void ParamReader::read_list(const ParamDoc& doc, std::vector<T>& field, std::string_view expected, Read read) {
  const ConfigNode* node = take(doc);
  if (!node) return;
  const std::string path = path_of(doc);
  const auto annotated = annotated_value(*node, path, diagnostics_);
  if (!annotated) return;
  const ConfigNode& sequence = *annotated->node;
  if (sequence.kind != Kind::sequence)
    return error(sequence, path, fmt::format("expected {}, found {}", expected, sequence.description()));
  record(*annotated, path, "");
  const std::size_t errors = diagnostics_.size();
  std::vector<T> result(sequence.items.size());
  for (std::size_t i = 0; i < result.size(); ++i) read(sequence.items[i], join_path(path, i), result[i]);
  if (diagnostics_.size() == errors) field = std::move(result);
}

void ParamReader::read_integer(const ConfigNode& node, const std::string& path, std::uint64_t& field,
                               const Bounds& bounds) {
  const auto check = [&](std::uint64_t value) {
    return range_error(value, bounds, [](std::uint64_t n) { return value_text(n); });
  };
  read_node(node, path, field, "a whole number", unquoted(parse_integer), check, kValueText);
}

void ParamReader::read_text(const ConfigNode& node, const std::string& path, std::string& field,
                            std::string_view expected) {
  const auto parse = [](const ConfigNode& scalar) { return Parsed<std::string>{scalar.text, ""}; };
  read_node(node, path, field, expected, parse, kNoCheck, [](const std::string& text) { return text; });
}

void ParamReader::value(const ParamDoc& doc, bool& field) {
  if (const ConfigNode* node = take(doc))
    read_node(*node, path_of(doc), field, "true or false", unquoted(parse_bool), kNoCheck, kValueText);
}

void ParamReader::value(const ParamDoc& doc, std::uint64_t& field, Bounds bounds) {
  if (const ConfigNode* node = take(doc)) read_integer(*node, path_of(doc), field, bounds);
}

void ParamReader::value(const ParamDoc& doc, std::int64_t& field, Bounds bounds) {
  const auto check = [&](std::int64_t value) { return range_error(value, bounds); };
  if (const ConfigNode* node = take(doc))
    read_node(*node, path_of(doc), field, "a whole number", unquoted(parse_signed), check, kValueText);
}

void ParamReader::value(const ParamDoc& doc, double& field, Bounds bounds) {
  const auto check = [&](double value) { return range_error(value, bounds); };
  if (const ConfigNode* node = take(doc))
    read_node(*node, path_of(doc), field, "a number", unquoted(parse_number), check, kValueText);
}

void ParamReader::value(const ParamDoc& doc, std::string& field) {
  if (const ConfigNode* node = take(doc)) read_text(*node, path_of(doc), field, "text");
}

void ParamReader::value(const ParamDoc& doc, base::Bytes& field, Bounds bounds) {
  read_quantity(doc, field, &base::Bytes::value, bounds, "a size such as 64 KiB", parse_bytes);
}

void ParamReader::value(const ParamDoc& doc, base::Frequency& field, Bounds bounds) {
  read_quantity(doc, field, &base::Frequency::hz, bounds, "a frequency such as 1.2 GHz", parse_frequency);
}

void ParamReader::value(const ParamDoc& doc, base::Duration& field, Bounds bounds) {
  read_quantity(doc, field, &base::Duration::ps, bounds, "a time such as 80 ns", parse_duration);
}

void ParamReader::value(const ParamDoc& doc, base::Latency& field, Bounds bounds) {
  read_quantity(doc, field, &base::Latency::value, bounds, "a latency such as 12 cycles or 80 ns", parse_latency);
}

void ParamReader::value(const ParamDoc& doc, base::Fraction& field, Bounds bounds) {
  const auto check = [&](base::Fraction value) { return range_error(value.value, bounds); };
  if (const ConfigNode* node = take(doc))
    read_node(*node, path_of(doc), field, "a share such as 0.5 %", text_of(parse_fraction), check, kValueText);
}

void ParamReader::address(const ParamDoc& doc, base::Address& field, Bounds bounds) {
  const auto check = [&](base::Address value) { return range_error(value, bounds, address_text); };
  if (const ConfigNode* node = take(doc))
    read_node(*node, path_of(doc), field, "an address such as 0x80000000", unquoted(parse_integer), check,
              address_text);
}

void ParamReader::list(const ParamDoc& doc, std::vector<std::uint64_t>& field, Bounds bounds) {
  read_list(doc, field, "a list of numbers such as [1, 2]",
            [&](const ConfigNode& node, const std::string& path, std::uint64_t& item) {
              read_integer(node, path, item, bounds);
            });
}

void ParamReader::list(const ParamDoc& doc, std::vector<std::string>& field) {
  read_list(
      doc, field, "a list of texts such as [a, b]",
      [&](const ConfigNode& node, const std::string& path, std::string& item) { read_text(node, path, item, "text"); });
}

void ParamReader::choice_index(const ParamDoc& doc, std::size_t& field, std::span<const std::string_view> names) {
  const ConfigNode* node = take(doc);
  if (!node) return;
  const std::vector<std::string> allowed(names.begin(), names.end());
  const auto parse = [&](const ConfigNode& scalar) {
    const auto found = std::find(allowed.begin(), allowed.end(), scalar.text);
    if (found != allowed.end()) return Parsed<std::size_t>{static_cast<std::size_t>(found - allowed.begin()), ""};
    return Parsed<std::size_t>{
        0, fmt::format("unknown value {}{}", shown(scalar.text), allowed_names(scalar.text, allowed))};
  };
  read_node(*node, path_of(doc), field, "one of " + join(allowed), parse, kNoCheck,
            [&](std::size_t index) { return allowed[index]; });
}

}  // namespace switchyard::platforms

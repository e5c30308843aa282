// SPDX-License-Identifier: Apache-2.0
#include "platforms/config/describe_params.h"

#include <fmt/format.h>

#include <vector>

#include "platforms/config/param_listing.h"

namespace switchyard::platforms {
namespace {

std::string text_row(const ParamRow& row) {
  std::string facts = row.type;
  if (row.fallback == "required") {
    facts += ", required";
  } else if (!row.fallback.empty()) {
    facts += ", default " + row.fallback;
  }
  if (!row.range.empty()) facts += ", " + row.range;
  return fmt::format("{}\n    {}\n    {}\n", row.path, facts, row.text);
}

std::string text_section(const ParamSection& section) {
  std::string out = section.title.empty() ? "" : fmt::format("\n{}:\n", section.title);
  if (section.rows.empty()) out += "  no parameters\n";
  for (const ParamRow& row : section.rows) out += text_row(row);
  return out;
}

/// A table cell: a bar would end it.
std::string cell(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

std::string code(const std::string& text) { return text.empty() ? "" : fmt::format("`{}`", cell(text)); }

std::string markdown_section(const ParamSection& section) {
  std::string out = section.title.empty() ? "" : fmt::format("\n### {}\n\n", section.title);
  if (section.rows.empty()) return out + "No parameters.\n";
  out += "| key | type | default | range | meaning |\n|---|---|---|---|---|\n";
  for (const ParamRow& row : section.rows) {
    const std::string fallback = row.fallback == "required" ? row.fallback : code(row.fallback);
    out += fmt::format("| {} | {} | {} | {} | {} |\n", code(row.path), cell(row.type), fallback, cell(row.range),
                       cell(row.text));
  }
  return out;
}

}  // namespace

std::string describe_params(base::ParamSet& params, DescribeFormat format) {
  std::string out;
  for (const ParamSection& section : list_params(params))
    out += format == DescribeFormat::text ? text_section(section) : markdown_section(section);
  return out;
}

}  // namespace switchyard::platforms

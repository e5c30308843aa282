// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "platforms/config/text.h"
#include "sc_main/compare_cells.h"
#include "sc_main/compare_reference.h"
#include "sc_main/compare_sweep.h"
#include "sc_main/format.h"

namespace switchyard::cli {
namespace {

using Json = nlohmann::ordered_json;

/// `0 B` in a number and what follows it; nothing for other texts.
std::optional<std::pair<std::string, std::string>> split(const std::string& value) {
  const std::size_t end = std::min(value.find_first_not_of("0123456789."), value.size());
  if (end == 0) return std::nullopt;
  return std::pair(value.substr(0, end), value.substr(end));
}

/// `0..48 B`, or all values where they are no numbers of one unit.
std::string values_text(const std::vector<std::string>& values) {
  const auto first = split(values.front()), last = split(values.back());
  const bool is_range = first && last && values.size() > 1 && std::all_of(values.begin(), values.end(), [&](auto& v) {
                          const auto one = split(v);
                          return one && one->second == last->second;
                        });
  return is_range ? first->first + ".." + last->first + last->second : platforms::join(values);
}

std::string percent_text(double share) { return percent_of(share) + " %"; }

std::string held_text(const ValueSupport& value) {
  return fmt::format("{} of {} hold, {:.1f} errors rms{}", value.holds, value.figures, value.rms(),
                     value.failed_fits.empty() ? "" : "; no fit of " + platforms::join(value.failed_fits));
}

std::string missed_text(const ValueSupport& value) {
  return fmt::format("misses {} of {} ({:.1f}{})", value.figures - value.holds, value.figures, value.rms(),
                     value.failed_fits.empty() ? "" : "; no fit of " + platforms::join(value.failed_fits));
}

Json number_or_null(std::optional<double> value) { return value ? Json(rounded(*value, 9)) : Json(nullptr); }

Json spread_json(const Comparison& comparison, const Sweep& sweep) {
  Json list = Json::array();
  for (const Spread& one : spreads(comparison, sweep))
    list.push_back({{"variant", comparison.variant_name(one.variant_index)},
                    {"metric", one.metric},
                    {"least_change", rounded(one.least, 9)},
                    {"at_least", sweep.value(one.at_least)},
                    {"most_change", rounded(one.most, 9)},
                    {"at_most", sweep.value(one.at_most)},
                    {"values", one.values}});
  return list;
}

Json support_json(const Comparison& comparison, const Sweep& sweep) {
  const Support result = support(comparison, sweep);
  const auto value_of = [&](std::size_t i) { return sweep.over.values[i]; };
  Json values = Json::array(), not_excluded = Json::array();
  for (std::size_t i = 0; i < result.values.size(); ++i) {
    const ValueSupport& one = result.values[i];
    values.push_back({{"value", value_of(i)},
                      {"figures", one.figures},
                      {"holds", one.holds},
                      {"mean_square", number_or_null(one.mean_square)},
                      {"failed", one.has_failed},
                      {"failed_fits", one.failed_fits}});
  }
  for (const std::size_t i : result.not_excluded) not_excluded.push_back(value_of(i));
  return {{"best", result.best ? Json(value_of(*result.best)) : Json(nullptr)},
          {"supported", result.is_supported},
          {"not_excluded", not_excluded},
          {"values", values},
          {"text", support_text(comparison, sweep)}};
}

}  // namespace

std::string spread_text(const Comparison& comparison, const Sweep& sweep, const Spread& spread) {
  const std::string head = fmt::format("{}, {}: {} {}: {}", sweep.name, comparison.variant_name(spread.variant_index),
                                       sweep.title(), values_text(sweep.over.values), spread.metric);
  const std::string missing =
      spread.values == sweep.size() ? "" : fmt::format("; {} of {} values ran", spread.values, sweep.size());
  const std::string least = percent_text(spread.least), most = percent_text(spread.most);
  if (least == most) return fmt::format("{} {} at every value{}", head, least, missing);
  return fmt::format("{} {} (at {}) to {} (at {}){}", head, least, sweep.value(spread.at_least), most,
                     sweep.value(spread.at_most), missing);
}

std::string support_text(const Comparison& comparison, const Sweep& sweep) {
  const Support result = support(comparison, sweep);
  const std::string head = fmt::format("{}: {}: ", sweep.name, sweep.title());
  const auto value_of = [&](std::size_t i) -> const std::string& { return sweep.over.values[i]; };
  if (!result.best) return head + "no published figure decides between the values";
  std::string text = head +
                     (result.is_supported ? "the published figures support "
                                          : "the published figures support none of the values; nearest is ") +
                     fmt::format("{} ({})", value_of(*result.best), held_text(result.values[*result.best]));
  std::vector<std::string> excluded, others, failed;
  for (std::size_t i = 0; i < result.values.size(); ++i) {
    const ValueSupport& one = result.values[i];
    const bool is_open =
        std::find(result.not_excluded.begin(), result.not_excluded.end(), i) != result.not_excluded.end();
    if (one.has_failed || !one.mean_square)
      failed.push_back(value_of(i));
    else if (is_open)
      others.push_back(fmt::format("{} ({})", value_of(i), held_text(one)));
    else if (i != *result.best)
      excluded.push_back(value_of(i) + " " + missed_text(one));
  }
  if (!excluded.empty()) text += "; " + platforms::join(excluded);
  if (!others.empty()) text += "; not excluded: " + platforms::join(others);
  if (!failed.empty()) text += "; no result: " + platforms::join(failed);
  return text;
}

std::vector<std::string> sensitivity_notes(const Comparison& comparison) {
  std::vector<std::string> lines;
  for (const Sweep& sweep : comparison.experiment().sweeps) {
    if (sweep.over.spread)
      for (const Spread& one : spreads(comparison, sweep)) lines.push_back(spread_text(comparison, sweep, one));
    if (sweep.over.support) lines.push_back(support_text(comparison, sweep));
    for (std::string& line : reference_notes(comparison, sweep)) lines.push_back(std::move(line));
  }
  return lines;
}

Json sensitivity_json(const Comparison& comparison) {
  Json list = Json::array();
  for (const Sweep& sweep : comparison.experiment().sweeps) {
    Json entry{{"case", sweep.name},
               {"parameter", sweep.parameter()},
               {"title", sweep.title()},
               {"values", sweep.over.values}};
    entry["reference"] = sweep.over.reference.empty() ? Json(nullptr) : Json(sweep.over.reference);
    entry["spread"] = sweep.over.spread ? spread_json(comparison, sweep) : Json(nullptr);
    entry["against_reference"] = reference_json(comparison, sweep);
    entry["support"] = sweep.over.support ? support_json(comparison, sweep) : Json(nullptr);
    list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace switchyard::cli

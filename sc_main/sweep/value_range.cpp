// SPDX-License-Identifier: Apache-2.0
#include "sc_main/sweep/value_range.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "platforms/config/text.h"

namespace switchyard::cli {
namespace {

using platforms::shown;
using Values = platforms::Parsed<std::vector<std::string>>;

constexpr std::size_t kMostValues = 1'000'000;

bool is_whole(Amount::Kind kind) { return kind != Amount::Kind::number && kind != Amount::Kind::percent; }

/// `from` with whole and plain numbers mixed is a range of plain numbers.
Amount::Kind common_kind(const Amount& a, const Amount& b) { return a.kind == b.kind ? a.kind : Amount::Kind::number; }

Values stepped(const ColumnParams& column, Amount from, const Amount& to) {
  const auto step = amount_of(column.step);
  if (!step || (step->kind != from.kind && !(step->is_plain() && from.is_plain())))
    return {{}, fmt::format("step {} is not of the kind of from, {}", shown(column.step), shown(column.from))};
  if (step->number == 0 || (step->number > 0) != (to.number >= from.number))
    return {{}, fmt::format("step {} never comes from {} to {}", column.step, column.from, column.to)};
  from.kind = common_kind(from, *step);
  const double steps = (to.number - from.number) / step->number;
  if (steps > static_cast<double>(kMostValues)) return {{}, fmt::format("more than {} values", kMostValues)};
  Values result;
  for (std::size_t i = 0; static_cast<double>(i) <= steps * (1 + 1e-12); ++i)
    result.value.push_back(amount_text({from.kind, from.number + static_cast<double>(i) * step->number}));
  return result;
}

Values counted(const ColumnParams& column, const Amount& from, const Amount& to) {
  Values result;
  for (std::uint64_t i = 0; i < column.count; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(column.count - 1);
    const double number = column.scale == Scale::log ? from.number * std::pow(to.number / from.number, share)
                                                     : from.number + (to.number - from.number) * share;
    std::string text = amount_text({from.kind, i + 1 == column.count ? to.number : number});
    if (!result.value.empty() && text == result.value.back())
      return {{}, fmt::format("two of {} values are {}; take fewer", column.count, text)};
    result.value.push_back(std::move(text));
  }
  return result;
}

}  // namespace

std::optional<Amount> amount_of(std::string_view text) {
  using Kind = Amount::Kind;
  const auto whole = [](std::uint64_t value) { return static_cast<double>(value); };
  if (const auto value = platforms::parse_integer(text); value.error.empty())
    return Amount{Kind::whole, whole(value.value)};
  if (const auto value = platforms::parse_number(text); value.error.empty()) return Amount{Kind::number, value.value};
  if (const auto value = platforms::parse_bytes(text); value.error.empty())
    return Amount{Kind::bytes, whole(value.value.value)};
  if (const auto value = platforms::parse_frequency(text); value.error.empty())
    return Amount{Kind::frequency, whole(value.value.hz)};
  if (const auto value = platforms::parse_latency(text); value.error.empty())
    return Amount{value.value.unit == base::Latency::Unit::cycles ? Kind::cycles : Kind::time,
                  whole(value.value.value)};
  if (const auto value = platforms::parse_fraction(text); value.error.empty())
    return Amount{Kind::percent, value.value.value};
  return std::nullopt;
}

std::string amount_text(const Amount& amount) {
  const auto whole = static_cast<std::uint64_t>(std::llround(std::max(0.0, amount.number)));
  switch (amount.kind) {
    case Amount::Kind::whole:
      return platforms::value_text(whole);
    case Amount::Kind::number:
      return fmt::format("{:.12g}", amount.number);
    case Amount::Kind::bytes:
      return platforms::value_text(base::Bytes{whole});
    case Amount::Kind::time:
      return platforms::value_text(base::Duration{whole});
    case Amount::Kind::frequency:
      return platforms::value_text(base::Frequency{whole});
    case Amount::Kind::cycles:
      return platforms::value_text(base::cycles(whole));
    case Amount::Kind::percent:
      return fmt::format("{:.12g} %", 100 * amount.number);
  }
  return "";
}

std::string range_fault(const std::string& from, const std::string& to, Scale scale) {
  const auto first = amount_of(from), last = amount_of(to);
  for (const auto& [end, text] : {std::pair(first, from), std::pair(last, to)})
    if (!end) return fmt::format("expected a number, with its unit where it has one, found {}", shown(text));
  if (first->kind != last->kind && !(first->is_plain() && last->is_plain()))
    return fmt::format("{} and {} are of different kinds", from, to);
  if (scale == Scale::log && (first->number <= 0 || last->number <= 0))
    return fmt::format("scale log needs values above 0, found {} and {}", from, to);
  return "";
}

Values column_values(const ColumnParams& column) {
  if (!column.values.empty()) return {column.values, ""};
  if (std::string fault = range_fault(column.from, column.to, column.scale); !fault.empty()) return {{}, fault};
  Amount from = *amount_of(column.from);
  const Amount to = *amount_of(column.to);
  from.kind = common_kind(from, to);
  return column.count == 0 ? stepped(column, from, to) : counted(column, from, to);
}

std::string sampled_value(const SampledParams& column, double share) {
  if (!column.values.empty()) {
    const auto index = static_cast<std::size_t>(share * static_cast<double>(column.values.size()));
    return column.values[std::min(index, column.values.size() - 1)];
  }
  Amount from = *amount_of(column.from), to = *amount_of(column.to);
  const Amount::Kind kind = common_kind(from, to);
  if (column.scale == Scale::log) return amount_text({kind, from.number * std::pow(to.number / from.number, share)});
  if (!is_whole(kind)) return amount_text({kind, from.number + share * (to.number - from.number)});
  if (from.number > to.number) std::swap(from, to);
  return amount_text({kind, std::floor(from.number + share * (to.number - from.number + 1))});  // ends included
}

}  // namespace switchyard::cli

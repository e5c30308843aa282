// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <span>
#include <vector>

#include "base/int128.h"
#include "platforms/config/text.h"
#include "platforms/config/value_text.h"

namespace switchyard::platforms {
namespace {

struct Unit {
  std::string_view name;
  std::uint64_t factor;  // in the base unit, the first of its table
};

constexpr std::array<Unit, 7> kSizes{{{"B", 1},
                                      {"KiB", 1ull << 10},
                                      {"MiB", 1ull << 20},
                                      {"GiB", 1ull << 30},
                                      {"TiB", 1ull << 40},
                                      {"PiB", 1ull << 50},
                                      {"EiB", 1ull << 60}}};
constexpr std::array<Unit, 4> kFrequencies{{{"Hz", 1}, {"kHz", 1000}, {"MHz", 1000000}, {"GHz", 1000000000}}};
constexpr std::array<Unit, 5> kTimes{
    {{"ps", 1}, {"ns", 1000}, {"us", 1000000}, {"ms", 1000000000}, {"s", 1000000000000}}};
/// Letters of decimal prefixes, for the two readings of `64 KB`; the factor is the decimal one.
constexpr std::array<Unit, 6> kDecimalPrefixes{{{"K", 1000},
                                                {"M", 1000000},
                                                {"G", 1000000000},
                                                {"T", 1000000000000},
                                                {"P", 1000000000000000},
                                                {"E", 1000000000000000000}}};

/// A quantity that is written as a number and a unit.
struct Dimension {
  std::string_view noun;
  std::string_view example;
  std::string_view ways;  // `{0}` is the number that stands without a unit
  std::span<const Unit> units;
};

constexpr Dimension kSize{"size", "64 KiB", "{0} B, {0} KiB, {0} MiB or {0} GiB", kSizes};
constexpr Dimension kFrequency{"frequency", "1.2 GHz", "{0} Hz, {0} kHz, {0} MHz or {0} GHz", kFrequencies};
constexpr Dimension kTime{"time", "80 ns", "{0} ns, {0} us, {0} ms or {0} s", kTimes};
constexpr Dimension kLatency{"latency", "12 cycles or 80 ns", "{0} cycles or {0} ns", kTimes};

struct Split {
  std::string_view number;
  std::string_view unit;
};

Split split(std::string_view text) {
  const std::size_t number = std::min(text.find_first_not_of("+-.0123456789"), text.size());
  const std::size_t end = text.substr(0, number).find_last_not_of(' ');
  const std::size_t unit = text.find_first_not_of(' ', number);
  return {text.substr(0, end == std::string_view::npos ? 0 : end + 1),
          unit == std::string_view::npos ? std::string_view() : text.substr(unit)};
}

std::vector<std::string> names(std::span<const Unit> units) {
  std::vector<std::string> result;
  for (const Unit& unit : units) result.emplace_back(unit.name);
  return result;
}

/// number * factor when that is a whole number that fits 64 bits; the number has passed parse_number().
Parsed<std::uint64_t> scaled(std::string_view number, std::uint64_t factor, const Dimension& dimension) {
  const std::string_view base_unit = dimension.units.front().name;
  const std::size_t point = std::min(number.find('.'), number.size());
  std::string_view fraction = number.substr(std::min(point + 1, number.size()));
  while (fraction.ends_with('0')) fraction.remove_suffix(1);
  const std::string digits = std::string(number.substr(0, point)) + std::string(fraction);
  base::Uint128 mantissa = 0;
  for (const char digit : digits) {
    const base::Uint128 limit = (~base::Uint128{0} / factor - 9) / 10;
    if (mantissa > limit) return {0, fmt::format("{} has too many digits", shown(number))};
    mantissa = mantissa * 10 + static_cast<unsigned>(digit - '0');
  }
  mantissa *= factor;
  for (std::size_t i = 0; i < fraction.size(); ++i) {
    if (mantissa % 10 != 0) return {0, fmt::format("is not a whole number of {}", base_unit)};
    mantissa /= 10;
  }
  if (mantissa > ~std::uint64_t{0})
    return {0, fmt::format("does not fit into 64 bits; the largest {} is 18446744073709551615 {}", dimension.noun,
                           base_unit)};
  return {static_cast<std::uint64_t>(mantissa), ""};
}

/// `64 KB has two readings`, or nothing when the unit is not a decimal size.
std::string two_readings(const Split& parts, const Dimension& dimension) {
  if (dimension.units.data() != kSizes.data() || parts.unit.empty()) return "";
  const std::string_view rest = parts.unit.substr(1);
  if (!rest.empty() && rest != "B" && rest != "b") return "";
  const char letter = static_cast<char>(std::toupper(static_cast<unsigned char>(parts.unit.front())));
  for (std::size_t i = 0; i < kDecimalPrefixes.size(); ++i) {
    if (kDecimalPrefixes[i].name.front() != letter) continue;
    const Parsed<std::uint64_t> binary = scaled(parts.number, kSizes[i + 1].factor, dimension);
    const Parsed<std::uint64_t> decimal = scaled(parts.number, kDecimalPrefixes[i].factor, dimension);
    if (!binary.error.empty() || !decimal.error.empty()) return "";
    return fmt::format("{0} {1} has two readings; write {0} {2} ({3} B) or {4} B", parts.number, parts.unit,
                       kSizes[i + 1].name, binary.value, decimal.value);
  }
  return "";
}

std::string unknown_unit(const Split& parts, const Dimension& dimension, std::vector<std::string> allowed) {
  const std::string readings = two_readings(parts, dimension);
  if (!readings.empty()) return readings;
  const bool is_word = parts.unit.find_first_of("0123456789") == std::string_view::npos;
  if (is_word) return fmt::format("unknown unit {}{}", shown(parts.unit), allowed_names(parts.unit, allowed));
  return fmt::format("expected a decimal number and a unit, such as {}, found {}{}", dimension.example, parts.number,
                     shown(parts.unit));
}

/// What is wrong with the number or with the lack of a unit; empty when all is well.
std::string number_error(std::string_view text, const Split& parts, const Dimension& dimension) {
  if (parts.number.empty())
    return fmt::format("expected a {} such as {}, found {}", dimension.noun, dimension.example, shown(text));
  const Parsed<double> number = parse_number(parts.number);
  if (!number.error.empty()) return number.error;
  if (parts.number.starts_with('-')) return fmt::format("must not be negative, found {}", shown(text));
  if (!parts.unit.empty()) return "";
  return fmt::format("{} is a {} without a unit; write {}", text, dimension.noun,
                     fmt::format(fmt::runtime(dimension.ways), text));
}

Parsed<std::uint64_t> parse_quantity(std::string_view text, const Dimension& dimension,
                                     const std::vector<std::string>& more_units = {}) {
  const Split parts = split(text);
  if (std::string error = number_error(text, parts, dimension); !error.empty()) return {0, error};
  for (const Unit& unit : dimension.units) {
    if (unit.name != parts.unit) continue;
    Parsed<std::uint64_t> result = scaled(parts.number, unit.factor, dimension);
    if (!result.error.empty()) result.error = fmt::format("{} {}", shown(text), result.error);
    return result;
  }
  std::vector<std::string> allowed = more_units;
  for (std::string& name : names(dimension.units)) allowed.push_back(std::move(name));
  return {0, unknown_unit(parts, dimension, std::move(allowed))};
}

/// In the largest unit that needs at most three decimals.
std::string decimal_text(std::uint64_t value, std::span<const Unit> units) {
  for (std::size_t i = units.size(); i-- > 0;) {
    const std::uint64_t thousandth = std::max<std::uint64_t>(1, units[i].factor / 1000);
    if (value < units[i].factor || value % thousandth != 0) continue;
    std::string text = fmt::format("{}", value / units[i].factor);
    const std::uint64_t rest = value % units[i].factor / thousandth;
    if (rest != 0) text += fmt::format(".{:03}", rest);
    while (rest != 0 && text.ends_with('0')) text.pop_back();
    return fmt::format("{} {}", text, units[i].name);
  }
  return fmt::format("{} {}", value, units.front().name);
}

std::string pattern(std::span<const Unit> units) {
  return fmt::format("{} *({})", decimal_pattern(), join(names(units), "|"));
}

}  // namespace

Parsed<base::Bytes> parse_bytes(std::string_view text) {
  Parsed<std::uint64_t> parsed = parse_quantity(text, kSize);
  return {{parsed.value}, std::move(parsed.error)};
}

Parsed<base::Frequency> parse_frequency(std::string_view text) {
  Parsed<std::uint64_t> parsed = parse_quantity(text, kFrequency);
  return {{parsed.value}, std::move(parsed.error)};
}

Parsed<base::Duration> parse_duration(std::string_view text) {
  Parsed<std::uint64_t> parsed = parse_quantity(text, kTime);
  return {{parsed.value}, std::move(parsed.error)};
}

Parsed<base::Latency> parse_latency(std::string_view text) {
  const Split parts = split(text);
  if (parts.unit != "cycles" && parts.unit != "cycle") {
    Parsed<std::uint64_t> parsed = parse_quantity(text, kLatency, {"cycles"});
    return {{parsed.value, base::Latency::Unit::picoseconds}, std::move(parsed.error)};
  }
  Parsed<std::uint64_t> parsed = parse_integer(parts.number);
  return {base::cycles(parsed.value), std::move(parsed.error)};
}

std::string value_text(base::Bytes value) {
  std::size_t i = kSizes.size() - 1;
  while (i > 0 && (value.value == 0 || value.value % kSizes[i].factor != 0)) --i;
  return fmt::format("{} {}", value.value / kSizes[i].factor, kSizes[i].name);
}

std::string value_text(base::Frequency value) { return decimal_text(value.hz, kFrequencies); }
std::string value_text(base::Duration value) { return decimal_text(value.ps, kTimes); }

std::string value_text(base::Latency value) {
  if (value.unit == base::Latency::Unit::picoseconds) return decimal_text(value.value, kTimes);
  return fmt::format("{} {}", value.value, value.value == 1 ? "cycle" : "cycles");
}

std::string bytes_pattern() { return pattern(kSizes); }
std::string frequency_pattern() { return pattern(kFrequencies); }
std::string duration_pattern() { return pattern(kTimes); }
std::string latency_pattern() { return fmt::format("({}|(0|[1-9][0-9]*) *cycles?)", pattern(kTimes)); }

}  // namespace switchyard::platforms

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>

#include "platforms/config/text.h"
#include "platforms/config/value_text.h"

namespace switchyard::platforms {
namespace {

constexpr double kTwoTo64 = 18446744073709551616.0;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::size_t count_digits(std::string_view text) {
  std::size_t n = 0;
  while (n < text.size() && is_digit(text[n])) ++n;
  return n;
}

/// How many zeros stand in front of another digit.
std::size_t count_leading_zeros(std::string_view text) {
  std::size_t n = 0;
  while (n + 1 < text.size() && text[n] == '0' && is_digit(text[n + 1])) ++n;
  return n;
}

bool is_hex(std::string_view text) { return text.starts_with("0x") || text.starts_with("0X"); }

std::string leading_zero(std::string_view digits) {
  const std::string_view decimal = digits.substr(count_leading_zeros(digits));
  std::uint64_t octal = 0;
  const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), octal, 8);
  if (failure == std::errc() && end == digits.data() + digits.size() && decimal != "0")
    return fmt::format("{} has two readings; write {} (decimal) or 0x{:x} (if it is octal, {})", digits, decimal, octal,
                       octal);
  return fmt::format("{} has a leading zero; write {}", digits, decimal);
}

/// What is wrong with text that is no integer.
std::string not_an_integer(std::string_view text) {
  const Parsed<double> number = parse_number(text);
  if (text.starts_with('-') && number.error.empty()) return fmt::format("must not be negative, found {}", text);
  if (number.error.empty() && number.value < 1e15 && number.value == std::floor(number.value))
    return fmt::format("expected a whole number, found {}; write {}", text, static_cast<std::uint64_t>(number.value));
  return fmt::format("expected a whole number such as 12 or 0x1f, found {}", shown(text));
}

/// Length of a decimal number with optional sign, fraction and exponent at the start of `text`; 0 when there is none.
std::size_t number_length(std::string_view text) {
  std::size_t at = text.starts_with('-') ? 1 : 0;
  const std::size_t whole = count_digits(text.substr(at));
  if (whole == 0 || (whole > 1 && text[at] == '0')) return 0;
  at += whole;
  if (at < text.size() && text[at] == '.') {
    const std::size_t fraction = count_digits(text.substr(at + 1));
    if (fraction == 0) return 0;
    at += 1 + fraction;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    const std::size_t sign = at + 1 < text.size() && (text[at + 1] == '+' || text[at + 1] == '-') ? 1 : 0;
    const std::size_t exponent = count_digits(text.substr(at + 1 + sign));
    if (exponent == 0) return 0;
    at += 1 + sign + exponent;
  }
  return at;
}

}  // namespace

Parsed<std::uint64_t> parse_integer(std::string_view text) {
  const bool hex = is_hex(text);
  const std::string_view digits = hex ? text.substr(2) : text;
  Parsed<std::uint64_t> result;
  const char* const end = digits.data() + digits.size();
  const auto [next, failure] = std::from_chars(digits.data(), end, result.value, hex ? 16 : 10);
  if (next != end || failure == std::errc::invalid_argument) {
    result.error = not_an_integer(text);
  } else if (failure == std::errc::result_out_of_range) {
    result.error = fmt::format("{} does not fit into 64 bits; the largest number is 18446744073709551615", shown(text));
  } else if (!hex && digits.size() > 1 && digits.front() == '0') {
    result.error = leading_zero(digits);
  }
  return result;
}

Parsed<std::int64_t> parse_signed(std::string_view text) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  const bool is_negative = text.starts_with('-');
  const Parsed<std::uint64_t> magnitude = parse_integer(is_negative ? text.substr(1) : text);
  if (!magnitude.error.empty()) return {0, is_negative ? "after the minus sign: " + magnitude.error : magnitude.error};
  if (magnitude.value > kMost + (is_negative ? 1 : 0))
    return {0, fmt::format("{} is out of range; allowed: {} to {}", text, std::numeric_limits<std::int64_t>::min(),
                           std::numeric_limits<std::int64_t>::max())};
  return {static_cast<std::int64_t>(is_negative ? ~magnitude.value + 1 : magnitude.value), ""};
}

Parsed<double> parse_number(std::string_view text) {
  Parsed<double> result;
  const std::size_t length = number_length(text);
  if (length == 0 || length != text.size()) {
    const std::size_t zeros = count_leading_zeros(text);
    const bool is_number_behind = zeros > 0 && zeros + number_length(text.substr(zeros)) == text.size();
    result.error = is_number_behind
                       ? fmt::format("{} has a leading zero; write {}", shown(text), shown(text.substr(zeros)))
                       : fmt::format("expected a number such as 0.5, found {}", shown(text));
    return result;
  }
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), result.value);
  if (failure != std::errc()) result.error = fmt::format("{} is beyond the range of numbers", shown(text));
  if (result.value == 0) result.value = 0;  // not -0
  return result;
}

Parsed<base::Fraction> parse_fraction(std::string_view text) {
  if (!text.ends_with('%')) {
    const Parsed<double> number = parse_number(text);
    const std::string hint =
        number.error.empty() ? "" : "expected a share such as 0.005 or 0.5 %, found " + shown(text);
    return {{number.value}, hint};
  }
  std::string_view percent = text.substr(0, text.size() - 1);
  while (percent.ends_with(' ')) percent.remove_suffix(1);
  const bool is_plain = percent.find_first_of("eE") == std::string_view::npos;
  const Parsed<double> number = parse_number(is_plain ? std::string(percent) + "e-2" : "");
  if (!number.error.empty()) return {{}, "expected a percentage such as 0.5 %, found " + shown(text)};
  return {{number.value}, ""};
}

std::string value_text(bool value) { return value ? "true" : "false"; }
std::string value_text(std::uint64_t value) { return fmt::format("{}", value); }
std::string value_text(std::int64_t value) { return fmt::format("{}", value); }
std::string value_text(double value) { return value == 0 ? "0" : fmt::format("{}", value); }
std::string value_text(base::Fraction value) { return value_text(value.value); }
std::string address_text(base::Address value) { return fmt::format("0x{:x}", value); }

std::string decimal_pattern() { return "(0|[1-9][0-9]*)(\\.[0-9]+)?"; }

std::uint64_t lowest(const base::Bounds& bounds) {
  return bounds.min <= 0          ? 0
         : bounds.min >= kTwoTo64 ? ~std::uint64_t{0}
                                  : static_cast<std::uint64_t>(std::ceil(bounds.min));
}

std::uint64_t highest(const base::Bounds& bounds) {
  return bounds.max >= kTwoTo64 ? ~std::uint64_t{0}
         : bounds.max <= 0      ? 0
                                : static_cast<std::uint64_t>(std::floor(bounds.max));
}

std::int64_t signed_bound(double bound) {
  if (bound <= base::kSigned.min) return std::numeric_limits<std::int64_t>::min();
  if (bound >= base::kSigned.max) return std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(bound);
}

bool within_signed(std::int64_t value, const base::Bounds& bounds) {
  return value >= signed_bound(bounds.min) && value <= signed_bound(bounds.max);
}

bool within(std::uint64_t value, const base::Bounds& bounds) {
  return value >= lowest(bounds) && value <= highest(bounds);
}

}  // namespace switchyard::platforms

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/params.h"
#include "base/quantity.h"

namespace switchyard::platforms {

/// A value read from text, or what is wrong with the text and what would be right.
template <class T>
struct Parsed {
  T value{};
  std::string error;
};

/// Decimal without leading zeros, or hexadecimal with 0x; all 64 bits.
Parsed<std::uint64_t> parse_integer(std::string_view text);
/// The same with an optional minus in front.
Parsed<std::int64_t> parse_signed(std::string_view text);
/// A decimal number, with an exponent if need be; correctly rounded.
Parsed<double> parse_number(std::string_view text);
/// `0.5 %` or `0.005`.
Parsed<base::Fraction> parse_fraction(std::string_view text);
/// The quantities are exact: a decimal that is not a whole number of the smallest unit is refused.
Parsed<base::Bytes> parse_bytes(std::string_view text);
Parsed<base::Frequency> parse_frequency(std::string_view text);
Parsed<base::Duration> parse_duration(std::string_view text);
Parsed<base::Latency> parse_latency(std::string_view text);

/// The canonical text of a value: reads back to exactly the same value.
std::string value_text(bool value);
std::string value_text(std::uint64_t value);
std::string value_text(std::int64_t value);
std::string value_text(double value);
std::string value_text(base::Fraction value);
std::string value_text(base::Bytes value);
std::string value_text(base::Frequency value);
std::string value_text(base::Duration value);
std::string value_text(base::Latency value);
std::string address_text(base::Address value);

/// Pieces of a JSON Schema pattern: a decimal number, and the number with a unit of the quantity.
std::string decimal_pattern();
std::string bytes_pattern();
std::string frequency_pattern();
std::string duration_pattern();
std::string latency_pattern();

/// Whether `value` lies within `bounds`, compared as integers.
bool within(std::uint64_t value, const base::Bounds& bounds);
bool within_signed(std::int64_t value, const base::Bounds& bounds);
/// A bound as the nearest integer with a sign.
std::int64_t signed_bound(double bound);
/// The smallest and largest allowed integers.
std::uint64_t lowest(const base::Bounds& bounds);
std::uint64_t highest(const base::Bounds& bounds);

}  // namespace switchyard::platforms

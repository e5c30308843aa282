// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "platforms/config/value_text.h"
#include "sc_main/sweep/sweep_file.h"

namespace switchyard::cli {

/// A value of a parameter as a number, whatever its unit.
struct Amount {
  enum class Kind : std::uint8_t { whole, number, bytes, time, frequency, cycles, percent };
  Kind kind = Kind::whole;
  double number = 0;  ///< in the base unit of its kind: bytes, picoseconds, hertz, cycles; shares of one

  bool is_plain() const { return kind == Kind::whole || kind == Kind::number; }
};

/// `16 B`, `1.5 GHz`, `12 cycles`, `5 %`, `3`, `0.5`; nothing for a text.
std::optional<Amount> amount_of(std::string_view text);

/// The text of an amount; kinds that hold whole numbers round.
std::string amount_text(const Amount& amount);

/// The values of a column, with the range written out; `error` says what is wrong with the range.
platforms::Parsed<std::vector<std::string>> column_values(const ColumnParams& column);

/// The value at `share` (0 to 1, 1 excluded) of what a sampled column may be. The ends are of the same kind.
std::string sampled_value(const SampledParams& column, double share);

/// What is wrong with the ends of a range; empty when nothing is.
std::string range_fault(const std::string& from, const std::string& to, Scale scale);

}  // namespace switchyard::cli

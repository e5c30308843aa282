// SPDX-License-Identifier: Apache-2.0
#include "sc_main/option_values.h"

#include <CLI/CLI.hpp>

#include "platforms/config/text.h"
#include "platforms/config/value_text.h"

namespace switchyard::cli {

std::string check_time_limit(const std::string& text) {
  constexpr double kLongest = 1e9;
  double seconds = 0;
  if (CLI::detail::lexical_cast(text, seconds) && seconds > 0 && seconds <= kLongest) return "";
  return "must be a number of seconds above 0, " + std::to_string(static_cast<long>(kLongest)) + " at most; got " +
         platforms::shown(text);
}

std::string check_size(const std::string& text) {
  const auto size = platforms::parse_bytes(text);
  if (size.error.empty() && size.value.value == 0) return "must be more than 0 B";
  return size.error;
}

}  // namespace switchyard::cli

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

namespace switchyard::base {

/// The user's fault (file, flag, trace). `what()` is the whole message: where, what, and what would be right.
/// Caught once, in sc_main; exit code 2.
class ConfigError : public std::runtime_error {
 public:
  ConfigError(const std::string& where, const std::string& what) : std::runtime_error(where + ": " + what) {}
  explicit ConfigError(const std::string& text) : std::runtime_error(text) {}
};

/// A check that runs with the simulation found a fault of the modelled policy (stale translation, deadlock, ...).
/// Caught once, in sc_main; results are kept; exit code 3.
class CheckError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Our own fault; never reachable from user input.
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

[[noreturn]] void assertion_failed(const char* condition, const char* why, const char* file, int line);

}  // namespace switchyard::base

/// States an invariant of our own code and why it holds.
#define SWITCHYARD_ASSERT(condition, why) \
  ((condition) ? void(0) : ::switchyard::base::assertion_failed(#condition, why, __FILE__, __LINE__))

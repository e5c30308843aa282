// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "platforms/config/place.h"

namespace switchyard::platforms {

/// Collects everything that is wrong with a configuration, so that the user sees it all in one go.
class Diagnostics {
 public:
  /// `path` is the dotted path of the value, empty for a file as a whole.
  /// `what` says what is wrong and what would be right, values included.
  void error(const Place& place, std::string_view path, std::string_view what);

  bool empty() const { return errors_.empty(); }
  std::size_t size() const { return errors_.size(); }
  /// No further errors are kept; they would only repeat one mistake a thousand times.
  bool full() const { return errors_.size() >= kMost; }

  /// `file:line:column: path: what`, in the order of files and lines.
  std::vector<std::string> messages() const;

  /// Throws one base::ConfigError with all messages, one a line; does nothing when there are none.
  void throw_if_any() const;

 private:
  static constexpr std::size_t kMost = 1000;
  struct Error {
    Place place;
    std::string message;
  };
  std::vector<Error> errors_;
};

}  // namespace switchyard::platforms

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace switchyard::platforms {

/// One configuration file or one `--set`, shared by everything that was read from it.
struct Source {
  std::string name;       // for messages: the path as given, or `--set a.b.c`
  std::string origin;     // for resolved files: a path that does not depend on the machine, or `--set`
  std::size_t order = 0;  // order of messages: files as they were opened, then the command line
};

/// Where a piece of configuration was written.
struct Place {
  std::shared_ptr<const Source> source;  // null: nowhere, the value is a default
  int line = 0;                          // from 1; 0 when the source has no lines (`--set`)
  int column = 0;                        // from 1, in characters; 0 when it is not known

  /// `file:line:column`, `--set a.b.c` or `default`.
  std::string text() const;
  /// `file:line`, `--set` or `default`: what the resolved configuration says about a value.
  std::string origin() const;
};

/// `a.b` or, below the root, `b`. A key that is not a plain word is quoted, as `--set` reads it.
std::string join_path(std::string_view parent, std::string_view key);
/// `a[2]`.
std::string join_path(std::string_view parent, std::size_t index);

}  // namespace switchyard::platforms

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "platforms/config/diagnostics.h"
#include "platforms/config/place.h"

namespace switchyard::platforms {

/// First line of a resolved configuration; its trailing comments are the origins of its values.
constexpr std::string_view kResolvedHeader = "# switchyard resolved configuration";

/// The text of one file or one `--set` value, free of byte order mark and carriage returns, with its lines.
class SourceText {
 public:
  SourceText(std::shared_ptr<const Source> source, std::string bytes);
  SourceText(const SourceText&) = delete;
  SourceText& operator=(const SourceText&) = delete;

  const std::string& text() const { return text_; }
  /// The place of a byte of `text()`.
  Place place(std::size_t offset) const;
  /// What the comment at the end of the line of `place` says, in a resolved configuration; empty elsewhere.
  std::string recorded_origin(const Place& place) const;

  /// Refuses what is not text or not indented with spaces: one error and false.
  bool check(Diagnostics& diagnostics) const;

 private:
  std::string_view line(std::size_t index) const;

  std::shared_ptr<const Source> source_;
  std::string text_;
  std::vector<std::size_t> line_starts_;    // [line - 1], byte offsets
  std::vector<std::string_view> comments_;  // [line - 1], in a resolved configuration; views of text_
};

}  // namespace switchyard::platforms

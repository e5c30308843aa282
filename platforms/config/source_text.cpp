// SPDX-License-Identifier: Apache-2.0
#include "platforms/config/source_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace switchyard::platforms {
namespace {

constexpr std::size_t kLongestMeasured = 4096;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

std::string normalised(std::string bytes) {
  while (bytes.starts_with(kByteOrderMark)) bytes.erase(0, kByteOrderMark.size());
  std::string out;
  out.reserve(bytes.size());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] != '\r') {
      out += bytes[i];
    } else if (i + 1 == bytes.size() || bytes[i + 1] != '\n') {
      out += '\n';  // a lone carriage return ends a line in YAML
    }
  }
  return out;
}

/// Length of the UTF-8 character at `at` (RFC 3629), 0 when there is none.
std::size_t utf8_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const unsigned first = byte(at);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xC2 && first < 0xE0 ? 2 : first >= 0xE0 && first < 0xF0 ? 3 : 4;
  if (first < 0xC2 || first > 0xF4) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(at + i) & 0xC0) != 0x80) return 0;
  const unsigned second = byte(at + 1);
  const bool is_overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
  const bool is_surrogate = first == 0xED && second >= 0xA0;
  const bool is_beyond = first == 0xF4 && second >= 0x90;
  return is_overlong || is_surrogate || is_beyond ? 0 : length;
}

bool is_text(unsigned char c) { return (c >= 0x20 && c != 0x7F) || c == '\n' || c == '\t'; }

/// Offset of the first byte that does not belong into a text file, npos when all is well.
std::size_t first_noise(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text, at);
    if (length == 0 || !is_text(static_cast<unsigned char>(text[at]))) return at;
    at += length;
  }
  return std::string_view::npos;
}

/// Offset of a tab in the indentation of a line with content, npos when there is none.
std::size_t first_indenting_tab(std::string_view line) {
  const std::size_t content = line.find_first_not_of(" \t");
  const std::size_t tab = line.find('\t');
  const bool indents = content != std::string_view::npos && line[content] != '#' && tab < content;
  return indents ? tab : std::string_view::npos;
}

/// The text of the comment at the end of a line of a resolved configuration, which quotes with " only.
std::string_view trailing_comment(std::string_view line) {
  bool in_quotes = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (in_quotes && line[i] == '\\') {
      ++i;
    } else if (line[i] == '"') {
      in_quotes = !in_quotes;
    } else if (!in_quotes && line[i] == '#' && i > 0 && line[i - 1] == ' ') {
      const std::size_t start = line.find_first_not_of(" \t", i + 1);
      const std::size_t end = line.find_last_not_of(" \t");
      return start == std::string_view::npos ? std::string_view() : line.substr(start, end - start + 1);
    }
  }
  return {};
}

}  // namespace

SourceText::SourceText(std::shared_ptr<const Source> source, std::string bytes)
    : source_(std::move(source)), text_(normalised(std::move(bytes))) {
  line_starts_.push_back(0);
  for (std::size_t i = 0; i < text_.size(); ++i)
    if (text_[i] == '\n') line_starts_.push_back(i + 1);
  if (!text_.starts_with(kResolvedHeader)) return;
  for (std::size_t i = 0; i < line_starts_.size(); ++i) comments_.push_back(trailing_comment(line(i)));
}

Place SourceText::place(std::size_t offset) const {
  if (source_->name.starts_with("--set ")) return {source_, 0, 0};
  offset = std::min(offset, text_.size());
  const auto next = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  const std::size_t start = *(next - 1);
  if (offset - start > kLongestMeasured)  // counting characters would take ages for a file of one line
    return {source_, static_cast<int>(next - line_starts_.begin()), static_cast<int>(offset - start) + 1};
  const auto characters = std::count_if(text_.begin() + static_cast<std::ptrdiff_t>(start),
                                        text_.begin() + static_cast<std::ptrdiff_t>(offset),
                                        [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
  return {source_, static_cast<int>(next - line_starts_.begin()), static_cast<int>(characters) + 1};
}

std::string_view SourceText::line(std::size_t index) const {
  const std::size_t start = line_starts_[index];
  const std::size_t end = index + 1 < line_starts_.size() ? line_starts_[index + 1] - 1 : text_.size();
  return std::string_view(text_).substr(start, end - start);
}

std::string SourceText::recorded_origin(const Place& place) const {
  const auto index = static_cast<std::size_t>(place.line - 1);
  return place.line > 0 && index < comments_.size() ? std::string(comments_[index]) : "";
}

bool SourceText::check(Diagnostics& diagnostics) const {
  const std::size_t noise = first_noise(text_);
  if (noise != std::string::npos) {
    diagnostics.error(place(noise), "",
                      fmt::format("byte 0x{:02X} is not text; a configuration is YAML in UTF-8",
                                  static_cast<unsigned>(static_cast<unsigned char>(text_[noise]))));
    return false;
  }
  for (std::size_t i = 0; i < line_starts_.size(); ++i) {
    const std::size_t tab = first_indenting_tab(line(i));
    if (tab == std::string_view::npos) continue;
    diagnostics.error(place(line_starts_[i] + tab), "", "tab used as indentation; indent with spaces");
    return false;
  }
  return true;
}

}  // namespace switchyard::platforms

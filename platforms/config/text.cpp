// SPDX-License-Identifier: Apache-2.0
#include "platforms/config/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace switchyard::platforms {
namespace {

constexpr std::size_t kLongestShown = 80;
constexpr std::size_t kLongestCompared = 64;  // bounds the cost of a suggestion

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }
bool is_alpha(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = lower(c);
  return result;
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

void append_escaped(std::string& out, char c) {
  if (c == '"' || c == '\\') {
    out += '\\';
    out += c;
  } else if (c == '\n') {
    out += "\\n";
  } else if (c == '\t') {
    out += "\\t";
  } else if (is_control(c)) {
    out += fmt::format("\\x{:02X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
  } else {
    out += c;
  }
}

/// Words that some YAML reader takes for a boolean, a null or a number.
bool is_reserved_word(std::string_view text) {
  constexpr std::array<std::string_view, 11> kWords{"true", "false", "yes", "no",  "on", "off",
                                                    "null", "y",     "n",   "inf", "nan"};
  return std::find(kWords.begin(), kWords.end(), lower(text)) != kWords.end();
}

/// Edits (insert, delete, replace, swap neighbours) between two words; optimal string alignment distance.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0u : 1u)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = last;
    last = row;
  }
  return last[b.size()];
}

}  // namespace

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) append_escaped(out, c);
  return out + '"';
}

std::string yaml_scalar(std::string_view text) {
  const bool safe = !text.empty() && is_alpha(text.front()) && !is_reserved_word(text) &&
                    std::all_of(text.begin(), text.end(), [](char c) {
                      return is_alpha(c) || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.' || c == '/';
                    });
  return safe ? std::string(text) : quoted(text);
}

std::string shown(std::string_view text) {
  const bool is_long = text.size() > kLongestShown;
  if (is_long) {
    std::size_t end = kLongestShown;  // not inside a UTF-8 character
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
    text = text.substr(0, end);
  }
  std::string out;
  for (const char c : text) {
    if (is_control(c)) {
      append_escaped(out, c);
    } else {
      out += c;
    }
  }
  return is_long ? out + "..." : out;
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
  return fmt::format("{}", fmt::join(parts.begin(), parts.end(), separator));
}

std::string nearest(std::string_view wrong, std::span<const std::string> valid) {
  if (wrong.empty() || wrong.size() > kLongestCompared) return "";
  const std::string word = lower(wrong);
  std::string best;
  std::size_t best_distance = kLongestCompared;
  for (const std::string& name : valid) {
    if (name.empty() || name.size() > kLongestCompared) continue;
    const std::string candidate = lower(name);
    const bool is_prefix = word.size() >= 3 && candidate.starts_with(word);
    const std::size_t edits = std::min<std::size_t>(distance(word, candidate), is_prefix ? 1 : kLongestCompared);
    const std::size_t allowed = std::max<std::size_t>(1, std::max(word.size(), candidate.size()) / 3);
    if (edits <= allowed && edits < best_distance) {
      best = name;
      best_distance = edits;
    }
  }
  return best;
}

std::string allowed_names(std::string_view wrong, std::span<const std::string> valid) {
  const std::string guess = nearest(wrong, valid);
  const std::string list = valid.empty() ? "none" : join(valid);
  return guess.empty() ? fmt::format("; allowed: {}", list)
                       : fmt::format("; did you mean {}? allowed: {}", guess, list);
}

}  // namespace switchyard::platforms

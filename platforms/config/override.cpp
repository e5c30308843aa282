// SPDX-License-Identifier: Apache-2.0
#include "platforms/config/override.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <vector>

#include "platforms/config/source_text.h"
#include "platforms/config/text.h"

namespace switchyard::platforms {
namespace {

using Kind = ConfigNode::Kind;

/// One step of a path: into a key or into an item of a list.
struct Step {
  std::string key;
  std::optional<std::size_t> index;
};

struct Override {
  std::vector<Step> path;
  std::string path_text;
  std::string value;
  std::string error;
};

/// Reads `a."b c"[2]=value` from left to right.
class OverrideReader {
 public:
  explicit OverrideReader(const std::string& text) : text_(text) {}

  Override read() {
    Override result;
    do {
      if (!read_key(result) || !read_indices(result)) return result;
      if (result.path.size() > kDeepestNesting) return refuse(result, "the path is too long");
    } while (skip('.'));
    if (!skip('=')) return refuse(result, "expected PATH=VALUE, such as modules.l1.params.ways=8");
    result.path_text = text_.substr(0, at_ - 1);
    result.value = text_.substr(at_);
    return result;
  }

 private:
  bool skip(char c) {
    const bool is_there = at_ < text_.size() && text_[at_] == c;
    at_ += is_there ? 1 : 0;
    return is_there;
  }

  bool read_key(Override& result) {
    const bool is_quoted = skip('"');
    const std::size_t end = is_quoted ? text_.find('"', at_) : text_.find_first_of(".[]=", at_);
    const std::string key = text_.substr(at_, end == std::string::npos ? end : end - at_);
    if (is_quoted && end == std::string::npos) {
      refuse(result, "the closing \" is missing");
    } else if (key.empty()) {
      refuse(result, "a key is missing in the path; expected PATH=VALUE, such as modules.l1.params.ways=8");
    } else {
      result.path.push_back({key, std::nullopt});
      at_ = end == std::string::npos ? text_.size() : end + (is_quoted ? 1 : 0);
    }
    return result.error.empty();
  }

  bool read_indices(Override& result) {
    while (skip('[')) {
      std::size_t index = 0;
      const char* const end = text_.data() + text_.size();
      const auto [next, failure] = std::from_chars(text_.data() + at_, end, index);
      if (failure != std::errc() || next == end || *next != ']') {
        refuse(result, "expected the number of a list item in brackets, such as [2]");
        return false;
      }
      at_ = static_cast<std::size_t>(next - text_.data()) + 1;
      result.path.push_back({"", index});
    }
    return true;
  }

  static Override& refuse(Override& result, std::string_view why) {
    result.error = why;
    return result;
  }

  const std::string& text_;
  std::size_t at_ = 0;
};

ConfigNode null_node(const Place& place) {
  ConfigNode node;
  node.place = place;
  return node;
}

/// The node that `step` leads to, created when it is a key; nullptr with a message in `error`.
ConfigNode* follow(ConfigNode& from, const Step& step, const Place& place, std::string& error) {
  if (step.index) {
    if (from.kind != Kind::sequence) {
      error = fmt::format("found {} where [{}] needs a list; set the whole list", from.description(), *step.index);
    } else if (*step.index >= from.items.size()) {
      error = fmt::format("item {} does not exist; the list has {} and counts from 0", *step.index, from.items.size());
    } else {
      return &from.items[*step.index];
    }
    return nullptr;
  }
  if (from.kind == Kind::sequence) {
    error = fmt::format("found a list of {} where a key was expected; name an item, such as [0].{}", from.items.size(),
                        step.key);
    return nullptr;
  }
  if (from.kind != Kind::map) {
    from = null_node(place);
    from.kind = Kind::map;
  }
  ConfigNode* known = from.find(step.key);
  return known ? known : &from.add({step.key, place}, null_node(place));
}

bool has_index_after(const Override& parsed, std::size_t i) {
  return std::any_of(parsed.path.begin() + static_cast<std::ptrdiff_t>(i), parsed.path.end(),
                     [](const Step& step) { return step.index.has_value(); });
}

/// Walks to the value to replace. `x.value` of an annotated value stands for the whole, because the new value is not
/// what the annotation speaks of.
ConfigNode* locate(ConfigNode& root, const Override& parsed, const Place& place, std::string& error) {
  ConfigNode* node = &root;
  for (std::size_t i = 0; i < parsed.path.size() && node; ++i) {
    const Step& step = parsed.path[i];
    const bool is_last = i + 1 == parsed.path.size();
    if (is_last && step.key == "value" && is_annotated(*node)) return node;
    const bool is_new = !step.index && (node->kind != Kind::map || !node->find(step.key));
    if (is_new && has_index_after(parsed, i)) {
      error = fmt::format("no file has a list below {}; set the whole list", step.key);
      return nullptr;
    }
    node = follow(*node, parsed.path[i], place, error);
  }
  return node;
}

}  // namespace

bool apply_override(ConfigNode& root, const std::string& text, std::size_t order, ParseBudget& budget,
                    Diagnostics& diagnostics) {
  const Override parsed = OverrideReader(text).read();
  const std::string name = "--set " + shown(parsed.error.empty() ? parsed.path_text : text);
  const auto source = std::make_shared<const Source>(Source{name, "--set", order});
  const Place place{source, 0, 0};
  if (!parsed.error.empty()) {
    diagnostics.error(place, "", parsed.error);
    return false;
  }
  std::optional<ConfigNode> value = parse_yaml(SourceText(source, parsed.value), budget, diagnostics);
  if (!value) return false;
  value->place = place;
  std::string error;
  ConfigNode* target = locate(root, parsed, place, error);
  if (target) {
    *target = *std::move(value);
  } else {
    diagnostics.error(place, "", error);
  }
  return true;
}

}  // namespace switchyard::platforms

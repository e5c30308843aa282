// SPDX-License-Identifier: Apache-2.0
#include "platforms/config/yaml_parser.h"

#include <fmt/format.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>
#include <utility>

#include "platforms/config/tree_builder.h"

namespace switchyard::platforms {
namespace {

/// Accepts nothing: whatever follows the first document is a fault.
class NoMoreDocuments : public TreeBuilder {
 public:
  NoMoreDocuments(const SourceText& text, ParseBudget& budget, Diagnostics& diagnostics)
      : TreeBuilder(text, budget, diagnostics), source_(text) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    const std::size_t offset = std::min(static_cast<std::size_t>(mark.pos), source_.text().size());
    const bool is_marked = source_.text().compare(offset, 3, "---") == 0;
    throw ParseFailure{source_.place(offset), "",
                       is_marked ? "a second document starts here; a file holds one document"
                                 : "not valid YAML: this does not belong to what stands above; check the indentation"};
  }

 private:
  const SourceText& source_;
};

/// What the short messages of yaml-cpp mean for the reader.
std::string explained(const std::string& message) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kHints{{
      {"illegal map value", "check the indentation, or put a text that holds ':' in quotes"},
      {"end of map not found", "check the indentation"},
      {"end of sequence not found", "check the indentation"},
      {"end of map flow not found", "a ',' or '}' is missing"},
      {"end of sequence flow not found", "a ',' or ']' is missing"},
      {"illegal EOF in scalar", "the closing quote is missing"},
      {"unknown token", "put a text that starts with this character in quotes"},
  }};
  for (const auto& [text, hint] : kHints)
    if (text == message) return fmt::format("not valid YAML: {}; {}", message, hint);
  return fmt::format("not valid YAML: {}", message);
}

ConfigNode parse(const SourceText& text, ParseBudget& budget, Diagnostics& diagnostics) {
  std::istringstream input(text.text());
  YAML::Parser parser(input);
  TreeBuilder builder(text, budget, diagnostics);
  if (!parser.HandleNextDocument(builder)) return {};
  ConfigNode root = builder.take_root();
  NoMoreDocuments rest(text, budget, diagnostics);
  parser.HandleNextDocument(rest);
  return root;
}

}  // namespace

std::optional<ConfigNode> parse_yaml(const SourceText& text, ParseBudget& budget, Diagnostics& diagnostics) {
  if (!text.check(diagnostics)) return std::nullopt;
  try {
    return parse(text, budget, diagnostics);
  } catch (const ParseFailure& failure) {
    diagnostics.error(failure.place, failure.path, failure.what);
  } catch (const YAML::Exception& error) {
    const auto offset = error.mark.is_null() ? 0 : static_cast<std::size_t>(error.mark.pos);
    diagnostics.error(text.place(offset), "", explained(error.msg));
  }
  return std::nullopt;
}

}  // namespace switchyard::platforms

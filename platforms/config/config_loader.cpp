// SPDX-License-Identifier: Apache-2.0
#include "platforms/config/config_loader.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>

#include "platforms/config/file_text.h"
#include "platforms/config/override.h"
#include "platforms/config/text.h"
#include "platforms/config/yaml_parser.h"

namespace switchyard::platforms {
namespace {

namespace fs = std::filesystem;
using Kind = ConfigNode::Kind;

constexpr std::size_t kMostFiles = 1000;
constexpr std::size_t kFirstOverride = 1u << 31;  // messages about files come first

/// False when one of them cannot be read at all.
bool apply_all(ConfigTree& tree, const std::vector<std::string>& sets, ParseBudget& budget, Diagnostics& diagnostics) {
  bool is_good = true;
  for (std::size_t i = 0; i < sets.size(); ++i)
    is_good &= apply_override(tree.root, sets[i], kFirstOverride + i, budget, diagnostics);
  return is_good;
}

class Loader {
 public:
  Loader(const std::vector<std::string>& files, Diagnostics& diagnostics)
      : diagnostics_(diagnostics), root_(files.empty() ? fs::path() : fs::path(files.front()).parent_path()) {}

  ConfigTree load(const std::vector<std::string>& files, const std::vector<std::string>& sets);

 private:
  ConfigNode load_file(const fs::path& path, const Place* included_at);
  std::optional<ConfigNode> parse_file(const fs::path& path, const Place* included_at);
  void take_schema(ConfigNode& root, const Place& start, bool is_required);
  ConfigNode load_includes(const ConfigNode& list, const fs::path& includer);
  bool closes_cycle(const fs::path& path, const Place& included_at);
  void fail(const Place& place, std::string_view path, const std::string& what);

  Diagnostics& diagnostics_;
  const fs::path root_;  // the directory of the first file
  ParseBudget budget_;
  std::size_t opened_ = 0;
  bool is_broken_ = false;
  std::vector<fs::path> names_;  // of the files that are being read, outermost first
};

ConfigTree Loader::load(const std::vector<std::string>& files, const std::vector<std::string>& sets) {
  ConfigTree tree;
  tree.root.kind = Kind::map;
  for (const std::string& file : files) merge_over(tree.root, load_file(file, nullptr));
  is_broken_ |= !apply_all(tree, sets, budget_, diagnostics_);
  if (is_broken_) diagnostics_.throw_if_any();
  return tree;
}

ConfigNode Loader::load_file(const fs::path& path, const Place* included_at) {
  const bool is_first = opened_ == 0;
  std::optional<ConfigNode> own = parse_file(path, included_at);
  is_broken_ |= !own;
  if (!own) return {};
  take_schema(*own, own->place, is_first);
  const ConfigNode includes = own->take("include");
  names_.push_back(path);
  ConfigNode result = load_includes(includes, path);
  names_.pop_back();
  merge_over(result, *std::move(own));
  return result;
}

std::optional<ConfigNode> Loader::parse_file(const fs::path& path, const Place* included_at) {
  const auto source =
      std::make_shared<const Source>(Source{path.generic_string(), portable_name(path, root_), opened_++});
  const Place whole{source, 0, 0};
  FileText file = read_file(path);
  if (!file.error.empty()) {
    const std::string what = fmt::format("cannot read {}: {}", source->name, file.error);
    if (included_at) {
      diagnostics_.error(*included_at, "include", what);
    } else {
      diagnostics_.error(whole, "", fmt::format("cannot read this file: {}", file.error));
    }
    return std::nullopt;
  }
  const SourceText text(source, std::move(file.bytes));
  std::optional<ConfigNode> root = parse_yaml(text, budget_, diagnostics_);
  if (root && root->kind == Kind::null) {
    diagnostics_.error(whole, "", "the file is empty; a configuration starts with `schema: 1`");
    return std::nullopt;
  }
  if (root && root->kind != Kind::map) {
    diagnostics_.error(root->place, "", fmt::format("expected keys and values, found {}", root->description()));
    return std::nullopt;
  }
  return root;
}

void Loader::take_schema(ConfigNode& root, const Place& start, bool is_required) {
  const bool is_given = root.find("schema") != nullptr;
  const ConfigNode version = root.take("schema");
  if (!is_given && is_required) {
    diagnostics_.error(start, "schema", fmt::format("the key is missing; write `schema: {}`", kSchemaVersion));
  } else if (is_given && (version.quoted || version.text != fmt::format("{}", kSchemaVersion))) {
    diagnostics_.error(version.place, "schema",
                       fmt::format("this program reads schema {}, found {}", kSchemaVersion, version.description()));
  }
}

ConfigNode Loader::load_includes(const ConfigNode& list, const fs::path& includer) {
  ConfigNode result;
  result.kind = Kind::map;
  if (list.kind != Kind::sequence && list.place.source) {
    diagnostics_.error(list.place, "include",
                       fmt::format("expected a list of files such as [common.yaml], found {}", list.description()));
    is_broken_ = true;
  }
  for (std::size_t i = 0; list.kind == Kind::sequence && i < list.items.size(); ++i) {
    const ConfigNode& item = list.items[i];
    if (item.kind != Kind::scalar) {
      fail(item.place, join_path("include", i), fmt::format("expected a file name, found {}", item.description()));
    } else if (opened_ >= kMostFiles) {
      fail(item.place, "include", fmt::format("more than {} files are included", kMostFiles));
      break;
    } else {
      const fs::path path = (includer.parent_path() / item.text).lexically_normal();
      if (!closes_cycle(path, item.place)) merge_over(result, load_file(path, &item.place));
    }
  }
  return result;
}

bool Loader::closes_cycle(const fs::path& path, const Place& included_at) {
  std::error_code ignored;
  const auto first = std::find_if(names_.begin(), names_.end(),
                                  [&](const fs::path& open) { return fs::equivalent(open, path, ignored); });
  if (first == names_.end()) return false;
  std::string chain;
  for (auto name = first; name != names_.end(); ++name) chain += name->generic_string() + " -> ";
  fail(included_at, "include", fmt::format("the files include each other: {}{}", chain, first->generic_string()));
  return true;
}

void Loader::fail(const Place& place, std::string_view path, const std::string& what) {
  diagnostics_.error(place, path, what);
  is_broken_ = true;
}

}  // namespace

ConfigTree load_config(const std::vector<std::string>& files, const std::vector<std::string>& sets,
                       Diagnostics& diagnostics) {
  return Loader(files, diagnostics).load(files, sets);
}

void apply_overrides(ConfigTree& tree, const std::vector<std::string>& sets, Diagnostics& diagnostics) {
  ParseBudget budget;
  if (!apply_all(tree, sets, budget, diagnostics)) diagnostics.throw_if_any();
}

}  // namespace switchyard::platforms

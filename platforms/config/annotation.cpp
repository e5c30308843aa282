// SPDX-License-Identifier: Apache-2.0
#include "platforms/config/annotation.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "platforms/config/text.h"

namespace switchyard::platforms {
namespace {

using Kind = ConfigNode::Kind;

const std::vector<std::string> kKeys{"value", "from", "ref"};

void check_keys(const ConfigNode& node, const std::string& path, Diagnostics& diagnostics) {
  for (const ConfigNode::Key& key : node.keys) {
    if (std::find(kKeys.begin(), kKeys.end(), key.name) == kKeys.end())
      diagnostics.error(key.place, join_path(path, key.name), "unknown key" + allowed_names(key.name, kKeys));
  }
  if (!node.find("value"))
    diagnostics.error(node.place, path, "the annotated value has no `value`; write {value: ..., from: ..., ref: ...}");
}

std::string read_from(const ConfigNode& node, const std::string& path, Diagnostics& diagnostics) {
  const std::vector<std::string> allowed(kKnownFrom.begin(), kKnownFrom.end());
  const ConfigNode* from = node.find("from");
  if (!from) {
    diagnostics.error(node.place, path,
                      fmt::format("the annotated value does not say where it is `from`; allowed: {}", join(allowed)));
    return "";
  }
  if (std::find(allowed.begin(), allowed.end(), from->text) == allowed.end()) {
    diagnostics.error(from->place, join_path(path, "from"),
                      from->kind == Kind::scalar
                          ? fmt::format("unknown value {}{}", shown(from->text), allowed_names(from->text, allowed))
                          : fmt::format("expected one of {}, found {}", join(allowed), from->description()));
    return "";
  }
  return from->text;
}

std::string read_ref(const ConfigNode& node, const std::string& from, const std::string& path,
                     Diagnostics& diagnostics) {
  const ConfigNode* ref = node.find("ref");
  const bool is_given = ref && ref->kind == Kind::scalar && !ref->text.empty();
  if (is_given) return ref->text;
  if (ref) {
    diagnostics.error(ref->place, join_path(path, "ref"),
                      "expected the text that names the source, found " + ref->description());
  } else if (!from.empty() && from != "assumed") {
    diagnostics.error(node.place, path, fmt::format("a {} value names its source; add ref: \"...\"", from));
  }
  return "";
}

}  // namespace

std::optional<AnnotatedValue> annotated_value(const ConfigNode& node, const std::string& path,
                                              Diagnostics& diagnostics) {
  const bool speaks_of_source = node.kind == Kind::map && (node.find("value") || node.find("from"));
  if (!speaks_of_source) return AnnotatedValue{&node, "", ""};
  const std::size_t errors = diagnostics.size();
  check_keys(node, path, diagnostics);
  const std::string from = read_from(node, path, diagnostics);
  const std::string ref = read_ref(node, from, path, diagnostics);
  if (diagnostics.size() != errors || diagnostics.full()) return std::nullopt;
  return AnnotatedValue{node.find("value"), from, ref};
}

}  // namespace switchyard::platforms

// SPDX-License-Identifier: Apache-2.0
#include "platforms/config/param_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "platforms/config/text.h"

namespace switchyard::platforms {

using base::ParamDoc;
using base::ParamSet;
using Kind = ConfigNode::Kind;

void read_params(const ConfigTree& tree, ParamSet& params, Diagnostics& diagnostics, Provenance& provenance) {
  ParamReader(diagnostics, provenance).read_group(tree.root, "", params);
}

void ParamReader::read_group(const ConfigNode& node, const std::string& path, ParamSet& params) {
  if (node.kind != Kind::map && node.kind != Kind::null)
    return error(node, path, "expected keys and values, found " + node.description());
  record_collection(node, path);
  const std::size_t errors = diagnostics_.size();
  groups_.push_back({node, path, {}});
  params.visit(*this);
  refuse_unknown_keys(groups_.back());
  groups_.pop_back();
  if (diagnostics_.size() != errors) return;  // the combination of values means nothing yet
  if (const std::string fault = params.check(); !fault.empty()) error(node, path, fault);
}

const ConfigNode* ParamReader::take(const ParamDoc& doc) {
  Group& group = groups_.back();
  group.known.emplace_back(doc.key);
  const ConfigNode* node = group.node.find(doc.key);
  if (!node && doc.required)
    error(group.node, path_of(doc), fmt::format("the key is missing; it is required: {}", doc.text));
  return node;
}

const ConfigNode* ParamReader::take_collection(const ParamDoc& doc, Kind kind, std::string_view expected) {
  const ConfigNode* node = take(doc);
  if (!node || node->kind == kind || node->kind == Kind::null) return node;
  error(*node, path_of(doc), fmt::format("expected {}, found {}", expected, node->description()));
  return nullptr;
}

void ParamReader::refuse_unknown_keys(const Group& group) {
  for (const ConfigNode::Key& key : group.node.keys) {
    if (diagnostics_.full()) return;
    if (std::find(group.known.begin(), group.known.end(), key.name) == group.known.end())
      diagnostics_.error(key.place, join_path(group.path, key.name),
                         "unknown key" + allowed_names(key.name, group.known));
  }
}

void ParamReader::error(const ConfigNode& node, std::string_view path, std::string_view what) {
  diagnostics_.error(node.place, path, what);
}

void ParamReader::record(const AnnotatedValue& value, const std::string& path, const std::string& text) {
  provenance_.record({path, text, value.from, value.ref, value.node->origin()});
}

void ParamReader::record_collection(const ConfigNode& node, const std::string& path) {
  provenance_.record({path, "", "", "", node.origin()});
}

void ParamReader::object(const ParamDoc& doc, ParamSet& field) {
  if (const ConfigNode* node = take(doc)) read_group(*node, path_of(doc), field);
}

void ParamReader::typed(const ParamDoc& type_doc, std::string& name, const ParamDoc& doc,
                        std::unique_ptr<ParamSet>& field, const base::ParamSetFactory& factory) {
  const ConfigNode* type = take(type_doc);
  std::string wanted = name;
  const std::size_t errors = diagnostics_.size();
  if (type) read_text(*type, path_of(type_doc), wanted, "the name of a type");
  const bool is_new = !field || wanted != name;
  std::unique_ptr<ParamSet> fresh = is_new && !wanted.empty() ? factory.make(wanted) : nullptr;
  const ConfigNode* node = take(doc);
  if (diagnostics_.size() != errors) return;
  if (is_new && !fresh) {
    if (type) {
      error(*type, path_of(type_doc),
            fmt::format("unknown type {}{}", shown(wanted), allowed_names(wanted, factory.names())));
    } else if (node && !type_doc.required) {
      error(*node, path_of(type_doc), fmt::format("the key is missing; {} depends on it", doc.key));
    }
    return;
  }
  if (is_new) {
    name = wanted;
    field = std::move(fresh);
  }
  ConfigNode nothing;
  nothing.place = groups_.back().node.place;
  read_group(node ? *node : nothing, path_of(doc), *field);
}

void ParamReader::steps(const ParamDoc& doc, std::vector<std::pair<std::string, std::unique_ptr<ParamSet>>>& field,
                        const base::ParamSetFactory& factory) {
  const ConfigNode* node = take_collection(doc, Kind::sequence, "a list of steps such as [{NAME: {...}}]");
  if (!node) return;
  const std::string path = path_of(doc);
  record_collection(*node, path);
  std::vector<std::pair<std::string, std::unique_ptr<ParamSet>>> result(node->items.size());
  bool is_good = true;
  for (std::size_t i = 0; i < result.size(); ++i)
    is_good &= read_step(node->items[i], join_path(path, i), result[i], factory);
  if (is_good) field = std::move(result);
}

bool ParamReader::read_step(const ConfigNode& node, const std::string& path,
                            std::pair<std::string, std::unique_ptr<ParamSet>>& step,
                            const base::ParamSetFactory& factory) {
  if (node.kind != Kind::map || node.keys.size() != 1) {
    const std::string found =
        node.kind == Kind::map ? fmt::format("a map with {} keys", node.keys.size()) : node.description();
    const bool is_name = node.kind == Kind::scalar && factory.make(node.text);
    error(node, path,
          fmt::format("expected one step such as {{{}: {{...}}}}, found {}", is_name ? node.text : "NAME", found));
    return false;
  }
  const ConfigNode::Key& key = node.keys.front();
  step = {key.name, factory.make(key.name)};
  if (step.second) {
    read_group(node.items.front(), join_path(path, key.name), *step.second);
  } else {
    diagnostics_.error(key.place, path,
                       fmt::format("unknown step {}{}", shown(key.name), allowed_names(key.name, factory.names())));
  }
  return step.second != nullptr;
}

std::size_t ParamReader::begin_sequence(const ParamDoc& doc, std::size_t size) {
  const ConfigNode* node = take_collection(doc, Kind::sequence, "a list of maps such as [{...}, {...}]");
  const std::string path = path_of(doc);
  if (node) record_collection(*node, path);
  collections_.push_back({node, path});
  return node ? node->items.size() : size;
}

void ParamReader::item(std::size_t index, ParamSet& value) {
  const Collection collection = collections_.back();  // a copy: reading the item may grow the stack
  if (collection.node) read_group(collection.node->items[index], join_path(collection.path, index), value);
}

std::vector<std::string> ParamReader::begin_named(const ParamDoc& doc, const std::vector<std::string>& keys) {
  const ConfigNode* node = take_collection(doc, Kind::map, "a map of names such as {NAME: {...}}");
  const std::string path = path_of(doc);
  if (node) record_collection(*node, path);
  collections_.push_back({node, path});
  std::vector<std::string> result;
  if (node)
    for (const ConfigNode::Key& key : node->keys) result.push_back(key.name);
  for (const std::string& key : keys)
    if (!node || !node->find(key)) result.push_back(key);
  return result;
}

void ParamReader::named_item(const std::string& name, ParamSet& value) {
  const Collection collection = collections_.back();
  const ConfigNode* node = collection.node ? collection.node->find(name) : nullptr;
  if (node) read_group(*node, join_path(collection.path, name), value);
}

}  // namespace switchyard::platforms

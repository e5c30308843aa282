// SPDX-License-Identifier: Apache-2.0
#include "sc_main/experiment_parameters.h"

#include <string>
#include <string_view>
#include <utility>

#include "platforms/config/leaf_visitor.h"
#include "platforms/config/place.h"
#include "platforms/config/value_text.h"

namespace switchyard::cli {
namespace {

using platforms::join_path;
using platforms::Leaf;
using platforms::LeafType;

ParameterValue parameter_value(const Leaf& leaf, std::string path) {
  ParameterValue result{std::move(path), ParameterValue::Kind::other, 0, leaf.yaml()};
  if (leaf.type == LeafType::integer) {
    result.kind = ParameterValue::Kind::count;
    result.value = platforms::parse_integer(result.text).value;
  } else if (leaf.type == LeafType::latency) {
    const base::Latency latency = platforms::parse_latency(result.text).value;
    if (latency.unit == base::Latency::Unit::cycles) result.kind = ParameterValue::Kind::cycles;
    result.value = latency.value;
  }
  return result;
}

class ParameterLister : public platforms::LeafVisitor {
 public:
  using ParamDoc = base::ParamDoc;
  using ParamSet = base::ParamSet;

  std::vector<ParameterValue> take() { return std::move(values_); }

  void object(const ParamDoc& doc, ParamSet& field) override { below(path_of(doc), field); }
  void typed(const ParamDoc&, std::string&, const ParamDoc& doc, std::unique_ptr<ParamSet>& field,
             const base::ParamSetFactory&) override {
    if (field) below(path_of(doc), *field);
  }
  void steps(const ParamDoc& doc, std::vector<std::pair<std::string, std::unique_ptr<ParamSet>>>& field,
             const base::ParamSetFactory&) override {
    for (std::size_t i = 0; i < field.size(); ++i)
      below(join_path(join_path(path_of(doc), i), field[i].first), *field[i].second);
  }

 protected:
  void leaf(const Leaf& leaf) override {
    if (!leaf.is_list()) values_.push_back(parameter_value(leaf, path_of(leaf.doc)));
  }
  std::size_t begin_sequence(const ParamDoc& doc, std::size_t size) override {
    paths_.push_back(path_of(doc));
    return size;
  }
  void item(std::size_t index, ParamSet& value) override { below(join_path(paths_.back(), index), value); }
  void end_sequence() override { paths_.pop_back(); }
  std::vector<std::string> begin_named(const ParamDoc& doc, const std::vector<std::string>& keys) override {
    paths_.push_back(path_of(doc));
    return keys;
  }
  void named_item(const std::string& name, ParamSet& value) override { below(join_path(paths_.back(), name), value); }
  void end_named() override { paths_.pop_back(); }

 private:
  std::string path_of(const ParamDoc& doc) const { return join_path(paths_.back(), doc.key); }
  void below(std::string path, ParamSet& params) {
    paths_.push_back(std::move(path));
    params.visit(*this);
    paths_.pop_back();
  }

  std::vector<std::string> paths_{""};
  std::vector<ParameterValue> values_;
};

}  // namespace

std::vector<ParameterValue> list_parameter_values(base::ParamSet& params) {
  ParameterLister lister;
  params.visit(lister);
  return lister.take();
}

}  // namespace switchyard::cli

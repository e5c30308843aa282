// SPDX-License-Identifier: Apache-2.0
#include "platforms/config/required_keys.h"

#include "platforms/config/leaf_visitor.h"

namespace switchyard::platforms {
namespace {

using base::ParamDoc;
using base::ParamSet;

/// Looks at the keys of one group, not below them.
class RequiredKeys : public LeafVisitor {
 public:
  bool found() const { return found_; }

  void object(const ParamDoc& doc, ParamSet&) override { note(doc); }
  void typed(const ParamDoc& type_doc, std::string&, const ParamDoc& doc, std::unique_ptr<ParamSet>&,
             const base::ParamSetFactory&) override {
    note(type_doc);
    note(doc);
  }
  void steps(const ParamDoc& doc, std::vector<std::pair<std::string, std::unique_ptr<ParamSet>>>&,
             const base::ParamSetFactory&) override {
    note(doc);
  }

 protected:
  void leaf(const Leaf& leaf) override { note(leaf.doc); }
  std::size_t begin_sequence(const ParamDoc& doc, std::size_t size) override {
    note(doc);
    return size;
  }
  void item(std::size_t, ParamSet&) override {}
  void end_sequence() override {}
  std::vector<std::string> begin_named(const ParamDoc& doc, const std::vector<std::string>& keys) override {
    note(doc);
    return keys;
  }
  void named_item(const std::string&, ParamSet&) override {}
  void end_named() override {}

 private:
  void note(const ParamDoc& doc) { found_ |= doc.required; }

  bool found_ = false;
};

}  // namespace

bool has_required_keys(ParamSet& params) {
  RequiredKeys visitor;
  params.visit(visitor);
  return visitor.found();
}

}  // namespace switchyard::platforms

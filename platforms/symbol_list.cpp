// SPDX-License-Identifier: Apache-2.0
#include "platforms/symbol_list.h"

#include <algorithm>
#include <optional>

#include "platforms/config/leaf_visitor.h"
#include "platforms/config/value_text.h"

namespace switchyard::platforms {
namespace {

/// Looks for a size called `line` among the parameters of one module.
class LineSize : public LeafVisitor {
 public:
  std::uint64_t bytes() const { return bytes_; }

  void object(const base::ParamDoc&, base::ParamSet&) override {}
  void typed(const base::ParamDoc&, std::string&, const base::ParamDoc&, std::unique_ptr<base::ParamSet>&,
             const base::ParamSetFactory&) override {}
  void steps(const base::ParamDoc&, std::vector<std::pair<std::string, std::unique_ptr<base::ParamSet>>>&,
             const base::ParamSetFactory&) override {}

 protected:
  void leaf(const Leaf& leaf) override {
    if (leaf.type == LeafType::size && leaf.doc.key == "line") bytes_ = parse_bytes(leaf.values.front()).value.value;
  }
  std::size_t begin_sequence(const base::ParamDoc&, std::size_t) override { return 0; }
  void item(std::size_t, base::ParamSet&) override {}
  void end_sequence() override {}
  std::vector<std::string> begin_named(const base::ParamDoc&, const std::vector<std::string>& keys) override {
    return keys;
  }
  void named_item(const std::string&, base::ParamSet&) override {}
  void end_named() override {}

 private:
  std::uint64_t bytes_ = 0;
};

std::string module_of(const std::string& port) { return port.substr(0, port.find_first_of("[.")); }

/// Whether the port is one that member 0 of an array has.
bool is_of_first(const std::string& port) {
  const std::size_t at = port.find('[');
  return at == std::string::npos || port[at + 1] == '*' || port.substr(at, 3) == "[0]";
}

std::uint64_t line_of(RunConfig& config, const std::string& name) {
  LineSize size;
  for (auto& [key, module] : config.modules)
    if (key == name && module.model.params) module.model.params->visit(size);
  return size.bytes();
}

}  // namespace

CoherenceGranule find_granule(RunConfig& config, const std::string& cpu) {
  std::vector<std::string> reached{cpu};
  for (std::size_t i = 0; i < reached.size(); ++i) {
    for (const WireConfig& wire : config.wires) {
      if (module_of(wire.from) != reached[i] || (i == 0 && !(wire.from.ends_with(".data") && is_of_first(wire.from))))
        continue;
      const std::string next = module_of(wire.to);
      if (const std::uint64_t bytes = line_of(config, next); bytes != 0) return {bytes, next};
      if (std::find(reached.begin(), reached.end(), next) == reached.end()) reached.push_back(next);
    }
  }
  return {};
}

}  // namespace switchyard::platforms

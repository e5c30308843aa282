// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/params.h"
#include "platforms/registries.h"
#include "workloads/workload.h"

namespace switchyard::platforms {

/// A part of a configuration whose parameters its type decides.
struct TypedConfig {
  std::string type;
  std::unique_ptr<base::ParamSet> params;
};

/// `modules: {l1: {type: cache, count: 4, params: {...}}}`. With `count` the module is an array: `l1[0]`, `l1[1]`, ...
struct ModuleConfig : base::ParamSet {
  explicit ModuleConfig(const sim::ModelRegistry& models) : registry(&models) {}
  TypedConfig model;
  std::uint64_t count = 0;
  const sim::ModelRegistry* registry;
  bool is_array() const { return count != 0; }
  void visit(base::ParamVisitor& v) override;
};

/// `{from: "l1[*].mem", to: l2.cpu}`
struct WireConfig : base::ParamSet {
  std::string from, to;
  void visit(base::ParamVisitor& v) override;
};

/// `firmware:` or `kernel:`.
template <class Registry>
struct SoftwareConfig : base::ParamSet {
  SoftwareConfig(const Registry& types, std::string default_type)
      : model{default_type, types.make(default_type)}, registry(&types) {}
  TypedConfig model;
  const Registry* registry;
  void visit(base::ParamVisitor& v) override {
    v.typed({"type", "Which one"}, model.type, {"params", "Its parameters"}, model.params, *registry);
  }
};

/// When the measured loop may stop before its count.
struct UntilConfig : base::ParamSet {
  base::Fraction relative_ci{0.005};
  std::uint64_t warm_up = 3;
  std::uint64_t min_iterations = 20;
  std::uint64_t max_iterations = 0;
  base::Duration min_time{0};
  void visit(base::ParamVisitor& v) override;
};

/// `run:`
struct RunOptions : base::ParamSet {
  UntilConfig until;
  base::Duration time_limit{1'000'000'000'000'000};
  std::uint64_t delta_limit = 1'000'000;
  bool check = false;
  void visit(base::ParamVisitor& v) override;
};

/// A whole run: machine, software, workload. The one schema of all files that are not experiments.
struct RunConfig : base::ParamSet {
  explicit RunConfig(const Registries& registries);

  std::string name, description;
  std::uint64_t seed = 1;
  base::Duration quantum{10'000'000};
  std::vector<std::pair<std::string, ModuleConfig>> modules;
  std::vector<WireConfig> wires;
  SoftwareConfig<interrupt::FirmwareRegistry> firmware;
  SoftwareConfig<kernel::KernelRegistry> kernel;
  workloads::WorkloadParams workload;
  RunOptions run;
  const Registries& registries;

  void visit(base::ParamVisitor& v) override;
  std::string check() const override;
};

}  // namespace switchyard::platforms

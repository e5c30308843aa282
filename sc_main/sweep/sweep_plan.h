// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "platforms/config/config_tree.h"
#include "platforms/registries.h"
#include "platforms/simulation.h"
#include "sc_main/sweep/sweep_points.h"

namespace switchyard::cli {

/// One simulation: a point with one seed.
struct PlannedRun {
  std::string key;  ///< 16 digits over configuration and program: the same key, the same result
  std::string config_hash;
  std::uint64_t seed = 0;
};

/// A sweep with every configuration that it needs, as the files were when it was read.
class SweepPlan {
 public:
  /// Reads and checks a sweep and the configuration of every point; throws base::ConfigError with all faults.
  SweepPlan(const platforms::Registries& registries, const std::string& file);
  SweepPlan(const SweepPlan&) = delete;
  SweepPlan& operator=(const SweepPlan&) = delete;

  const SweepParams& params() const { return params_; }
  const std::vector<SweepColumn>& columns() const { return points_.columns; }
  const std::vector<SweepPoint>& points() const { return points_.points; }
  /// The runs of a point with its first `seeds` seeds.
  const std::vector<PlannedRun>& runs(std::size_t point, std::size_t seeds);
  /// Seeds that every point starts with.
  std::size_t first_seeds() const;
  /// The configuration of a run, read from the trees in memory.
  std::unique_ptr<platforms::LoadedRun> load(std::size_t point, std::uint64_t seed) const;

 private:
  const platforms::ConfigTree& tree(const std::vector<std::string>& files) const;
  void check_points(const platforms::ConfigNode& text, platforms::Diagnostics& diagnostics);
  void plan_runs(platforms::LoadedRun& run, std::vector<PlannedRun>& runs, std::size_t seeds) const;

  const platforms::Registries& registries_;
  SweepParams params_;
  SweepPoints points_;
  mutable std::map<std::vector<std::string>, platforms::ConfigTree> trees_;  ///< by files
  std::vector<std::vector<PlannedRun>> runs_;                                ///< [point]
};

/// Whether the file says that it is a sweep; false for what cannot be read.
bool is_sweep_file(const std::string& path);

/// Version and bytes of this program: what a result depends on beside its configuration.
const std::string& program_identity();

}  // namespace switchyard::cli

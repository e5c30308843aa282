// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sc_main/sweep/database.h"
#include "sc_main/sweep/folder_lock.h"
#include "sc_main/sweep/sweep_plan.h"

namespace switchyard::cli {

/// How far a run is. `failed` has no values; the next start does it again.
enum class RunStatus : std::uint8_t { missing, done, failed };
std::string_view status_name(RunStatus status);
RunStatus status_of(const std::string& name);

/// A metric of one run; `ci95` is the half-width within the run, 0 where there is none.
struct MetricValue {
  std::string metric, unit;
  double value = 0, ci95 = 0;
};

/// What the store keeps of a run.
struct StoredRun {
  std::string key, config_hash;
  std::uint64_t seed = 0;
  RunStatus status = RunStatus::missing;
  std::string error, folder;  ///< folder below that of the store
  std::vector<MetricValue> values;

  const MetricValue* find(const std::string& metric) const;
};

inline constexpr const char* kStoreFile = "sweep.sqlite";

/// The results of a sweep on disk, for the one driver that writes them. Nothing in it depends on the host, on how many
/// workers there are, or on who ends first.
class SweepStore {
 public:
  /// Opens the store in `folder` or makes one; throws base::ConfigError when another driver has it, or when it belongs
  /// to another sweep.
  SweepStore(const std::filesystem::path& folder, const std::string& sweep);
  ~SweepStore();
  SweepStore(const SweepStore&) = delete;
  SweepStore& operator=(const SweepStore&) = delete;

  const std::filesystem::path& folder() const { return folder_; }
  /// Replaces what the store shows by the points of `plan` with their first seeds. Runs stay.
  void show(SweepPlan& plan);
  /// Shows one more seed of a point.
  void show_seeds(std::size_t point, std::size_t first, const std::vector<PlannedRun>& runs);
  /// All runs that were ever stored, by key.
  std::map<std::string, StoredRun> runs();
  /// Stores runs, all or none.
  void put(const std::vector<StoredRun>& runs);

 private:
  void put_one(const StoredRun& run);
  void make_view(const SweepPlan& plan);

  std::filesystem::path folder_;
  FolderLock lock_;
  Database database_;
};

}  // namespace switchyard::cli

// SPDX-License-Identifier: Apache-2.0
#include "sc_main/sweep/sweep_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <utility>

#include "base/errors.h"
#include "base/random.h"
#include "platforms/config/config_loader.h"
#include "platforms/config/param_reader.h"
#include "platforms/config/text.h"
#include "sc_main/experiment_check.h"
#include "sc_main/experiment_loader.h"
#include "sc_main/run_cache.h"

namespace switchyard::cli {
namespace {

using platforms::ConfigNode;
using platforms::ConfigTree;
using platforms::Diagnostics;

std::string folder_of(const std::string& file) { return std::filesystem::path(file).parent_path().string(); }

std::string run_key(const std::string& config_hash) {
  return fmt::format("{:016x}", base::fnv1a(config_hash, base::fnv1a(program_identity())));
}

template <class T>
void check_names(const std::vector<std::string>& wanted, const std::vector<T>& there, const char* key,
                 const ConfigNode& text, Diagnostics& diagnostics) {
  std::vector<std::string> names;
  for (const T& one : there) names.push_back(one.name);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (std::find(names.begin(), names.end(), wanted[i]) != names.end()) continue;
    const Spot spot = find_spot(text, {"base", key, i});
    diagnostics.error(spot.place, spot.path,
                      fmt::format("the experiment has no {}{}", platforms::shown(wanted[i]),
                                  platforms::allowed_names(wanted[i], names)));
  }
}

bool is_wanted(const std::vector<std::string>& names, const std::string& name) {
  return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
}

std::vector<SweepBase> experiment_bases(const platforms::Registries& registries, const SweepParams& params,
                                        const std::string& folder, const ConfigNode& text, Diagnostics& diagnostics) {
  const std::string file = (std::filesystem::path(folder) / params.base.experiment).lexically_normal().generic_string();
  const Experiment experiment = load_experiment(file, make_simulator(registries, {}, {}));
  check_names(params.base.cases, experiment.params.cases, "cases", text, diagnostics);
  check_names(params.base.variants, experiment.params.variants, "variants", text, diagnostics);
  std::vector<SweepBase> bases;
  for (std::size_t c = 0; c < experiment.params.cases.size(); ++c) {
    for (const std::size_t v : experiment.case_variants[c]) {
      SweepBase base{experiment.params.cases[c].name, experiment.params.variants[v].name, {}, {}};
      if (!is_wanted(params.base.cases, base.case_name) || !is_wanted(params.base.variants, base.variant)) continue;
      RunRequest request = experiment.request(c, v);
      base.files = std::move(request.files);
      base.sets = std::move(request.sets);
      base.sets.insert(base.sets.end(), params.base.set.begin(), params.base.set.end());
      bases.push_back(std::move(base));
    }
  }
  const Spot spot = find_spot(text, {"base", "experiment"});
  if (bases.empty() && diagnostics.empty())
    diagnostics.error(spot.place, spot.path, "no case of the experiment has one of these variants");
  return bases;
}

std::vector<SweepBase> bases_of(const platforms::Registries& registries, const SweepParams& params,
                                const std::string& folder, const ConfigNode& text, Diagnostics& diagnostics) {
  if (!params.base.experiment.empty()) return experiment_bases(registries, params, folder, text, diagnostics);
  SweepBase base{"", "", {}, params.base.set};
  for (const std::string& file : params.base.files)
    base.files.push_back((std::filesystem::path(folder) / file).lexically_normal().generic_string());
  return {base};
}

void check_metrics(const SweepParams& params, const ConfigNode& text, Diagnostics& diagnostics) {
  const auto check = [&](const std::string& metric, const Spot& spot) {
    if (!metric.empty() && !is_metric_name(metric))
      diagnostics.error(spot.place, spot.path,
                        fmt::format("unknown metric {}{}", platforms::shown(metric), allowed_metrics(metric)));
  };
  for (std::size_t i = 0; i < params.measure.size(); ++i) check(params.measure[i], find_spot(text, {"measure", i}));
  const Spot spot = find_spot(text, {"until", "metric"});
  check(params.until.metric, spot);
  if (!params.until.metric.empty() && !is_wanted(params.measure, params.until.metric))
    diagnostics.error(spot.place, spot.path,
                      fmt::format("{} is not among those of measure", platforms::shown(params.until.metric)));
}

/// The place in the sweep file that a fault of a point comes from: the column whose parameter it speaks of, or its
/// value.
Spot blame(const SweepPoints& points, const SweepPoint& point, const std::string& fault, const ConfigNode& text) {
  for (std::size_t c = 0; c < points.columns.size(); ++c)
    for (const std::string& path : points.columns[c].paths)
      if (point.values[c] && fault.starts_with("--set " + platforms::shown(path) + ":"))
        return fault.find(": unknown key") == std::string::npos ? point.spots[c] : points.columns[c].spot;
  return find_spot(text, {"base"});
}

}  // namespace

SweepPlan::SweepPlan(const platforms::Registries& registries, const std::string& file) : registries_(registries) {
  Diagnostics diagnostics;
  platforms::Provenance provenance;
  const ConfigTree text = platforms::load_config({file}, {}, diagnostics);
  platforms::read_params(text, params_, diagnostics, provenance);
  diagnostics.throw_if_any();
  if (params_.until.max_seeds != 0 && params_.until.metric.empty()) params_.until.metric = params_.measure.front();
  check_metrics(params_, text.root, diagnostics);
  const std::vector<SweepBase> bases = bases_of(registries, params_, folder_of(file), text.root, diagnostics);
  diagnostics.throw_if_any();
  points_ = expand_sweep(params_, bases, folder_of(file), text.root, diagnostics);
  diagnostics.throw_if_any();
  check_points(text.root, diagnostics);
}

/// Reads the configuration of every point. A fault that many points share is said once.
void SweepPlan::check_points(const ConfigNode& text, Diagnostics& diagnostics) {
  std::set<std::string> said;
  std::vector<std::string> foreign;  // with a place of their own
  runs_.resize(points_.points.size());
  for (std::size_t p = 0; p < points_.points.size() && !diagnostics.full(); ++p) {
    try {
      const auto run = platforms::load_run(registries_, tree(points_.points[p].files), points_.points[p].sets);
      plan_runs(*run, runs_[p], first_seeds());
    } catch (const base::ConfigError& error) {
      std::istringstream lines(error.what());
      for (std::string line; std::getline(lines, line);) {
        if (!said.insert(line).second) continue;
        const Spot spot = blame(points_, points_.points[p], line, text);
        if (line.starts_with("--set"))
          diagnostics.error(spot.place, spot.path, fmt::format("{}: {}", points_.points[p].name, line));
        else
          foreign.push_back(fmt::format("{} (point {}: {})", line, p + 1, points_.points[p].name));
      }
    }
  }
  std::vector<std::string> messages = diagnostics.messages();
  messages.insert(messages.end(), foreign.begin(), foreign.end());
  if (!messages.empty()) throw base::ConfigError(platforms::join(messages, "\n"));
}

/// Extends `runs` to so many seeds; changes that of `run`.
void SweepPlan::plan_runs(platforms::LoadedRun& run, std::vector<PlannedRun>& runs, std::size_t seeds) const {
  for (std::size_t i = runs.size(); i < seeds; ++i) {
    if (i > 0) run.config.seed = later_seed(i);
    const std::string hash = run.hash();
    runs.push_back({run_key(hash), hash, run.config.seed});
  }
}

const std::vector<PlannedRun>& SweepPlan::runs(std::size_t point, std::size_t seeds) {
  if (runs_[point].size() < seeds) plan_runs(*load(point, runs_[point].front().seed), runs_[point], seeds);
  return runs_[point];
}

std::size_t SweepPlan::first_seeds() const {
  return static_cast<std::size_t>(params_.until.max_seeds == 0 ? params_.seeds
                                                               : std::max<std::uint64_t>(params_.seeds, 2));
}

std::unique_ptr<platforms::LoadedRun> SweepPlan::load(std::size_t point, std::uint64_t seed) const {
  std::vector<std::string> sets = points_.points[point].sets;
  sets.push_back(fmt::format("seed={}", seed));
  return platforms::load_run(registries_, tree(points_.points[point].files), sets);
}

const ConfigTree& SweepPlan::tree(const std::vector<std::string>& files) const {
  const auto found = trees_.find(files);
  if (found != trees_.end()) return found->second;
  Diagnostics diagnostics;
  ConfigTree read = platforms::load_config(files, {}, diagnostics);
  diagnostics.throw_if_any();
  return trees_.emplace(files, std::move(read)).first->second;
}

bool is_sweep_file(const std::string& path) {
  try {
    Diagnostics diagnostics;
    return platforms::load_config({path}, {}, diagnostics).root.find("sweep") != nullptr;
  } catch (const base::ConfigError&) {
    return false;
  }
}

const std::string& program_identity() {
  static const std::string identity = [] {
    std::ifstream program("/proc/self/exe", std::ios::binary);
    std::uint64_t hash = base::fnv1a(SWITCHYARD_VERSION);
    std::string chunk(std::size_t{1} << 20, '\0');
    while (program) {
      program.read(chunk.data(), static_cast<std::streamsize>(chunk.size()));
      hash = base::fnv1a(std::string_view(chunk.data(), static_cast<std::size_t>(program.gcount())), hash);
    }
    return fmt::format("{}+{:016x}", SWITCHYARD_VERSION, hash);
  }();
  return identity;
}

}  // namespace switchyard::cli

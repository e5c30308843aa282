// SPDX-License-Identifier: Apache-2.0
#include "sc_main/experiment_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <utility>

#include "base/errors.h"
#include "platforms/config/text.h"

namespace switchyard::cli {
namespace {

class RunCheck {
 public:
  RunCheck(Experiment& experiment, const RunCheckContext& context) : experiment_(experiment), context_(context) {}

  std::vector<std::string> run() {
    for (std::size_t c = 0; c < experiment_.params.cases.size(); ++c)
      for (const std::size_t v : experiment_.case_variants[c]) read(c, v);
    for (const SweepFault& fault : faults_) report(fault);
    for (std::size_t i = 0; i < experiment_.calibrations.size(); ++i) find_parameter(i);
    return foreign_;
  }

 private:
  /// A message that runs of one `over` gave.
  struct SweepFault {
    const Sweep* sweep = nullptr;
    std::string line, variant;
    std::set<std::size_t> cases;
  };

  void read(std::size_t case_index, std::size_t variant_index) {
    try {
      values_[{case_index, variant_index}] =
          context_.simulator.parameters(experiment_.request(case_index, variant_index));
    } catch (const base::ConfigError& error) {
      const Sweep* sweep = experiment_.sweep(case_index);
      const std::string& variant = experiment_.params.variants[variant_index].name;
      std::istringstream lines(error.what());
      for (std::string line; std::getline(lines, line);) {
        if (sweep)
          add_fault(*sweep, case_index, variant, line);
        else
          add_message(case_spot(case_index), variant, line);
      }
    }
  }

  void add_fault(const Sweep& sweep, std::size_t case_index, const std::string& variant, const std::string& line) {
    for (SweepFault& one : faults_) {
      if (one.sweep != &sweep || one.line != line) continue;
      one.cases.insert(case_index);
      return;
    }
    faults_.push_back({&sweep, line, variant, {case_index}});
  }

  /// A fault of every value is one of the path, or none of `over` at all.
  void report(const SweepFault& fault) {
    const std::size_t origin = context_.expanded.case_origin[fault.sweep->first_case];
    const OverParams& over = fault.sweep->over;
    if (fault.cases.size() < over.values.size()) {
      for (const std::size_t c : fault.cases)
        error(context_.text.spot("cases", origin, "over", "values", c - fault.sweep->first_case), fault.line);
      return;
    }
    const std::vector<std::string> paths = over.paths();
    for (std::size_t i = 0; i < paths.size(); ++i)
      if (fault.line.starts_with("--set " + platforms::shown(paths[i])))
        return error(
            context_.text.spot("cases", origin, "over", over.parameter.empty() ? "parameters" : "parameter", i),
            fault.line);
    add_message(context_.text.spot("cases", origin), fault.variant, fault.line);
  }

  void error(const Spot& spot, const std::string& what) { context_.diagnostics.error(spot.place, spot.path, what); }

  Spot case_spot(std::size_t case_index) const {
    return context_.text.spot("cases", context_.expanded.case_origin[case_index]);
  }

  void add_message(const Spot& spot, const std::string& variant, const std::string& line) {
    if (!seen_.insert(line).second) return;
    if (!line.starts_with("--set")) return foreign_.push_back(line);
    error(spot, fmt::format("with variant {}: {}", variant, line));
  }

  void find_parameter(std::size_t index) {
    Calibration& entry = experiment_.calibrations[index];
    for (const std::size_t c : entry.cases) {
      for (const std::size_t v : experiment_.case_variants[c]) {
        const auto values = values_.find({c, v});
        if (values == values_.end()) continue;  // unreadable, and already said so
        const ParameterValue* value = find(values->second, entry.parameter);
        if (!value) return refuse(index, unknown_text(values->second, entry.parameter, c));
        if (value->kind == ParameterValue::Kind::other)
          return refuse(index, fmt::format("{} is {} in case {}; only whole numbers and latencies in cycles can be "
                                           "calibrated",
                                           entry.parameter, value->text, experiment_.params.cases[c].name));
        if (c != entry.target_case || v != entry.target_variant) continue;
        entry.kind = value->kind;
        entry.start = std::clamp(value->value, entry.min, entry.max);
      }
    }
  }

  /// Reports a fault of a calibration once for each entry of the file.
  void refuse(std::size_t index, const std::string& what) {
    const std::size_t origin = context_.expanded.calibrated_origin[index];
    if (refused_.insert(origin).second) error(context_.text.spot("calibrated", origin, "parameter"), what);
  }

  static const ParameterValue* find(const std::vector<ParameterValue>& values, const std::string& path) {
    const auto found =
        std::find_if(values.begin(), values.end(), [&](const auto& value) { return value.path == path; });
    return found == values.end() ? nullptr : &*found;
  }

  std::string unknown_text(const std::vector<ParameterValue>& values, const std::string& path,
                           std::size_t case_index) const {
    std::vector<std::string> numbers;
    for (const ParameterValue& value : values)
      if (value.kind != ParameterValue::Kind::other) numbers.push_back(value.path);
    const std::string guess = platforms::nearest(path, numbers);
    return fmt::format("case {} has no parameter {}{}", experiment_.params.cases[case_index].name,
                       platforms::shown(path), guess.empty() ? "" : "; did you mean " + guess + "?");
  }

  Experiment& experiment_;
  const RunCheckContext& context_;
  std::map<std::pair<std::size_t, std::size_t>, std::vector<ParameterValue>> values_;
  std::vector<SweepFault> faults_;
  std::set<std::string> seen_;
  std::set<std::size_t> refused_;
  std::vector<std::string> foreign_;
};

}  // namespace

std::vector<std::string> check_runs(Experiment& experiment, const RunCheckContext& context) {
  return RunCheck(experiment, context).run();
}

}  // namespace switchyard::cli

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/errors.h"
#include "platforms/config_fixture.h"
#include "sc_main/experiment_loader.h"

namespace switchyard::test {

/// A machine whose measured time is a formula of its calibrated parameters.
class FormulaMachine {
 public:
  using Values = std::map<std::string, std::uint64_t>;
  /// Seconds of the run `case/variant` with these parameter values.
  using Formula = std::function<double(const std::string& label, const Values& values)>;

  /// What the processes of the run did; nothing where there is no such function.
  using Tasks = std::function<std::vector<platforms::TaskRecord>(const std::string& label, const Values& values)>;

  /// Why a run with these parameter values fails; empty when it does not.
  using Refusal = std::function<std::string(const std::string& label, const Values& values)>;

  explicit FormulaMachine(Formula formula, Values defaults = {{"kernel.rest", 1000}, {"firmware.trap", 300}})
      : formula_(std::move(formula)), defaults_(std::move(defaults)) {}

  cli::Simulator simulator() {
    return {[this](const cli::RunRequest& request) { return parameters(request); },
            [this](const std::vector<cli::RunRequest>& requests) {
              std::vector<cli::RunResult> results;
              for (const cli::RunRequest& request : requests) results.push_back(run(request));
              batches.push_back(requests.size());
              return results;
            }};
  }

  std::vector<std::size_t> batches;             // runs asked for at a time
  std::vector<std::string> labels;              // of all runs, in order
  std::map<std::string, std::string> failures;  // label -> message
  Tasks tasks;
  Refusal refusal;

 private:
  Values values_of(const cli::RunRequest& request) const {
    Values values = defaults_;
    for (const std::string& set : request.sets) {
      const std::string path = set.substr(0, set.find('='));
      const std::size_t number = set.find_first_of("0123456789", path.size());
      if (number == std::string::npos) continue;  // a text
      values[path] = std::stoull(set.substr(number));
    }
    return values;
  }

  /// What the reader of run configurations says about overrides that it does not take.
  static void refuse_bad(const std::string& set) {
    const std::string where = "--set " + set.substr(0, set.find('='));
    if (set.starts_with("nonsense")) throw base::ConfigError(where + ": unknown key");
    if (set.ends_with("=bad")) throw base::ConfigError(where + ": expected a size, found bad");
    if (set.ends_with("=48 B")) throw base::ConfigError("p.yaml:4:2: kernel: line must be a power of two, got 48 B");
  }

  std::vector<cli::ParameterValue> parameters(const cli::RunRequest& request) const {
    for (const std::string& file : request.files)
      if (file.find("broken") != std::string::npos) throw base::ConfigError(file + ":3:1: kernel: unknown key");
    for (const std::string& set : request.sets) refuse_bad(set);
    std::vector<cli::ParameterValue> result{{"kernel.name", cli::ParameterValue::Kind::other, 0, "linux"}};
    for (const auto& [path, value] : values_of(request))
      result.push_back({path, cli::ParameterValue::Kind::cycles, value, std::to_string(value) + " cycles"});
    return result;
  }

  cli::RunResult run(const cli::RunRequest& request) {
    labels.push_back(request.label);
    cli::RunResult result;
    if (failures.count(request.label) != 0) {
      result.error = failures[request.label];
      return result;
    }
    if (refusal) result.error = refusal(request.label, values_of(request));
    if (!result.error.empty()) return result;
    result.hash = request.label;
    result.resolved = "schema: 1\n";
    result.origins = {1, 2, 3, 4};
    result.outcome.has_loop = true;
    result.outcome.cpu_hz = 1'000'000'000;
    result.outcome.loop = {"main", 1, 0, 1, true, {formula_(request.label, values_of(request)), 0}};
    if (tasks) result.outcome.tasks = tasks(request.label, values_of(request));
    return result;
  }

  Formula formula_;
  Values defaults_;
};

/// An experiment file in a folder of its own.
class ExperimentTest : public ConfigTest {
 public:
  static cli::Experiment load(const std::string& text, FormulaMachine& machine) {
    write("e.yaml", text);
    return cli::load_experiment("e.yaml", machine.simulator());
  }
  static cli::Experiment load(const std::string& text) {
    FormulaMachine machine([](const std::string&, const FormulaMachine::Values&) { return 1.0; });
    return load(text, machine);
  }
  static std::string refusal_of_experiment(const std::string& text) {
    try {
      load(text);
    } catch (const base::ConfigError& error) {
      return error.what();
    }
    return "accepted";
  }
};

}  // namespace switchyard::test

// SPDX-License-Identifier: Apache-2.0
#include "sc_main/experiment_simulator.h"

#include <memory>
#include <utility>

#include "base/errors.h"
#include "platforms/simulation.h"
#include "sc_main/experiment_loader.h"
#include "sc_main/experiment_parameters.h"
#include "sc_main/isolated_run.h"
#include "sc_main/isolated_run_document.h"

namespace switchyard::cli {
namespace {

/// In the child: load, simulate, report.
RunResult simulate_request(const platforms::Registries& registries, const RunRequest& request, bool check) {
  std::vector<std::string> sets = request.sets;
  if (check) sets.emplace_back("run.check=true");
  const auto run = platforms::load_run(registries, request.files, sets);
  RunResult result;
  result.hash = run->hash();
  result.resolved = run->resolved();
  result.origins = {run->provenance.count("measured"), run->provenance.count("documented"),
                    run->provenance.count("calibrated"), run->provenance.count("assumed")};
  result.outcome = platforms::simulate(*run, [](const platforms::Progress&) {});
  return result;
}

RunResult result_of(ChildResult& child) {
  RunResult result;
  try {
    if (child.error.empty()) return read_run_document(child.document);
    result.error = std::move(child.error);
  } catch (const base::InternalError& error) {
    result.error = error.what();
  }
  return result;
}

std::vector<RunResult> run_all(const platforms::Registries& registries, const std::vector<RunRequest>& requests,
                               const SimulatorOptions& how, const RunProgress& progress) {
  std::vector<ChildWork> work;
  for (const RunRequest& request : requests)
    work.push_back(
        [&registries, &request, &how] { return write_run_document(simulate_request(registries, request, how.check)); });
  std::size_t done = 0;
  IsolationOptions options{how.jobs, how.time_limit_s, {}};
  options.on_done = [&](std::size_t index) {
    ++done;
    if (progress) progress(done, requests.size(), requests[index].label);
  };
  std::vector<RunResult> results;
  for (ChildResult& child : run_isolated(work, options)) results.push_back(result_of(child));
  return results;
}

}  // namespace

Simulator make_simulator(const platforms::Registries& registries, const SimulatorOptions& options,
                         RunProgress progress) {
  Simulator simulator;
  simulator.parameters = [&registries](const RunRequest& request) {
    return list_parameter_values(platforms::load_run(registries, request.files, request.sets)->config);
  };
  simulator.run = [&registries, options, progress = std::move(progress)](const std::vector<RunRequest>& requests) {
    return run_all(registries, requests, options, progress);
  };
  simulator.fingerprint = [&registries](const RunRequest& request) {
    return platforms::load_run(registries, request.files, request.sets)->hash();
  };
  return simulator;
}

void check_experiment(const platforms::Registries& registries, const std::string& path) {
  load_experiment(path, make_simulator(registries, {}, {}));
}

}  // namespace switchyard::cli

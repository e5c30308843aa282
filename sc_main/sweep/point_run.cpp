// SPDX-License-Identifier: Apache-2.0
#include "sc_main/sweep/point_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/errors.h"
#include "platforms/config/file_text.h"
#include "sc_main/isolated_run_document.h"
#include "sc_main/metrics.h"
#include "sc_main/output_folder.h"
#include "sc_main/run_report.h"

namespace switchyard::cli {
namespace {

using nlohmann::json;
using platforms::RunOutcome;

/// A function that never ran is in no profile: its share is 0. Any other name that the run lacks is an error.
MetricValue measured(const RunOutcome& outcome, const std::string& name) {
  const bool is_share = name.starts_with("share.") || name.starts_with("machine_share.");
  if (is_share && !has_metric(outcome, name)) return {name, "%", 0, 0};
  const platforms::Estimate estimate = metric(outcome, name);
  if (!std::isfinite(estimate.mean)) throw base::ConfigError("metric " + name, "is no finite number in this run");
  return {name, metric_unit(outcome, name), estimate.mean, has_interval(outcome) ? estimate.ci95 : 0};
}

/// The metrics of an outcome, or why it has none.
void measure(const RunOutcome& outcome, const std::vector<std::string>& metrics, RunReply& reply) {
  if (outcome.end != platforms::RunEnd::complete) {
    reply.error = fmt::format("{}: {}", end_name(outcome.end), outcome.message);
    return;
  }
  if (nothing_measured(outcome)) {
    reply.error = "nothing was measured";
    return;
  }
  try {
    for (const std::string& name : metrics) reply.values.push_back(measured(outcome, name));
    const bool is_asked = std::find(metrics.begin(), metrics.end(), kWarmUpExcess) != metrics.end();
    if (!is_asked && has_metric(outcome, kWarmUpExcess)) reply.values.push_back(measured(outcome, kWarmUpExcess));
  } catch (const base::ConfigError& error) {
    reply.values.clear();
    reply.error = error.what();
  }
}

/// The outcome as a file: what other commands read without simulating again.
OutputFile outcome_file(const std::string& hash, const RunOutcome& outcome) {
  RunResult result;
  result.hash = hash;
  result.outcome = outcome;
  return {kOutcomeFile, write_run_document(result)};
}

}  // namespace

RunReply run_point(const SweepPlan& plan, const RunJob& job) {
  RunReply reply;
  const auto loaded = plan.load(job.point, job.run.seed);
  const RunIdentity identity{loaded->config.name.empty() ? "run" : loaded->config.name, loaded->hash()};
  SWITCHYARD_ASSERT(identity.config_hash == job.run.config_hash, "the plan was made from the same trees");
  const std::string resolved = loaded->resolved();
  const auto start = std::chrono::steady_clock::now();
  const RunOutcome outcome = platforms::simulate(*loaded, {});
  reply.simulate_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::vector<OutputFile> files = report_files({identity, resolved, loaded->provenance, outcome});
  files.push_back(outcome_file(identity.config_hash, outcome));
  try {
    OutputFolder(job.folder).write(files);
  } catch (const base::ConfigError& error) {
    reply.error = error.what();
    reply.disk_failed = true;
    return reply;
  }
  measure(outcome, plan.params().measure, reply);
  return reply;
}

RunReply measure_again(const std::filesystem::path& folder, const std::vector<std::string>& metrics) {
  RunReply reply;
  const platforms::FileText file = platforms::read_file(folder / kOutcomeFile);
  if (!file.error.empty()) return {file.error, false, {}, 0};
  try {
    measure(read_run_document(file.bytes).outcome, metrics, reply);
  } catch (const base::InternalError& error) {
    reply.error = error.what();
  }
  return reply;
}

std::string write_reply(const RunReply& reply) {
  json values = json::array();
  for (const MetricValue& one : reply.values)
    values.push_back(json::array({one.metric, one.unit, one.value, one.ci95}));
  std::string bytes;
  json::to_cbor(json::array({reply.error, reply.disk_failed, std::move(values), reply.simulate_s}), bytes);
  return bytes;
}

RunReply read_reply(const std::string& bytes) {
  try {
    const json document = json::from_cbor(bytes);
    RunReply reply{document.at(0).get<std::string>(), document.at(1).get<bool>(), {}, document.at(3).get<double>()};
    for (const json& one : document.at(2))
      reply.values.push_back({one.at(0).get<std::string>(), one.at(1).get<std::string>(), one.at(2).get<double>(),
                              one.at(3).get<double>()});
    return reply;
  } catch (const json::exception& error) {
    return {fmt::format("unreadable reply of a run: {}", error.what()), false, {}, 0};
  }
}

}  // namespace switchyard::cli

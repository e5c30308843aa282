// SPDX-License-Identifier: Apache-2.0
#include "sc_main/trace_files.h"

#include <algorithm>

#include "base/errors.h"
#include "platforms/config/text.h"
#include "sc_main/sched_latency.h"
#include "sc_main/trace_ftrace.h"
#include "sc_main/trace_perf_script.h"
#include "sc_main/trace_perfetto.h"

namespace switchyard::cli {

const std::vector<TraceForm>& trace_forms() {
  static const std::vector<TraceForm> forms{
      {"ftrace", "trace.txt", "text as /sys/kernel/tracing/trace shows it",
       [](TraceFile& file, unsigned cpus) -> std::unique_ptr<TraceWriter> {
         return std::make_unique<FtraceWriter>(file, cpus);
       }},
      {"perf-script", "perf-script.txt", "text as perf script --ns prints it",
       [](TraceFile& file, unsigned cpus) -> std::unique_ptr<TraceWriter> {
         return std::make_unique<PerfScriptWriter>(file, cpus);
       }},
      {"perfetto", "trace.perfetto-trace", "for ui.perfetto.dev",
       [](TraceFile& file, unsigned cpus) -> std::unique_ptr<TraceWriter> {
         return std::make_unique<PerfettoWriter>(file, cpus);
       }},
      {"sched-latency", "perf-sched-latency.txt", "delays of tasks as perf sched latency -p prints them",
       [](TraceFile& file, unsigned) -> std::unique_ptr<TraceWriter> {
         return std::make_unique<SchedLatencyWriter>(file);
       }},
  };
  return forms;
}

std::vector<const TraceForm*> find_trace_forms(const std::vector<std::string>& names) {
  std::vector<const TraceForm*> found;
  std::vector<std::string> allowed;
  for (const TraceForm& form : trace_forms()) allowed.push_back(form.name);
  for (const std::string& name : names) {
    const auto at = std::find(allowed.begin(), allowed.end(), name);
    if (at == allowed.end())
      throw base::ConfigError("--trace",
                              "unknown form " + platforms::shown(name) + platforms::allowed_names(name, allowed));
    const TraceForm* const form = &trace_forms()[static_cast<std::size_t>(at - allowed.begin())];
    if (std::find(found.begin(), found.end(), form) == found.end()) found.push_back(form);
  }
  return found;
}

TraceFiles::TraceFiles(const OutputFolder& folder, const std::vector<const TraceForm*>& forms)
    : scratch_(folder.scratch("traces")) {
  for (const TraceForm* form : forms) {
    const std::filesystem::path path = scratch_.path() / form->file;
    const std::string shown = "output folder " + folder.path() + "/" + form->file;
    outputs_.push_back(std::make_unique<Output>(Output{form, path, TraceFile(path, shown), nullptr}));
  }
}

void TraceFiles::begin(unsigned cpus) {
  tasks_.emplace(cpus);
  for (const auto& output : outputs_) output->writer = output->form->make(output->file, cpus);
}

void TraceFiles::event(const kernel::TraceEvent& event) {
  const kernel::TaskTag running = tasks_->running(event);
  for (const auto& output : outputs_) output->writer->write(event, running);
  tasks_->follow(event);
}

std::vector<MovedFile> TraceFiles::finish() {
  std::vector<MovedFile> files;
  for (const auto& output : outputs_) {
    if (output->writer != nullptr) output->writer->finish();
    files.push_back({output->form->file, output->path});
  }
  return files;
}

}  // namespace switchyard::cli

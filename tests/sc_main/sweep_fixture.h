// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "sc_main/cli_fixture.h"

namespace switchyard::test {

/// `sweep.yaml`: the tiny machine with ten sizes of its second-level cache and two seeds.
class SweepTest : public CliTest {
 public:
  SweepTest() { write_sweep(kAxes); }

  static void write_sweep(const std::string& text, const std::string& measure = "[real, per_loop.l2.misses]") {
    write("sweep.yaml",
          "schema: 1\nsweep: tiny\nbase: {files: [machine.yaml, workload.yaml], set: [modules.hart.params.jitter=10 %, "
          "run.until.relative_ci=0 %]}\n"
          "measure: " +
              measure + "\n" + text);
  }
  Result sweep(const std::vector<std::string>& more = {}, const std::string& folder = "res") const {
    std::vector<std::string> arguments{"sweep", "sweep.yaml", "--out", folder};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  }
  /// All that a store holds, rows of runs and values first.
  std::string dump(const std::string& folder = "res") const {
    std::string text;
    for (const char* table : {"run", "value", "point", "setting", "plan", "\"column\"", "measure", "sweep", "results"})
      text += run({"results", folder, "--csv", "--sql", std::string("SELECT * FROM ") + table}).out + "--\n";
    return text;
  }
  std::string sql(const std::string& question, const std::string& folder = "res") const {
    const std::string csv = run({"results", folder, "--csv", "--sql", question}).out;
    const std::size_t line = csv.find('\n');
    return line == std::string::npos ? "" : csv.substr(line + 1);
  }
  /// Processes that `parent` has forked.
  static std::vector<pid_t> children(pid_t parent) {
    const std::string name = std::to_string(parent);
    std::ifstream file("/proc/" + name + "/task/" + name + "/children");
    std::vector<pid_t> result;
    for (pid_t child = 0; file >> child;) result.push_back(child);
    return result;
  }

  static inline const std::string kAxes =
      "axes: {size: {parameter: modules.l2.params.size, from: 128 KiB, to: 64 MiB, count: 10, scale: log}}\nseeds: 2\n";
};

}  // namespace switchyard::test

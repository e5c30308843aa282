// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace switchyard::cli {

/// Work for a child process; returns any bytes. A base::ConfigError or any other exception becomes the error.
using ChildWork = std::function<std::string()>;

/// The bytes of a child, or why there are none.
struct ChildResult {
  std::string document;
  std::string error;
};

struct IsolationOptions {
  unsigned jobs = 1;        ///< children at a time
  double time_limit_s = 0;  ///< of each child; 0 is none
  std::function<void(std::size_t index)> on_done;
};

/// Runs each piece of work in a forked child; results in the order of `work`, whatever ends first. A child that
/// crashes, is killed, exits early or takes too long gives an error and never stops the others.
/// Call while the process has one thread and no SystemC objects: children start as copies of it. What children write
/// to standard output is dropped.
std::vector<ChildResult> run_isolated(const std::vector<ChildWork>& work, const IsolationOptions& options);

/// Logical CPUs of the host that this process may use; at least 1.
unsigned usable_cpus();

}  // namespace switchyard::cli

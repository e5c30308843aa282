// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "sc_main/child_pool.h"

namespace switchyard::cli {

struct IsolationOptions {
  unsigned jobs = 1;        ///< children at a time
  double time_limit_s = 0;  ///< of each child; 0 is none
  std::function<void(std::size_t index)> on_done;
};

/// Runs each piece of work in a forked child; results in the order of `work`, whatever ends first. A child that
/// crashes, is killed, exits early or takes too long gives an error and never stops the others.
/// Call under the conditions of ChildPool. What children write to standard output is dropped.
std::vector<ChildResult> run_isolated(const std::vector<ChildWork>& work, const IsolationOptions& options);

/// Logical CPUs of the host that this process may use; at least 1.
unsigned usable_cpus();

}  // namespace switchyard::cli

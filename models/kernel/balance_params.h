// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/params.h"

namespace switchyard::kernel {

/// `balance:`. Periodic load balancing. Defaults: Linux v4.14 kernel/sched/{topology,fair,core}.c.
struct BalanceParams : base::ParamSet {
  bool periodic = true;
  bool nohz = true;
  std::uint64_t busy_factor = 32;
  std::uint64_t nr_migrate = 32;
  base::Duration migration_cost{500'000'000};

  void visit(base::ParamVisitor& v) override {
    v.value({.key = "periodic", .text = "Whether ticks balance load, besides CPUs that run out of tasks"}, periodic);
    v.value({.key = "nohz",
             .text = "Whether a tick with tasks that wait wakes an idle CPU to balance for all that have no tick"},
            nohz);
    v.value({.key = "busy_factor", .text = "How much more seldom busy CPUs balance; Linux from 5.10 on has 16"},
            busy_factor, {1, 1000});
    v.value({.key = "nr_migrate", .text = "Most tasks that are moved at once (sched_nr_migrate)", .unit = "tasks"},
            nr_migrate, {1, 1000});
    v.value({.key = "migration_cost",
             .text = "Time since a task last ran during which it is hot in its cache (sched_migration_cost_ns)"},
            migration_cost);
  }
};

}  // namespace switchyard::kernel

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

#include "kernel/balance_params.h"
#include "kernel/idle_params.h"
#include "kernel/topology.h"

namespace switchyard::kernel {

/// When the ticks of the CPUs come: all together, spread evenly over the period (skew_tick=1), or anywhere in it.
enum class TickSkew : std::uint8_t { none, even, random };
inline constexpr std::array<std::string_view, 3> kTickSkews{"none", "even", "random"};

/// What a waker does whose target is still leaving its CPU: spins on on_cpu, or queues it on that CPU (Linux from 5.8
/// on).
enum class WakeOnCpu : std::uint8_t { spin, queue };
inline constexpr std::array<std::string_view, 2> kWakeOnCpus{"spin", "queue"};

/// How wake_affine_idle() chooses between the waker's CPU and the one before.
enum class WakeAffine : std::uint8_t { v4_14, v4_16 };
inline constexpr std::array<std::string_view, 2> kWakeAffines{"4.14", "4.16"};

/// The CPU of a task that exists when the simulation starts, out of those with the fewest such tasks: what placed it is
/// not part of the simulation.
enum class FirstCpu : std::uint8_t { lowest, random };
inline constexpr std::array<std::string_view, 2> kFirstCpus{"lowest", "random"};

/// Placement of woken tasks.
struct WakeParams : base::ParamSet {
  WakeOnCpu on_cpu = WakeOnCpu::queue;
  WakeAffine affine = WakeAffine::v4_16;
  bool recent_used_cpu = true;
  void visit(base::ParamVisitor& v) override {
    v.choice({.key = "on_cpu", .text = "What a waker does whose target is still leaving its CPU"}, on_cpu, kWakeOnCpus);
    v.choice({.key = "affine", .text = "Kernel version of wake_affine_idle()"}, affine, kWakeAffines);
    v.value(
        {.key = "recent_used_cpu", .text = "Whether select_idle_sibling() looks at the CPU used before the last one"},
        recent_used_cpu);
  }
};

/// Time slices, tick, wake-up and idle.
struct SchedulerParams : base::ParamSet {
  std::uint64_t hz = 250;
  TickSkew skew_tick = TickSkew::none;
  base::Duration base_slice{3'000'000'000};
  base::Duration latency{0};
  base::Duration wakeup_granularity{1'000'000'000};
  base::Duration pick_slack{0};
  FirstCpu first_cpu = FirstCpu::lowest;
  WakeParams wake;
  BalanceParams balance;
  IdleParams idle;
  TopologyParams topology;
  std::vector<std::uint64_t> offline;
  void visit(base::ParamVisitor& v) override {
    v.value({.key = "hz", .text = "Periodic ticks per second on a busy CPU", .unit = "1/s"}, hz, {1, 10000});
    v.choice({.key = "skew_tick", .text = "How far apart the ticks of different CPUs are"}, skew_tick, kTickSkews);
    v.value({.key = "base_slice", .text = "Least time that a task runs before the tick looks for another one"},
            base_slice);
    v.value(
        {.key = "latency",
         .text = "Kernels before 6.6 (sched_latency): the runnable tasks of a CPU share this time, but get base_slice "
                 "at least; a task that has slept is placed half of it before the others. 0: every slice is "
                 "base_slice, and so is the credit for sleep"},
        latency);
    v.value({.key = "wakeup_granularity", .text = "Lead in virtual runtime that lets a woken task preempt"},
            wakeup_granularity);
    v.value(
        {.key = "pick_slack",
         .text = "Virtual runtimes that lie closer than this to the least count as equal to it: which of these tasks "
                 "runs next is drawn. 0: the least, as in the kernel"},
        pick_slack);
    v.choice(
        {.key = "first_cpu",
         .text = "CPU of a task that exists when the simulation starts: of those with the fewest such tasks the one "
                 "with the lowest number, or any"},
        first_cpu, kFirstCpus);
    v.object({.key = "wake", .text = "Wake-up of tasks"}, wake);
    v.object({.key = "balance", .text = "Periodic load balancing"}, balance);
    v.object({.key = "idle", .text = "Idle loop"}, idle);
    v.object({.key = "topology", .text = "Cores and caches, as firmware tells the kernel"}, topology);
    v.list({.key = "offline", .text = "CPUs that are taken down when the machine starts (maxcpus and CPU hotplug)"},
           offline, {1, base::kMaxCpus - 1});
  }
};

}  // namespace switchyard::kernel

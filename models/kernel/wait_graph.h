// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cpu/cpu_ops.h"

namespace switchyard::kernel {

/// Which CPU spins for which: the locks that each holds and what it waits for, in the order in which it came to them.
/// A wait that needs its own end, by way of the CPUs that it waits for, ends the simulation with a base::CheckError
/// that says who waits for whom. Only that counts, not how long a wait takes. Costs no simulated time; a lock that is
/// free costs the host one entry in a list.
class WaitGraph {
 public:
  /// What reports call things.
  struct Names {
    std::function<std::string(unsigned cpu)> task;
    std::function<std::string(base::Address)> lock;
  };

  /// Who gets a lock that several wait for: the one that has waited longest, or anybody.
  enum class Order : std::uint8_t { fifo, any };

  /// A spin loop, as long as it lives. It begins when the CPU has its place among those who wait.
  class Wait {
   public:
    /// For a lock.
    Wait(WaitGraph& graph, cpu::CpuOps& cpu, base::Address lock, Order order);
    /// For `target`, which does what clears `outstanding` outside of its own spin loops. `what` completes the sentence
    /// "waits for cpu1's".
    Wait(WaitGraph& graph, cpu::CpuOps& cpu, unsigned target, const bool& outstanding, const char* what);
    ~Wait();
    Wait(const Wait&) = delete;
    Wait& operator=(const Wait&) = delete;

   private:
    friend class WaitGraph;
    void begin();

    WaitGraph& graph_;
    cpu::CpuOps& cpu_;
    const bool interrupts_;  ///< are let in meanwhile
    const cpu::FunctionId function_;
    const base::Address lock_ = 0;
    const Order order_ = Order::any;
    const unsigned target_ = 0;
    const bool* const outstanding_ = nullptr;  ///< null: waits for lock_
    const char* const what_ = "";
    std::uint64_t number_ = 0;  ///< waits are numbered from 1 as they begin
    std::uint64_t search_ = 0;  ///< the last one that came here
    // On the way that a search has found:
    unsigned blocker_ = 0;
    bool is_behind_ = false;  ///< of a lock: that CPU waits longer, and does not hold it
  };

  void set_names(Names names) { names_ = std::move(names); }
  void acquired(const cpu::CpuOps& cpu, base::Address lock) { steps(cpu.id()).push_back({lock, nullptr}); }
  /// After the store that frees the lock. A lock may be released by another task than took it, on the same CPU.
  void released(const cpu::CpuOps& cpu, base::Address lock) {
    std::vector<Step>& own = steps(cpu.id());
    if (!own.empty() && own.back().wait == nullptr && own.back().lock == lock)
      own.pop_back();
    else
      release_out_of_order(own, lock);
  }

 private:
  struct Step {
    base::Address lock = 0;  ///< that the CPU holds
    Wait* wait = nullptr;    ///< or what it waits for
  };

  std::vector<Step>& steps(unsigned cpu) {
    if (cpu >= steps_.size()) [[unlikely]]
      steps_.resize(cpu + 1);
    return steps_[cpu];
  }
  static void release_out_of_order(std::vector<Step>& own, base::Address lock);
  bool reaches(Wait& from, const Wait& goal);
  bool lock_reaches(Wait& from, const Wait& goal, bool behind);
  bool target_reaches(Wait& from, const Wait& goal);
  bool step_reaches(Wait& from, Wait& next, const Wait& goal, unsigned blocker, bool behind);
  [[noreturn]] void report() const;
  std::string text(const Wait& wait) const;

  Names names_;
  std::vector<std::vector<Step>> steps_;  ///< by CPU, the latest last
  std::vector<const Wait*> way_;          ///< of the search
  std::uint64_t waits_ = 0;
};

}  // namespace switchyard::kernel

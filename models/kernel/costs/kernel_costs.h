// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>

#include "base/params.h"

namespace switchyard::kernel {

/// Declares a path length.
inline void count_instructions(base::ParamVisitor& v, std::string_view key, std::uint64_t& field,
                               std::string_view text) {
  v.value({.key = key, .text = text, .unit = "instructions"}, field, {0, 1e9});
}

/// Makes path lengths `thousandths` of what they are, rounded down.
inline void scale(std::initializer_list<std::uint64_t*> paths, std::uint64_t thousandths) {
  for (std::uint64_t* path : paths) *path = *path * thousandths / 1000;
}

/// Path lengths of any kernel: instructions between the accesses that the model makes itself. All defaults are assumed;
/// an architecture derives from this, sets its own defaults and adds what only it has.
struct KernelCosts : base::ParamSet {
  std::uint64_t call = 12;
  std::uint64_t exception_entry = 70;
  std::uint64_t exception_exit = 60;
  std::uint64_t system_call = 40;
  std::uint64_t read = 150;
  std::uint64_t page_fault = 120;
  std::uint64_t interrupt = 180;
  std::uint64_t tick = 1200;
  std::uint64_t timer = 250;
  std::uint64_t schedule = 220;
  std::uint64_t context_switch = 120;
  std::uint64_t wake_up = 280;
  std::uint64_t select_task_rq = 60;
  std::uint64_t balance = 120;
  std::uint64_t idle_enter = 250;
  std::uint64_t idle_exit = 200;
  std::uint64_t per_line = 7;
  std::uint64_t touch = 4;

  void visit(base::ParamVisitor& v) override {
    visit_paths(v);
    visit_lines(v);
  }

  /// Makes the paths of entry, system calls, scheduling and idle `thousandths` of what they are, rounded down.
  void scale_paths(std::uint64_t thousandths) {
    scale({&exception_entry, &exception_exit, &system_call, &read, &interrupt, &tick, &timer, &schedule,
           &context_switch, &wake_up, &select_task_rq, &idle_enter, &idle_exit},
          thousandths);
  }

 protected:
  static void count(base::ParamVisitor& v, std::string_view key, std::uint64_t& field, std::string_view text) {
    count_instructions(v, key, field, text);
  }
  /// The two halves of the list, between which an architecture lists its own.
  void visit_paths(base::ParamVisitor& v) {
    count(v, "call", call, "Prologue, tests and epilogue of any modelled kernel function");
    count(v, "exception_entry", exception_entry, "Trap entry besides saving the registers");
    count(v, "exception_exit", exception_exit, "Return to the interrupted mode besides restoring the registers");
    count(v, "system_call", system_call, "Dispatch of a system call");
    count(v, "read", read, "read(2) or write(2) between fdget and fput, besides what the file itself does");
    count(v, "page_fault", page_fault, "Architecture part of the page-fault handler");
    count(v, "interrupt", interrupt, "Interrupt bookkeeping around a handler");
    count(v, "tick", tick, "Periodic tick besides its accesses");
    count(v, "timer", timer, "Expiry or programming of one high-resolution timer");
    count(v, "schedule", schedule, "Choice of the next task");
    count(v, "context_switch", context_switch, "Switch of registers and stack, mm excluded");
    count(v, "wake_up", wake_up, "Wake-up of a task besides its accesses");
    count(v, "select_task_rq", select_task_rq, "Choice of the CPU of a woken task besides its accesses");
    count(v, "balance", balance, "Look at the load of one other CPU by a CPU that runs out of tasks");
    count(v, "idle_enter", idle_enter, "From the choice of the idle task to the halt");
    count(v, "idle_exit", idle_exit, "From the end of the halt to the scheduler");
  }
  void visit_lines(base::ParamVisitor& v) {
    count(v, "per_line", per_line, "Clearing or copying one cache line besides its first store");
    count(v, "touch", touch, "User loop around one touched address");
  }
};

}  // namespace switchyard::kernel

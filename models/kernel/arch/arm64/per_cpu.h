// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cpu/logical_cpu.h"
#include "kernel/costs/arm64_costs.h"
#include "kernel/layout.h"

namespace switchyard::kernel::arm64 {

/// How code finds its CPU's copy of a variable. The offset of the own copy is in a register (TPIDR_EL1); the number of
/// the CPU is a per-CPU variable, and the offsets by number are an array that all CPUs share. Neither changes after
/// boot. With DEBUG_PREEMPT even the own offset comes from the array, by number, each time; the test of the preemption
/// count in between reads a line of the running task, which is not modelled. Sources: Linux v5.8
/// arch/arm64/include/asm/{percpu,smp}.h, include/asm-generic/percpu.h, include/linux/percpu-defs.h.
class PerCpu {
 public:
  PerCpu(bool debug_preempt, const Arm64Costs& costs, Layout& layout)
      : debug_preempt_(debug_preempt),
        debug_cost_(costs.debug_smp_processor_id),
        layout_(layout),
        number_(layout.add_per_cpu("cpu_number", 4, 64)),
        offsets_(layout.add_data("__per_cpu_offset", 8 * std::uint64_t{layout.cpus()}, 64)) {}

  /// What boot leaves there, before the simulation starts.
  void init(cpu::DebugMemory& memory) const {
    for (unsigned c = 0; c < layout_.cpus(); ++c) {
      memory.poke(layout_.physical(cpu_number(c)), c, 4);
      memory.poke(layout_.physical(per_cpu_offset(c)), layout_.per_cpu(0, c));
    }
  }

  unsigned smp_processor_id(cpu::CpuOps& cpu) const {
    if (debug_preempt_) cpu.execute(debug_cost_);
    return static_cast<unsigned>(cpu.load(cpu_number(cpu.id()), 4));
  }
  /// The copy of CPU `of` of the variable whose first copy is at `cpu0`.
  Address per_cpu(cpu::CpuOps& cpu, Address cpu0, unsigned of) const { return cpu0 + cpu.load(per_cpu_offset(of)); }
  Address this_cpu_ptr(cpu::CpuOps& cpu, Address cpu0) const {
    if (!debug_preempt_) return layout_.per_cpu(cpu0, cpu.id());
    return per_cpu(cpu, cpu0, smp_processor_id(cpu));
  }
  unsigned cpus() const { return layout_.cpus(); }

  Address cpu_number(unsigned cpu) const { return layout_.per_cpu(number_, cpu); }
  Address per_cpu_offset(unsigned cpu) const { return offsets_ + 8 * std::uint64_t{cpu}; }

 private:
  const bool debug_preempt_;
  const std::uint64_t debug_cost_;
  const Layout& layout_;
  const Address number_, offsets_;
};

}  // namespace switchyard::kernel::arm64

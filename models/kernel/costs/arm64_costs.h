// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel/costs/kernel_costs.h"

namespace switchyard::kernel::arm64 {

/// Path lengths of an arm64 kernel. Those of switching and flushing are counted by hand, besides the accesses that the
/// model makes, in the statements of Linux v5.8 arch/arm64/mm/context.c and arch/arm64/include/asm/ as AArch64 code
/// would spell them; `per_cpu_address` comes from such code compiled by gcc 12 for Falkor.
struct Arm64Costs : KernelCosts {
  std::uint64_t check_and_switch_context = 18;
  std::uint64_t per_cpu_address = 4;
  std::uint64_t debug_smp_processor_id = 12;
  std::uint64_t bp_hardening = 20;
  std::uint64_t cpu_do_switch_mm = 14;
  std::uint64_t asid_slow_path = 22;
  std::uint64_t new_context = 20;
  std::uint64_t reserved_asid = 5;
  std::uint64_t flush_context = 20;
  std::uint64_t flush_context_cpu = 10;
  std::uint64_t flush_tlb = 12;
  std::uint64_t flush_tlb_one = 3;
  std::uint64_t switch_to = 40;
  std::uint64_t trampoline = 10;

  void visit(base::ParamVisitor& v) override {
    visit_paths(v);
    visit_switch(v);
    visit_flush(v);
    visit_lines(v);
  }

 protected:
  void visit_switch(base::ParamVisitor& v) {
    count(v, "check_and_switch_context", check_and_switch_context, "Its fast path from 5.9 on");
    count(v, "per_cpu_address", per_cpu_address,
          "Added to it up to 5.8: address of cpu_number, index into __per_cpu_offset, sum");
    count(v, "debug_smp_processor_id", debug_smp_processor_id, "DEBUG_PREEMPT: each look at the number of the CPU");
    count(v, "bp_hardening", bp_hardening, "Call for another mm that clears the predictor of returns");
    count(v, "cpu_do_switch_mm", cpu_do_switch_mm, "Values of the two table registers");
    count(v, "asid_slow_path", asid_slow_path, "Slow path besides lock and new_context");
    count(v, "new_context", new_context, "new_context besides its searches");
    count(v, "reserved_asid", reserved_asid, "One CPU in check_update_reserved_asid");
    count(v, "flush_context", flush_context, "flush_context besides clearing the map and the loop over CPUs");
    count(v, "flush_context_cpu", flush_context_cpu, "One CPU of it");
    count(v, "switch_to", switch_to, "Vector, debug, thread and other registers besides those of the tasks");
  }
  void visit_flush(base::ParamVisitor& v) {
    count(v, "flush_tlb", flush_tlb, "A flush besides its TLBIs");
    count(v, "flush_tlb_one", flush_tlb_one, "One TLBI of it");
    count(v, "trampoline", trampoline, "KPTI: the trampoline at kernel entry or exit");
  }
};

}  // namespace switchyard::kernel::arm64

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel/costs/kernel_costs.h"

namespace switchyard::kernel::x86 {

/// Path lengths of an x86 kernel. Those of switching and flushing are counted by hand, besides the accesses that the
/// model makes, in the statements of Linux v4.17 arch/x86/mm/tlb.c as x86-64 code would spell them, not in a compiled
/// kernel. Speculation barriers and debugging options are off.
struct X86Costs : KernelCosts {
  std::uint64_t switch_mm = 20;
  std::uint64_t switch_mm_same = 5;
  std::uint64_t switch_mm_next = 26;
  std::uint64_t choose_new_asid = 6;
  std::uint64_t choose_new_asid_slot = 4;
  std::uint64_t ibpb_test = 5;
  std::uint64_t switch_mm_control = 9;
  std::uint64_t switch_mm_wrapper = 9;
  std::uint64_t enter_lazy_tlb = 6;
  std::uint64_t leave_mm = 7;
  std::uint64_t invalidate_user_asid = 3;
  std::uint64_t switch_cr3 = 7;
  std::uint64_t flush_tlb_mm_range = 32;
  std::uint64_t flush_tlb_others = 12;
  std::uint64_t flush_tlb_func = 24;
  std::uint64_t flush_tlb_one = 4;

  void visit(base::ParamVisitor& v) override {
    visit_paths(v);
    visit_switch(v);
    visit_flush(v);
    visit_lines(v);
  }

 protected:
  void visit_switch(base::ParamVisitor& v) {
    count(v, "switch_mm", switch_mm, "switch_mm_irqs_off up to the comparison of the two mms, and its return");
    count(v, "switch_mm_same", switch_mm_same, "Its branch for the mm that is loaded: the test of the own bit");
    count(v, "switch_mm_next", switch_mm_next,
          "Its branch for another mm: index of the stack, bits of the masks, value of CR3");
    count(v, "choose_new_asid", choose_new_asid, "Choice of a PCID besides the search");
    count(v, "choose_new_asid_slot", choose_new_asid_slot, "One slot of its search");
    count(v, "ibpb_test", ibpb_test, "Test whether a branch predictor barrier is due");
    count(v, "switch_mm_control", switch_mm_control, "load_mm_cr4 and switch_ldt, which change nothing");
    count(v, "switch_mm_wrapper", switch_mm_wrapper, "switch_mm around switch_mm_irqs_off: the interrupt flag");
    count(v, "enter_lazy_tlb", enter_lazy_tlb, "enter_lazy_tlb besides a switch to init_mm");
    count(v, "leave_mm", leave_mm, "leave_mm besides the switch to init_mm");
    count(v, "invalidate_user_asid", invalidate_user_asid, "PTI: marking the user's PCID for a flush");
    count(v, "switch_cr3", switch_cr3, "PTI: change of CR3 at kernel entry or exit");
  }
  void visit_flush(base::ParamVisitor& v) {
    count(v, "flush_tlb_mm_range", flush_tlb_mm_range, "flush_tlb_mm_range besides the flushes");
    count(v, "flush_tlb_others", flush_tlb_others, "native_flush_tlb_others besides the call of the other CPUs");
    count(v, "flush_tlb_func", flush_tlb_func, "The flush on one CPU up to the choice between pages and everything");
    count(v, "flush_tlb_one", flush_tlb_one, "One page of it");
  }
};

}  // namespace switchyard::kernel::x86

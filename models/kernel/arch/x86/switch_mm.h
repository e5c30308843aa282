// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "kernel/arch/x86/mm_layout.h"
#include "kernel/arch/x86/tlb_state.h"
#include "kernel/costs/x86_costs.h"
#include "kernel/flush_mutation.h"
#include "kernel/kernel_services.h"
#include "kernel/mm_switch.h"

namespace switchyard::kernel::x86 {

/// `switch_mm:`. What is switched when, and with which features of the CPU.
struct SwitchMmParams : base::ParamSet {
  MmVersion version = MmVersion::v4_14;
  bool defer_inverted = false;
  bool skip_init_mm = false;
  bool pcid = true;
  bool pti = false;
  bool ibpb = true;
  bool cpumask_offstack = false;

  void visit(base::ParamVisitor& v) override {
    v.choice({.key = "version",
              .text = "Kernel whose code it is: 4.13 is lazy without PCIDs, 4.14 (to 4.18) switches to init_mm on CPUs "
                      "with PCIDs, 4.19 does so without touching init_mm's mask, 4.20 is lazy with PCIDs"},
             version, kMmVersions);
    v.value({.key = "defer_inverted",
             .text = "4.14, 4.19: tlb_defer_switch_to_init_mm() returns the opposite, so that CPUs with PCIDs are lazy "
                     "and those without switch"},
            defer_inverted);
    v.value({.key = "skip_init_mm", .text = "4.14: leave init_mm's CPU mask alone, as later kernels do"}, skip_init_mm);
    v.value({.key = "pcid", .text = "The CPU has PCIDs and the kernel uses them, from 4.14 on"}, pcid);
    v.value({.key = "pti", .text = "Page-table isolation: user mode has PCIDs of its own"}, pti);
    v.value(
        {.key = "ibpb",
         .text =
             "From 4.14 on: test for a branch predictor barrier at a switch to another user task; none is ever due"},
        ibpb);
    v.value({.key = "cpumask_offstack",
             .text = "CPUMASK_OFFSTACK: up to 4.18 mm_struct holds a pointer to its CPU mask instead of the mask"},
            cpumask_offstack);
  }
  std::string check() const override;
};

/// switch_mm_irqs_off, enter_lazy_tlb and leave_mm. Sources: Linux v4.13, v4.14, v4.17, v4.19 and v5.0
/// arch/x86/mm/tlb.c, arch/x86/include/asm/mmu_context.h. mm_count is the scheduler's business. The kernel's part of
/// every page table is complete from the start, so that the test of the stack's entry never finds it missing.
class SwitchMm : public MmSwitch {
 public:
  SwitchMm(const SwitchMmParams& params, const X86Costs& costs, const KernelServices& services,
           cpu::TranslationObserver* observer, FlushMutation mutation = FlushMutation::none);

  // Before the simulation starts.
  /// Makes `init_mm` the mm that every CPU has loaded. Comes before anything else.
  void set_init_mm(cpu::DebugMemory& memory, const AddressSpace& init_mm);
  /// Gives a new mm its id.
  void init_new_context(cpu::DebugMemory& memory, const AddressSpace& mm);

  /// The same by fork or exec.
  void init_new_context(cpu::CpuOps& cpu, const AddressSpace& mm);
  /// A CPU that comes up, with init_mm loaded.
  void initialize_tlbstate_and_flush(cpu::CpuOps& cpu);

  void switch_mm(cpu::CpuOps& cpu, const AddressSpace& prev, const AddressSpace& next) override;
  void enter_lazy_tlb(cpu::CpuOps& cpu, const AddressSpace& mm) override;
  void leave_mm(cpu::CpuOps& cpu) override;

  // For flushes.
  /// Switches to init_mm on behalf of no task.
  void switch_to_init_mm(cpu::CpuOps& cpu) { switch_mm_irqs_off(cpu, *init_mm_, false); }
  /// The mm that this CPU has loaded: one load.
  const AddressSpace& loaded_mm(cpu::CpuOps& cpu);
  bool is_init_mm(const AddressSpace& mm) const { return &mm == init_mm_; }
  /// Address of the mask, by way of its pointer where there is one.
  Address mm_cpumask(cpu::CpuOps& cpu, const AddressSpace& mm) const;
  /// __native_flush_tlb: everything of the mm that this CPU has loaded, by writing CR3 again.
  void native_flush_tlb(cpu::CpuOps& cpu);
  /// PTI: the user's PCID of the slot is flushed at the next return to user mode.
  void invalidate_user_asid(cpu::CpuOps& cpu, unsigned asid);
  /// The id in CR3 for a slot; 0 without PCIDs.
  std::uint16_t kern_pcid(unsigned asid) const { return static_cast<std::uint16_t>(uses_pcid_ ? asid + 1 : 0); }
  std::uint16_t user_pcid(unsigned asid) const {
    return static_cast<std::uint16_t>(uses_pcid_ ? kern_pcid(asid) | kUserPcid : 0);
  }

  // PTI: SWITCH_TO_USER_CR3 and SWITCH_TO_KERNEL_CR3 at the end of every way out of the kernel and at the start of
  // every way in, with interrupts off. Nothing without PTI. Source: Linux v4.17 arch/x86/entry/calling.h. Both halves
  // use one page table here.
  void switch_to_user_cr3(cpu::CpuOps& cpu);
  void switch_to_kernel_cr3(cpu::CpuOps& cpu);

  const SwitchMmParams& params() const { return params_; }
  const MmLayout& mm_layout() const { return layout_; }
  TlbState tlb_state(unsigned cpu) const { return states_.of(cpu); }
  Address last_mm_ctx_id() const { return last_mm_ctx_id_; }
  /// The entry of `mm`'s top-level table that maps kernel stacks.
  Address stack_entry(const AddressSpace& mm) const {
    return services_.layout.linear(mm.root) + 8 * std::uint64_t{kStackPgdIndex};
  }

  static constexpr std::uint64_t kStateOk = 1, kStateLazy = 2;
  static constexpr std::uint64_t kSwitching = 1;   ///< LOADED_MM_SWITCHING
  static constexpr unsigned kUserPcid = 1u << 11;  ///< X86_CR3_PTI_PCID_USER_BIT
  static constexpr unsigned kStackPgdIndex = 402;  ///< of VMALLOC_START with four levels

 private:
  /// Where an mm goes, and why the CPU's entries for it cannot be used.
  struct Slot {
    enum class Flush : std::uint8_t { none, reused, stale, lazy_stale };
    unsigned asid = 0;
    Flush flush = Flush::none;
  };

  /// What CR3 and loaded_mm of a CPU point to.
  struct Loaded {
    const AddressSpace* mm = nullptr;
    unsigned asid = 0;
  };

  void switch_mm_irqs_off(cpu::CpuOps& cpu, const AddressSpace& next, bool for_task);
  void switch_4_13(cpu::CpuOps& cpu, const AddressSpace& next);
  void switch_to_other(cpu::CpuOps& cpu, const AddressSpace& real_prev, const AddressSpace& next, bool for_task);
  void switch_to_same(cpu::CpuOps& cpu, const AddressSpace& next, unsigned asid, bool was_lazy);
  void cond_ibpb(cpu::CpuOps& cpu, const AddressSpace& next);
  void sync_current_stack_to_mm(cpu::CpuOps& cpu, const AddressSpace& next);
  void move_cpu_bit(cpu::CpuOps& cpu, const AddressSpace& real_prev, const AddressSpace& next);
  Slot choose_new_asid(cpu::CpuOps& cpu, const AddressSpace& next, std::uint64_t next_tlb_gen);
  void write_cr3(cpu::CpuOps& cpu, const AddressSpace& mm, std::uint16_t pcid, bool flush);
  void load_new_mm_cr3(cpu::CpuOps& cpu, const AddressSpace& next, Slot slot, std::uint64_t next_tlb_gen);
  void set_loaded_mm(cpu::CpuOps& cpu, const AddressSpace& mm, unsigned asid);
  void load_mm_cr4_and_ldt(cpu::CpuOps& cpu, const AddressSpace& real_prev, const AddressSpace& next);
  /// Reads the word of a mask that has this CPU's bit.
  static void cpumask_test_cpu(cpu::CpuOps& cpu, Address mask) { cpu.load(mask + cpu.id() / 64 * 8); }
  bool tlb_defer_switch_to_init_mm() const { return uses_pcid_ == params_.defer_inverted; }
  bool from(MmVersion version) const { return params_.version >= version; }
  bool leaves_out(Slot::Flush flush) const;

  const SwitchMmParams params_;
  const bool uses_pcid_, skip_init_mm_;
  const X86Costs costs_;
  const KernelServices services_;
  cpu::TranslationObserver* observer_;
  const FlushMutation mutation_;
  const MmLayout layout_;
  const TlbStates states_;
  const Address last_mm_ctx_id_;
  const AddressSpace* init_mm_ = nullptr;
  std::vector<Loaded> loaded_;  ///< loaded_[cpu]
  const cpu::FunctionId switch_mm_, enter_lazy_tlb_, leave_mm_;
};

}  // namespace switchyard::kernel::x86

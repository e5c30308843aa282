// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "interrupt/fence_queue.h"
#include "interrupt/firmware.h"
#include "interrupt/opensbi_params.h"

namespace switchyard::interrupt {

/// OpenSBI on a CLINT: SBI calls trap to machine mode, other harts are reached by machine software interrupts.
/// Source: OpenSBI lib/sbi/sbi_tlb.c, sbi_ipi.c, sbi_timer.c (1.2 for serial, 1.3 for parallel). Its data lies in
/// simulated memory; between calls nothing but statistics is kept here.
class OpenSbi : public Firmware {
 public:
  using Params = OpenSbiParams;
  OpenSbi(const FirmwareContext& context, const Params& params);

  void remote_sfence_vma(cpu::CpuOps& cpu, const base::CpuMask& targets, const FenceRange& range) override;
  void send_ipi(cpu::CpuOps& cpu, const base::CpuMask& targets) override;
  void set_timer(cpu::CpuOps& cpu, std::uint64_t deadline_ps) override;
  void interrupt(cpu::CpuOps& cpu, std::uint32_t pending) override;
  const base::StatGroup& stats() const override { return stats_; }
  AddressRange memory() const override { return {params_.memory, params_.stride.value * harts_}; }
  const ScratchLayout& layout() const { return layout_; }

 private:
  /// Bits of a hart's ipi_type word.
  enum IpiType : std::uint64_t { kSupervisorSoft = 1, kFence = 2 };

  struct Stats : base::StatGroup {
    base::Counter remote_fences{*this, "remote_fences", "count", "Fence calls with at least one other hart"};
    base::Counter local_only{*this, "local_only", "count", "Fence calls for the calling hart only"};
    base::Counter ipis_sent{*this, "ipis_sent", "count", "Machine software interrupts raised"};
    base::Counter merges{*this, "merges", "count", "Fence requests joined with a waiting one"};
    base::Counter fifo_full{*this, "fifo_full", "count", "Attempts to queue a fence request that found no room"};
    base::Counter full_flushes{*this, "full_flushes", "count", "Fences executed as flush of all or of one id"};
    base::Counter page_flushes{*this, "page_flushes", "count", "Pages flushed one by one"};
    base::Counter trap_flushes{*this, "trap_flushes", "count", "Flushes at trap entry"};
    base::Counter traps{*this, "traps", "count", "Entries to machine mode"};
  };
  struct Functions {
    explicit Functions(cpu::FunctionTable& table);
    cpu::FunctionId trap, ecall, tlb_request, tlb_update, tlb_sync, tlb_process, local_fence, ipi_send, ipi_process,
        timer_start, timer_process;
  };

  // opensbi.cpp
  void enter(cpu::CpuOps& cpu);
  void send(cpu::CpuOps& cpu, unsigned target, IpiType type);
  void software_interrupt(cpu::CpuOps& cpu);
  void timer_interrupt(cpu::CpuOps& cpu);

  // opensbi_fence.cpp
  FenceRange effective(const FenceRange& range) const;
  void fence_one_by_one(cpu::CpuOps& cpu, const base::CpuMask& targets, const FenceRequest& request);
  void fence_all_at_once(cpu::CpuOps& cpu, const base::CpuMask& targets, const FenceRequest& request);
  bool queue_fence(cpu::CpuOps& cpu, unsigned target, const FenceRequest& request);
  void local_fence(cpu::CpuOps& cpu, const FenceRange& range);
  bool process_one_fence(cpu::CpuOps& cpu);
  void wait_for_acknowledgements(cpu::CpuOps& cpu);
  bool acknowledged(cpu::CpuOps& cpu);

  const Params params_;
  const std::uint64_t harts_;
  const base::Address clint_;
  const base::Frequency timebase_;
  const ScratchLayout layout_;
  const Functions functions_;
  const FirmwarePace pace_;
  FenceQueue queue_;
  Stats stats_;
};

}  // namespace switchyard::interrupt

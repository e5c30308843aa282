// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "base/cpu_mask.h"
#include "cpu/cpu_ops.h"
#include "interrupt/firmware_pace.h"
#include "interrupt/opensbi_params.h"
#include "interrupt/sbi.h"

namespace switchyard::interrupt {

/// A fence that some harts wait for another one to execute.
struct FenceRequest {
  FenceRange range;
  base::CpuMask sources;  ///< who gets an acknowledgement
};

/// Where the firmware's per-hart data lies in physical memory.
class ScratchLayout {
 public:
  ScratchLayout(const OpenSbiParams& params, unsigned harts);

  base::Address ipi_type(unsigned hart) const { return base_ + stride_ * hart; }
  base::Address tlb_sync(unsigned hart) const { return ipi_type(hart) + align_; }
  base::Address queue_lock(unsigned hart) const { return ipi_type(hart) + 2 * align_; }
  /// 4 bytes: first entry in the low half, number of entries in the high half. On the line of the lock.
  base::Address queue_ring(unsigned hart) const { return queue_lock(hart) + 4; }
  /// Words of an entry: start, size, asid (bit 16: present), sources from hart 0 up.
  base::Address entry(unsigned hart, unsigned index) const { return entries(hart) + 8 * index * words_per_entry(); }
  base::Address entries(unsigned hart) const { return ipi_type(hart) + 3 * align_; }
  unsigned words_per_entry() const { return 3 + mask_words_; }
  unsigned mask_words() const { return mask_words_; }

 private:
  base::Address base_, stride_, align_;
  unsigned mask_words_;
};

/// The per-hart rings of fences to execute, in simulated memory under a ticket lock each. All calls are made by
/// firmware running on `cpu`; `owner` is the hart whose ring it is.
class FenceQueue {
 public:
  FenceQueue(const ScratchLayout& layout, const OpenSbiParams& params, const FirmwarePace& pace,
             cpu::FunctionTable& functions);

  /// Adds `request` to a waiting one of the same address space that covers or overlaps it; false if there is none.
  bool merge(cpu::CpuOps& cpu, unsigned owner, const FenceRequest& request);
  /// Appends; false if the ring is full.
  bool push(cpu::CpuOps& cpu, unsigned owner, const FenceRequest& request);
  std::optional<FenceRequest> pop(cpu::CpuOps& cpu, unsigned owner);
  /// A look without the lock.
  bool waiting(cpu::CpuOps& cpu, unsigned owner) { return load_ring(cpu, owner).used != 0; }

 private:
  struct Ring {
    unsigned first = 0;
    unsigned used = 0;
  };
  /// Holds the ticket lock of a ring.
  class Guard;

  Ring load_ring(cpu::CpuOps& cpu, unsigned owner) const;
  void store_ring(cpu::CpuOps& cpu, unsigned owner, Ring ring) const;
  base::Address slot(unsigned owner, Ring ring, unsigned index) const;
  bool merge_into(cpu::CpuOps& cpu, base::Address entry, const FenceRequest& request) const;
  FenceRange load_range(cpu::CpuOps& cpu, base::Address entry) const;

  const ScratchLayout& layout_;
  const unsigned entries_;
  const FirmwareCosts& costs_;
  const FirmwarePace& pace_;
  const cpu::FunctionId update_, enqueue_, dequeue_;
};

}  // namespace switchyard::interrupt

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace switchyard::kernel {

/// A flush that the kernel leaves out although it owes it. Only tests pass one; no configuration reaches it.
enum class FlushMutation : std::uint8_t {
  none,
  flush_tlb_page,             ///< the flush of ptep_clear_flush
  flush_tlb_range,            ///< the flush of munmap
  broadcast,                  ///< the broadcast of a purge: only the own TLB is purged
  broadcast_wait,             ///< arm64: the DSB after it
  user_asid,                  ///< arm64: the broadcast for the user's ASID
  flush_tlb_page_remote,      ///< its remote part: only the own TLB is flushed
  arch_tlbbatch_add_pending,  ///< the mask of the batch stays empty
  try_to_unmap_flush,         ///< the flush at the end of a reclaim list
  try_to_unmap_flush_dirty,   ///< the flush before a dirty page is written
  flush_tlb_batched_pending,  ///< the flush before a page-table page is worked on again
  switch_mm_local_fence,      ///< without ASIDs: the fence after the new root is set
  rollover_local_fence,       ///< with ASIDs: the fence of the first switch after a rollover
  mm_cpumask_set,             ///< the bit of a CPU that starts to use an mm
  inc_mm_tlb_gen,             ///< x86: the new generation that a flush gives its mm
  flush_tlb_func_local,       ///< x86: the flush of the own TLB
  flush_tlb_others,           ///< x86: the call of the other CPUs
  flush_tlb_func_remote,      ///< x86: what the called CPUs flush
  lazy_to_init_mm,            ///< x86: a called CPU that is lazy keeps the mm it borrows
  pcid_reused,                ///< x86: the flush when a PCID goes to another mm
  pcid_stale,                 ///< x86: the flush when the mm of a PCID has moved on
  lazy_stale,                 ///< x86: the flush when a lazy CPU comes back to an mm that has moved on
  user_pcid                   ///< x86: the flush of the user's PCID at the return to user mode
};

}  // namespace switchyard::kernel

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
  flush_tlb_page_remote,      ///< its remote part: only the own TLB is flushed
  arch_tlbbatch_add_pending,  ///< the mask of the batch stays empty
  try_to_unmap_flush,         ///< the flush at the end of a reclaim list
  try_to_unmap_flush_dirty,   ///< the flush before a dirty page is written
  flush_tlb_batched_pending,  ///< the flush before a page-table page is worked on again
  switch_mm_local_fence,      ///< without ASIDs: the fence after the new root is set
  rollover_local_fence,       ///< with ASIDs: the fence of the first switch after a rollover
  mm_cpumask_set              ///< the bit of a CPU that starts to use an mm
};

}  // namespace switchyard::kernel

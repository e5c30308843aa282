// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernel/layout.h"

namespace switchyard::kernel {

/// Where the mm_struct members lie that architectures place differently.
struct MmOffsets {
  std::uint64_t mm_count = 0;
  std::uint64_t mm_mt = 64;
  std::uint64_t pgd = 112;
  std::uint64_t mm_users = 124;
  std::uint64_t page_table_lock = 144;
  std::uint64_t mmap_lock = 152;
  std::uint64_t cpumask = 1088;
};

/// Addresses of the mm_struct members that policies touch. Which members there are: Linux mm_types.h; the offsets are
/// assumed (not taken from a build), in the order of the structure. Unless `at` says otherwise the CPU mask is at its
/// end.
struct MmFields {
  static constexpr std::uint64_t kAlignment = 64;
  static constexpr std::uint64_t size(unsigned cpus) { return MmOffsets{}.cpumask + (cpus + 63) / 64 * 8; }

  Address base = 0;
  MmOffsets at{};
  Address mm_count() const { return base + at.mm_count; }
  Address mm_mt() const { return base + at.mm_mt; }  ///< root of the maple tree of areas
  Address pgd() const { return base + at.pgd; }
  Address mm_users() const { return base + at.mm_users; }
  Address page_table_lock() const { return base + at.page_table_lock; }
  Address mmap_lock() const { return base + at.mmap_lock; }
  Address hiwater_rss() const { return base + 216; }
  Address rss_stat(unsigned member) const { return base + 656 + member * 40; }  ///< percpu_counter
  Address context_id() const { return base + 840; }
  Address tlb_flush_pending() const { return base + 960; }
  Address tlb_flush_batched() const { return base + 964; }
  Address cpumask() const { return base + at.cpumask; }
};

/// Members of mm->rss_stat.
enum RssMember : unsigned { kFilePages, kAnonPages, kSwapEntries, kShmemPages, kRssMembers };

struct AddressSpace;
struct Vma;

/// An inode with its page cache: struct shmem_inode_info with the address_space inside, and the xarray's nodes.
/// The offsets are assumed. A slot of the xarray holds the address of a struct page, or a
/// swap entry with bit 0 set, or 0.
struct PageCache {
  static constexpr std::uint64_t kBytes = 1024;
  static constexpr std::uint64_t kNodeBytes = 576;
  static constexpr std::uint64_t kNodeSlots = 64;
  static constexpr std::uint64_t kSlotsOffset = 40;

  Address inode = 0;
  std::uint64_t pages = 0;
  std::vector<Address> leaves;  ///< leaves[index / 64]
  std::vector<Address> inner;   ///< the nodes above, root first; empty when one leaf suffices
  std::vector<Vma*> mapped_in;  ///< the i_mmap interval tree

  Address info_lock() const { return inode; }
  Address i_state() const { return inode + 192; }
  Address i_pages_lock() const { return inode + 512; }
  Address i_pages_head() const { return inode + 520; }
  Address i_mmap_root() const { return inode + 560; }
  Address nrpages() const { return inode + 576; }
  Address a_ops() const { return inode + 592; }
  Address i_mmap_rwsem() const { return inode + 616; }
  Address slot(std::uint64_t index) const {
    return leaves[index / kNodeSlots] + kSlotsOffset + 8 * (index % kNodeSlots);
  }
};

enum class MapKind : std::uint8_t { shared_anonymous, private_anonymous, text, data };

/// A vm_area_struct; the offsets are assumed. The per-VMA lock is an object of its own.
struct Vma {
  static constexpr std::uint64_t kBytes = 192;
  static constexpr std::uint64_t kLockBytes = 40;

  Address start = 0;
  Address end = 0;
  MapKind kind = MapKind::shared_anonymous;
  AddressSpace* mm = nullptr;
  PageCache* cache = nullptr;  ///< null for private areas
  Address file_page = 0;       ///< text: its page of the page cache
  Address object = 0;
  Address lock = 0;
  Address vm_flags() const { return object + 32; }
  Address vm_ops() const { return object + 120; }
  Address vm_lock_seq() const { return object + 40; }
};

/// Static data of a program: a region that exists, full of zeros, when the process starts. It begins `offset` bytes
/// after a multiple of `alignment`, a power of two of at most a page; physical and virtual addresses agree on that.
struct UserData {
  std::string name;
  std::uint64_t size = 0;
  std::uint64_t alignment = 8;
  std::uint64_t offset = 0;
  Address va = 0;  ///< set by the kernel, as is `pa`
  Address pa = 0;
};

/// An mm: the simulated mm_struct plus what the model keeps on the host. The kernel owns it for the whole run, and uses
/// those that fork has made again.
struct AddressSpace {
  std::string name;
  MmFields fields;
  Address root = 0;  ///< physical address of the top-level page table
  Address maple_node = 0;
  Address files = 0;              ///< struct files_struct; 0 for a process without files
  unsigned threads_at_start = 1;  ///< of the process, before the simulation starts
  Address next_map = 0;
  std::vector<std::unique_ptr<Vma>> areas;     ///< ascending
  std::vector<std::unique_ptr<Vma>> detached;  ///< under munmap: no longer found, their pages still to be unmapped
  std::vector<std::unique_ptr<PageCache>> caches;
  std::vector<UserData> data;

  /// The area that contains `va`, or nullptr.
  Vma* find(Address va) const {
    for (const auto& area : areas)
      if (va >= area->start && va < area->end) return area.get();
    return nullptr;
  }
};

/// The part of a task that memory management sees: task_struct and kernel stack.
struct Thread {
  /// The offsets are assumed; struct tlbflush_unmap_batch lies in the middle of task_struct.
  static constexpr std::uint64_t kBytes = 4096;
  static constexpr std::uint64_t kBatchOffset = 2112;

  Address task_struct = 0;
  Address stack_end = 0;
  std::uint64_t register_bytes = 0;            ///< saved at the end of the stack: struct pt_regs
  std::vector<const AddressSpace*> unflushed;  ///< address spaces in the batch, for the stale-translation check

  Address flags() const { return task_struct; }       ///< thread_info.flags
  Address state() const { return task_struct + 24; }  ///< __state
  Address on_cpu() const { return task_struct + 64; }
  Address wake_entry() const { return task_struct + 56; }
  Address wakee_flips_field() const { return task_struct + 72; }
  Address recent_used_cpu_field() const { return task_struct + 96; }
  Address on_rq() const { return task_struct + 120; }
  Address vruntime() const { return task_struct + 192; }
  Address children_list() const { return task_struct + 1024; }
  Address sibling() const { return task_struct + 1040; }
  Address exit_state() const { return task_struct + 1152; }
  Address usage() const { return task_struct + 16; }
  Address pi_lock() const { return task_struct + 2060; }
  Address thread_registers() const { return task_struct + 2560; }
  Address batch_cpumask() const { return task_struct + kBatchOffset; }
  Address batch_flush_required() const { return task_struct + kBatchOffset + 128; }
  Address batch_writable() const { return task_struct + kBatchOffset + 129; }
  /// A word of a stack frame `depth` bytes below the saved registers.
  Address frame(std::uint64_t depth) const { return stack_end - register_bytes - depth; }
};

}  // namespace switchyard::kernel

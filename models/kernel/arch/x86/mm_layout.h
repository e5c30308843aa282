// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/errors.h"
#include "kernel/address_space.h"
#include "kernel/arch/x86/mm_version.h"

namespace switchyard::kernel::x86 {

/// Where the members of mm_struct lie on x86. Order of the members: Linux v4.13, v4.17, v4.19 and v5.0
/// include/linux/mm_types.h and arch/x86/include/asm/mmu.h. The offsets of pgd to mmap_sem are those of v4.17, counted;
/// those from the CPU mask on are assumed, but keep what shares a line: up to 4.18 the mask comes right before
/// `context` unless masks are allocated off the stack; then a pointer is there, and the bitmap comes near the end.
/// From 4.19 on the bitmap is the tail of the structure.
class MmLayout {
 public:
  MmLayout(MmVersion version, bool cpumask_offstack, unsigned cpus)
      : mask_bytes_((cpus + 63) / 64 * 8),
        has_ids_(version != MmVersion::v4_13),
        has_pointer_(cpumask_offstack && version < MmVersion::v4_19) {
    const bool inside = !cpumask_offstack && version < MmVersion::v4_19;
    if (inside && cpus > kMostInside)
      throw base::ConfigError("cpumask_offstack", "kernels with " + std::to_string(cpus) +
                                                      " CPUs keep masks off the stack: it must be true above " +
                                                      std::to_string(kMostInside));
    context_ = kMask + (inside ? mask_bytes_ : 8);
    at_ = {.mm_count = 92,
           .mm_mt = 8,
           .pgd = 80,
           .mm_users = 88,
           .page_table_lock = 108,
           .mmap_lock = 112,
           .cpumask = inside ? kMask : kTail};
  }

  /// Room for an mm_struct: init_mm is a variable of the kernel image, the others come from the slab allocator.
  MmFields place(Layout& layout, const std::string& name, bool user) const {
    const std::uint64_t bytes = kTail + mask_bytes_;
    MmFields fields;
    fields.at = at_;
    fields.base = user ? layout.add_slab(name + ".mm_struct", bytes, MmFields::kAlignment)
                       : layout.add_data(name, bytes, MmFields::kAlignment);
    return fields;
  }

  /// Whether mm_cpumask() follows a pointer to find the mask.
  bool has_mask_pointer() const { return has_pointer_; }
  Address cpu_vm_mask_var(const AddressSpace& mm) const { return mm.fields.base + kMask; }

  // Members of mm->context. 4.13 has neither ids nor generations.
  Address ctx_id(const AddressSpace& mm) const { return context(mm); }
  Address tlb_gen(const AddressSpace& mm) const { return context(mm) + 8; }
  Address ldt(const AddressSpace& mm) const { return context(mm) + (has_ids_ ? 56 : 0); }
  Address perf_rdpmc_allowed(const AddressSpace& mm) const { return context(mm) + (has_ids_ ? 120 : 64); }
  Address flags(const AddressSpace& mm) const { return context(mm) + 144; }

 private:
  static constexpr std::uint64_t kMask = 864;  ///< begins 32 bytes into a line
  static constexpr std::uint64_t kTail = 1088;
  static constexpr unsigned kMostInside = 512;  ///< NR_CPUS without CPUMASK_OFFSTACK, arch/x86/Kconfig

  Address context(const AddressSpace& mm) const { return mm.fields.base + context_; }

  std::uint64_t mask_bytes_;
  bool has_ids_, has_pointer_;
  std::uint64_t context_ = 0;
  MmOffsets at_;
};

}  // namespace switchyard::kernel::x86

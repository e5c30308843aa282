// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel/arch/x86/mm_version.h"
#include "kernel/layout.h"

namespace switchyard::kernel::x86 {

inline constexpr unsigned kDynAsids = 6;  ///< TLB_NR_DYN_ASIDS

/// Addresses of the members of one CPU's cpu_tlbstate. Source: Linux v4.13, v4.17 and v5.0
/// arch/x86/include/asm/tlbflush.h; the offsets are those of v5.0 for all versions from 4.14 on.
class TlbState {
 public:
  TlbState(Address base, bool has_ids) : base_(base), has_ids_(has_ids) {}

  Address loaded_mm() const { return base_; }
  Address state() const { return base_ + 8; }  ///< 4.13: OK or LAZY
  Address cr4() const { return base_ + (has_ids_ ? 24 : 16); }

  // From 4.14 on.
  Address last_user() const { return base_ + 8; }  ///< last_ctx_id, from 4.20 on last_user_mm_ibpb
  Address loaded_mm_asid() const { return base_ + 16; }
  Address next_asid() const { return base_ + 18; }
  Address is_lazy() const { return base_ + 20; }
  Address invalidate_other() const { return base_ + 21; }
  Address user_pcid_flush_mask() const { return base_ + 22; }
  Address ctx_id(unsigned asid) const { return base_ + kContexts + 16 * asid; }
  Address tlb_gen(unsigned asid) const { return base_ + kContexts + 16 * asid + 8; }

  static constexpr std::uint64_t kContexts = 32;
  static constexpr std::uint64_t bytes(MmVersion version) {
    return version == MmVersion::v4_13 ? 24 : kContexts + 16 * kDynAsids;
  }

 private:
  Address base_;
  bool has_ids_;
};

/// The cpu_tlbstate of all CPUs: per-CPU data in lines of their own, because other CPUs read them.
class TlbStates {
 public:
  TlbStates(Layout& layout, MmVersion version)
      : layout_(layout),
        has_ids_(version != MmVersion::v4_13),
        first_(layout.add_per_cpu("cpu_tlbstate", round_up(TlbState::bytes(version), kLine), kLine)) {}
  TlbState of(unsigned cpu) const { return {layout_.per_cpu(first_, cpu), has_ids_}; }

 private:
  static constexpr std::uint64_t kLine = 64;
  const Layout& layout_;
  const bool has_ids_;
  const Address first_;
};

}  // namespace switchyard::kernel::x86

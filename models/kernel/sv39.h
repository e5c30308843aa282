// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernel/layout.h"

/// Sv39 page-table entries and the kernel's use of them. Sources: RISC-V privileged specification 1.12, section 4.4;
/// Linux v6.7 arch/riscv/include/asm/pgtable-bits.h and Documentation/arch/riscv/vm-layout.rst.
namespace switchyard::kernel {

enum PteBit : std::uint64_t {
  kPteValid = 1u << 0,
  kPteRead = 1u << 1,
  kPteWrite = 1u << 2,
  kPteExec = 1u << 3,
  kPteUser = 1u << 4,
  kPteGlobal = 1u << 5,
  kPteAccessed = 1u << 6,
  kPteDirty = 1u << 7,
};

inline constexpr unsigned kLevels = 3;
inline constexpr std::uint64_t kEntries = 512;

/// Kernel virtual regions of Linux v6.7 with three-level page tables.
inline constexpr VirtualMap kVirtualMap{.vmemmap = 0xffffffc500000000,
                                        .vmalloc = 0xffffffc600000000,
                                        .linear = 0xffffffd600000000,
                                        .image = 0xffffffff80000000,
                                        .linear_bytes = std::uint64_t{124} << 30,
                                        .physical_bits = 56};
inline constexpr Address kUserEnd = std::uint64_t{1} << 38;

constexpr std::uint64_t make_pte(Address pa, std::uint64_t bits) { return (pa >> kPageShift) << 10 | bits; }
constexpr Address pte_address(std::uint64_t pte) { return ((pte >> 10) & 0xfffffffffff) << kPageShift; }
constexpr bool pte_present(std::uint64_t pte) { return (pte & kPteValid) != 0; }
constexpr bool pte_leaf(std::uint64_t pte) { return (pte & (kPteRead | kPteExec)) != 0; }

/// Index into the table of `level`: 2 is the root, 0 the last.
constexpr std::uint64_t table_index(Address va, unsigned level) {
  return (va >> (kPageShift + 9 * level)) & (kEntries - 1);
}
constexpr std::uint64_t level_bytes(unsigned level) { return kPageSize << (9 * level); }

/// Bits of a user mapping. PAGE_SHARED and friends are born accessed; the dirty bit is set by write faults.
inline constexpr std::uint64_t kUserData = kPteValid | kPteRead | kPteWrite | kPteUser | kPteAccessed;
inline constexpr std::uint64_t kUserText = kPteValid | kPteRead | kPteExec | kPteUser | kPteAccessed;
inline constexpr std::uint64_t kKernelData = kPteValid | kPteRead | kPteWrite | kPteGlobal | kPteAccessed | kPteDirty;
inline constexpr std::uint64_t kKernelText = kPteValid | kPteRead | kPteExec | kPteGlobal | kPteAccessed | kPteDirty;

}  // namespace switchyard::kernel

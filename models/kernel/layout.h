// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/params.h"
#include "kernel/page_allocator.h"

namespace switchyard::kernel {

using base::Address;

/// Size of the pages that map a kernel region.
enum class MappingSize : std::uint8_t { small, large, huge };  // 4 KiB, 2 MiB, 1 GiB
inline constexpr std::string_view kMappingSizes[] = {"4 KiB", "2 MiB", "1 GiB"};
std::uint64_t mapping_bytes(MappingSize size);

/// How kernel memory is placed and mapped.
struct LayoutParams : base::ParamSet {
  PageAllocator::Placement placement = PageAllocator::Placement::contiguous;
  MappingSize linear_map = MappingSize::large;
  MappingSize vmemmap = MappingSize::large;
  base::Bytes memory{};
  base::Bytes section_alignment = base::mib(2);
  std::uint64_t max_tasks = 64;
  void visit(base::ParamVisitor& v) override;
};

/// Where the kernel's virtual regions start.
struct VirtualMap {
  Address vmemmap = 0;
  Address vmalloc = 0;
  Address linear = 0;
  Address image = 0;
  std::uint64_t linear_bytes = std::uint64_t{1} << 40;  ///< size of the linear map
  unsigned physical_bits = 64;                          ///< of addresses in page-table entries
};

/// A range of kernel virtual addresses that page tables must map.
struct Mapping {
  std::string name;
  Address va = 0;
  Address pa = 0;
  std::uint64_t size = 0;
  MappingSize page = MappingSize::small;
  bool executable = false;
};

/// A named object, for `--symbols`.
struct Symbol {
  std::string name;
  Address va = 0;
  Address pa = 0;
  std::uint64_t size = 0;
  std::string section;  ///< `.data`, `percpu`, `slab`, `stack`, `user data`
};

/// Places kernel objects in simulated memory and knows both addresses of each. Memory starts out as zeros.
class Layout {
 public:
  static constexpr std::uint64_t kPageStruct = 64;             ///< sizeof(struct page)
  static constexpr std::uint64_t kStackBytes = 4 * kPageSize;  ///< THREAD_SIZE of 64-bit riscv

  Layout(const LayoutParams& params, const VirtualMap& map, Address ram_base, std::uint64_t ram_size, unsigned cpus,
         std::uint64_t seed);

  /// A variable of the kernel image.
  Address add_data(std::string_view name, std::uint64_t size, std::uint64_t alignment);
  /// A variable that each CPU has its own copy of; the result is that of CPU 0, per_cpu() gives the others.
  Address add_per_cpu(std::string_view name, std::uint64_t size, std::uint64_t alignment);
  Address per_cpu(Address cpu0, unsigned cpu) const { return cpu0 + cpu * per_cpu_unit_; }
  /// An object of the slab allocator, in the linear map. Objects above a page only while the machine boots.
  Address add_slab(std::string_view name, std::uint64_t size, std::uint64_t alignment);
  /// A kernel stack in vmalloc space, mapped with 4 KiB pages; returns its end (stacks grow down).
  Address add_stack(std::string_view name);

  Address linear(Address pa) const { return map_.linear + (pa - linear_base_); }
  Address from_linear(Address va) const { return va - map_.linear + linear_base_; }
  /// The struct page of the page at `pa`.
  Address page_struct(Address pa) const { return map_.vmemmap + ((pa - ram_base_) >> kPageShift) * kPageStruct; }
  /// The physical page that a struct page stands for.
  Address page_of(Address page_struct) const {
    return ram_base_ + ((page_struct - map_.vmemmap) / kPageStruct << kPageShift);
  }
  /// The physical address of any kernel address that this layout handed out.
  Address physical(Address va) const;

  Address text() const { return map_.image; }
  PageAllocator& pages() { return pages_; }
  const std::vector<Mapping>& mappings() const { return mappings_; }
  const std::vector<Symbol>& symbols() const { return symbols_; }
  /// The symbol that an address lies in, or the address.
  std::string name_of(Address va) const;
  /// Lists an object that somebody else placed.
  void add_symbol(Symbol symbol) { symbols_.push_back(std::move(symbol)); }
  unsigned cpus() const { return cpus_; }

 private:
  /// Memory for objects of one kind, filled from the start.
  struct Arena {
    Address va = 0;
    std::uint64_t size = 0;
    std::uint64_t used = 0;
    std::string_view section;
    std::string_view hint = "";  ///< what to do when it is full
  };
  static constexpr std::uint64_t kTextBytes = 8 << 20;
  static constexpr std::uint64_t kDataBytes = 2 << 20;

  Address take(Arena& arena, std::string_view name, std::uint64_t size, std::uint64_t alignment);
  void add_mapping(std::string name, Address va, Address pa, std::uint64_t size, MappingSize page, bool executable);

  const VirtualMap map_;
  const unsigned cpus_;
  const Address ram_base_;
  const Address linear_base_;
  const std::uint64_t per_cpu_unit_;
  PageAllocator pages_;
  Arena data_, per_cpu_, slab_, stacks_;
  std::vector<Mapping> mappings_;
  std::vector<Symbol> symbols_;
};

}  // namespace switchyard::kernel

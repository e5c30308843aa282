// SPDX-License-Identifier: Apache-2.0
#include "kernel/layout.h"

#include <algorithm>

#include "base/errors.h"

namespace switchyard::kernel {

namespace {

constexpr std::string_view kPlacements[] = {"contiguous", "random"};
constexpr std::uint64_t kPerCpuBytes = 16 << 10;  // of one CPU, without what grows with the number of CPUs
constexpr std::uint64_t kMega = std::uint64_t{2} << 20;
constexpr std::uint64_t kGiga = std::uint64_t{1} << 30;

/// The memory that the kernel uses, refused where it does not fit the kernel's address space.
std::uint64_t managed(const LayoutParams& params, const VirtualMap& map, Address ram_base, std::uint64_t ram_size) {
  const std::uint64_t size = params.memory.value == 0 ? ram_size : std::min(params.memory.value, ram_size);
  if (size > map.linear_bytes - kGiga)  // it starts on a boundary of 1 GiB
    throw base::ConfigError("kernel.params.layout.memory",
                            "the linear map holds " + std::to_string((map.linear_bytes - kGiga) / kGiga) +
                                " GiB, the kernel is given " + std::to_string(size / kGiga) +
                                "; set it to less, or the size of the memory module");
  if (map.physical_bits < 64 && (ram_base + size) >> map.physical_bits != 0)
    throw base::ConfigError("modules", "memory ends beyond the " + std::to_string(map.physical_bits) +
                                           "-bit physical addresses of a page-table entry");
  return size;
}

}  // namespace

std::uint64_t mapping_bytes(MappingSize size) {
  static constexpr std::uint64_t kBytes[] = {kPageSize, kMega, kGiga};
  return kBytes[static_cast<std::size_t>(size)];
}

void LayoutParams::visit(base::ParamVisitor& v) {
  v.choice({.key = "placement", .text = "Order in which free pages are handed out"}, placement, kPlacements);
  v.choice({.key = "linear_map", .text = "Page size of the linear map of all memory"}, linear_map, kMappingSizes);
  v.choice({.key = "vmemmap", .text = "Page size of the map of struct page"}, vmemmap, kMappingSizes);
  v.value({.key = "memory", .text = "Memory that the kernel uses (mem=); 0 means all that the machine has"}, memory);
  v.value({.key = "section_alignment",
           .text = "Boundary on which per-CPU memory and slabs start; decides how many entries of "
                   "the linear map they need"},
          section_alignment, {4096, 1 << 30});
  v.value({.key = "max_tasks", .text = "Tasks that exist at one time besides the idle tasks", .unit = "tasks"},
          max_tasks, {1, 100000});
}

// The linear map starts on a 1 GiB boundary of physical memory so that any page size fits it.
Layout::Layout(const LayoutParams& params, const VirtualMap& map, Address ram_base, std::uint64_t ram_size,
               unsigned cpus, std::uint64_t seed)
    : map_(map),
      cpus_(cpus),
      ram_base_(round_up(ram_base, kPageSize)),
      linear_base_(ram_base / kGiga * kGiga),
      per_cpu_unit_(round_up(kPerCpuBytes + 64 * std::uint64_t{cpus}, kPageSize)),
      pages_(ram_base, managed(params, map, ram_base, ram_size), params.placement, seed) {
  const Address end = ram_base_ + pages_.size();
  add_mapping("linear map", map_.linear, linear_base_, end - linear_base_, params.linear_map, false);

  const Address image = pages_.boot_memory(kTextBytes + kDataBytes, kMega);
  add_mapping("kernel text", map_.image, image, kTextBytes, MappingSize::large, true);
  add_mapping("kernel data", map_.image + kTextBytes, image + kTextBytes, kDataBytes, MappingSize::large, false);
  data_ = {map_.image + kTextBytes, kDataBytes, 0, ".data"};

  const std::uint64_t structs = round_up(pages_.size() / kPageSize * kPageStruct, mapping_bytes(params.vmemmap));
  const Address vmemmap = pages_.boot_memory(structs, mapping_bytes(params.vmemmap));
  add_mapping("vmemmap", map_.vmemmap, vmemmap, structs, params.vmemmap, false);

  const std::uint64_t alignment = params.section_alignment.value;
  per_cpu_ = {linear(pages_.boot_memory(cpus * per_cpu_unit_, alignment)), per_cpu_unit_, 0, "percpu"};
  slab_ = {linear(pages_.boot_memory(kPageSize, alignment)), kPageSize, 0, "slab"};
  const std::uint64_t stacks = (params.max_tasks + cpus) * kStackBytes;
  add_mapping("kernel stacks", map_.vmalloc, pages_.boot_memory(stacks, kPageSize), stacks, MappingSize::small, false);
  stacks_ = {map_.vmalloc, stacks, 0, "stack", "; kernel.params.layout.max_tasks decides how many tasks there can be"};
}

void Layout::add_mapping(std::string name, Address va, Address pa, std::uint64_t size, MappingSize page,
                         bool executable) {
  mappings_.push_back({std::move(name), va, pa, round_up(size, mapping_bytes(page)), page, executable});
}

Address Layout::take(Arena& arena, std::string_view name, std::uint64_t size, std::uint64_t alignment) {
  const std::uint64_t at = round_up(arena.used, alignment);
  if (at + size > arena.size)
    throw base::ConfigError("kernel.params.layout", "no room for " + std::string(name) + " in section " +
                                                        std::string(arena.section) + std::string(arena.hint));
  arena.used = at + size;
  const Address va = arena.va + at;
  symbols_.push_back({std::string(name), va, physical(va), size, std::string(arena.section)});
  return va;
}

Address Layout::add_data(std::string_view name, std::uint64_t size, std::uint64_t alignment) {
  return take(data_, name, size, alignment);
}

Address Layout::add_per_cpu(std::string_view name, std::uint64_t size, std::uint64_t alignment) {
  const Address first = take(per_cpu_, std::string(name) + "/0", size, alignment);
  for (unsigned cpu = 1; cpu < cpus_; ++cpu) {
    const Address va = per_cpu(first, cpu);
    symbols_.push_back(
        {std::string(name) + "/" + std::to_string(cpu), va, physical(va), size, std::string(per_cpu_.section)});
  }
  return first;
}

std::string Layout::name_of(Address va) const {
  for (const Symbol& symbol : symbols_)
    if (va >= symbol.va && va - symbol.va < symbol.size) return symbol.name;
  return std::to_string(va);
}

Address Layout::add_slab(std::string_view name, std::uint64_t size, std::uint64_t alignment) {
  if (round_up(slab_.used, alignment) + size > slab_.size) {
    const std::uint64_t bytes = round_up(size, kPageSize);
    const bool boot = pages_.pages_in_use() == 0;
    SWITCHYARD_ASSERT(boot || bytes == kPageSize, "large objects are made at boot");
    slab_ = {linear(boot ? pages_.boot_memory(bytes, kPageSize) : pages_.allocate_fresh()), bytes, 0, "slab"};
  }
  return take(slab_, name, size, alignment);
}

Address Layout::add_stack(std::string_view name) { return take(stacks_, name, kStackBytes, kPageSize) + kStackBytes; }

Address Layout::physical(Address va) const {
  for (const auto& mapping : mappings_)
    if (va >= mapping.va && va - mapping.va < mapping.size) return mapping.pa + (va - mapping.va);
  SWITCHYARD_ASSERT(false, "every kernel object lies in a mapped region");
  return 0;
}

}  // namespace switchyard::kernel

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "kernel/costs/tcp_costs.h"
#include "kernel/kernel_services.h"

namespace switchyard::kernel {

/// A cache of objects of one size. Source: Linux v4.14 mm/slub.c with CONFIG_SLUB_CPU_PARTIAL. Each CPU takes objects
/// from the slab that is its own; an object of another slab goes back to the list in that slab's struct page. Slabs are
/// never given back to the page allocator.
class SlabCache {
 public:
  struct Kind {
    std::string name;
    std::uint64_t object_bytes = 0;
    unsigned order = 0;                 ///< a slab has 2^order pages
    std::uint64_t partial_objects = 0;  ///< cpu_partial: slabs that a CPU keeps besides its own, one object in each
  };
  SlabCache(const KernelServices& services, const SlabCosts& costs, const Kind& kind);

  Address allocate(cpu::CpuOps& cpu);
  void free(cpu::CpuOps& cpu, Address object);
  /// Whether the object came from here; others of its kind were placed before the simulation.
  bool owns(Address object) const { return slab_of_page_.count(object / kPageSize) != 0; }

 private:
  struct Slab {
    Address page = 0;  ///< its struct page
    std::vector<Address> free;
    bool frozen = false;  ///< a CPU's own, or on the list of one
  };
  /// What struct kmem_cache_cpu holds.
  struct CpuSlab {
    Slab* slab = nullptr;
    std::vector<Address> free;
    std::vector<Slab*> partial;
  };

  void refill(cpu::CpuOps& cpu, CpuSlab& own);
  Slab& take_partial(cpu::CpuOps& cpu, CpuSlab& own);
  Slab& new_slab(cpu::CpuOps& cpu);
  void put_cpu_partial(cpu::CpuOps& cpu, CpuSlab& own, Slab& slab);
  Address cpu_slab(const cpu::CpuOps& cpu) const { return services_.layout.per_cpu(cpu_slab_, cpu.id()); }
  static Address freelist(const Slab& slab) { return slab.page + 16; }

  const KernelServices services_;
  const SlabCosts& costs_;
  const Kind kind_;
  const Address cpu_slab_;  ///< kmem_cache_cpu: freelist, tid, page, partial
  const Address node_;      ///< kmem_cache_node: list_lock, list of partial slabs; one for all sockets
  std::vector<CpuSlab> cpus_;
  std::vector<Slab*> node_partial_;
  std::vector<std::unique_ptr<Slab>> slabs_;
  std::unordered_map<Address, Slab*> slab_of_page_;
  const cpu::FunctionId allocate_, free_;
};

}  // namespace switchyard::kernel

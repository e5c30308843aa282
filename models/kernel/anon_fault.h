// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel/mm_services.h"

namespace switchyard::kernel {

/// Faults on private anonymous memory, and on data that fork has left shared: the zero page for a read, a cleared page
/// for a write, a copy of a page that others map as well. Sources: Linux v4.17, v5.8 and v6.7 mm/memory.c. There is no
/// swap, and no huge page.
class AnonFault {
 public:
  struct Fault {
    AddressSpace& mm;
    Address va = 0;     ///< of the page
    Address entry = 0;  ///< kernel address of its entry
    bool write = false;
  };
  /// Instructions beyond the `call` of each function, and those around a page.
  struct Paths {
    std::uint64_t anonymous_page = 0;
    std::uint64_t wp_page = 0;
  };

  AnonFault(const MmServices& services, const Paths& paths);

  /// The entry was empty.
  void do_anonymous_page(cpu::CpuOps& cpu, const Fault& fault);
  /// A write to a page that is present, but may only be read.
  void do_wp_page(cpu::CpuOps& cpu, const Fault& fault);
  bool is_zero_page(Address pa) const { return zero_page_ != 0 && pa == zero_page_; }

 private:
  void name_functions();
  void map_zero_page(cpu::CpuOps& cpu, const Fault& fault);
  void wp_page_copy(cpu::CpuOps& cpu, const Fault& fault, const PteValue& old);
  void ptep_clear_flush(cpu::CpuOps& cpu, const Fault& fault);
  void set_pte(cpu::CpuOps& cpu, const Fault& fault, Folio folio);

  struct Stats {
    explicit Stats(base::StatGroup& group)
        : zero(group, "zero_page_faults", "count", "Page faults that mapped the zero page"),
          copied(group, "cow_faults", "count", "Page faults that copied a page") {}
    base::Counter zero, copied;
  };

  const MmServices services_;
  const Paths paths_;
  Stats stats_;
  Address zero_page_ = 0;  ///< 0 before its first use: pages are handed out when the kernel's own objects are placed
  const cpu::FunctionId anonymous_;
  cpu::FunctionId wp_page_ = 0, copy_ = 0, clear_flush_ = 0;  ///< named with the first fault that needs them
};

}  // namespace switchyard::kernel

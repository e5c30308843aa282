// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel/costs/kernel_costs.h"

namespace switchyard::kernel {

/// Path lengths of a parisc kernel. The LWS ones are instructions counted in the steps of Linux v4.2
/// arch/parisc/kernel/syscall.S and libgcc's linux-atomic.c; what a machine spends on top of them, because gate and
/// PSW changes drain the pipeline, is calibrated.
struct PariscCosts : KernelCosts {
  std::uint64_t user_retry = 18;
  std::uint64_t lws_entry = 28;
  std::uint64_t lws_critical = 4;
  std::uint64_t lws_exit = 8;
  std::uint64_t atomic_hash = 10;
  std::uint64_t purge_tlb = 12;
  std::uint64_t tlb_lock_spin = 3;
  std::uint64_t alloc_page = 250;
  std::uint64_t free_page = 150;

  void visit(base::ParamVisitor& v) override {
    KernelCosts::visit(v);
    count(v, "user_retry", user_retry, "One try of an atomic operation of user code outside of the gateway page");
    count(v, "lws_entry", lws_entry, "From the gate to the lock");
    count(v, "lws_critical", lws_critical, "With the lock held, besides the accesses");
    count(v, "lws_exit", lws_exit, "From the end of the critical section, or the busy lock, to the user");
    count(v, "atomic_hash", atomic_hash, "One atomic_t operation under its hashed lock, besides the accesses");
    count(v, "tlb_lock_spin", tlb_lock_spin, "One more try of the miss handler to take pa_tlb_lock");
    count(v, "alloc_page", alloc_page, "A free page from the allocator, besides clearing it");
    count(v, "free_page", free_page, "A page back to the allocator");
    count(v, "purge_tlb", purge_tlb, "One page purged from all TLBs, besides the accesses");
  }
};

}  // namespace switchyard::kernel

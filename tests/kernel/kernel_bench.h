// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/test/unit_test.hpp>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "kernel/arch/riscv/sbi_devices.h"
#include "kernel/fault.h"
#include "kernel/linux_riscv_params.h"
#include "support/fake_cpu.h"

namespace switchyard::test {

using base::Address;

/// Firmware that only writes down what it is asked for.
class RecordingSbi : public interrupt::Sbi {
 public:
  struct Fence {
    base::CpuMask targets;
    interrupt::FenceRange range;
  };
  void remote_sfence_vma(cpu::CpuOps&, const base::CpuMask& targets, const interrupt::FenceRange& range) override {
    fences.push_back({targets, range});
  }
  void send_ipi(cpu::CpuOps&, const base::CpuMask& targets) override { ipis.push_back(targets); }
  void set_timer(cpu::CpuOps&, std::uint64_t deadline_ps) override { timers.push_back(deadline_ps); }

  std::vector<Fence> fences;
  std::vector<base::CpuMask> ipis;
  std::vector<std::uint64_t> timers;
};

/// What the kernel told the stale-translation check, in order, as text.
class RecordingObserver : public cpu::TranslationObserver {
 public:
  explicit RecordingObserver(const cpu::FunctionTable& functions) : functions_(functions) {}
  void unmapped(const cpu::ExecContext&, Address, Address va, cpu::FunctionId owner) override {
    calls.push_back("unmapped " + std::to_string(va >> 12) + " " + functions_[owner].name);
  }
  void flush_relied_on(const cpu::ExecContext*, Address) override { calls.push_back("relied on"); }
  void switched(cpu::CpuOps&, Address) override { calls.push_back("switched"); }

  std::vector<std::string> calls;

 private:
  const cpu::FunctionTable& functions_;
};

/// Physical addresses of the layout, on memory that FakeCpu addresses by linear-map addresses.
class LinearMemory : public cpu::DebugMemory {
 public:
  LinearMemory(FakeMemory& memory, const kernel::Layout& layout) : memory_(memory), layout_(layout) {}
  std::uint64_t peek(Address pa, unsigned bytes = 8) override { return memory_.peek(layout_.linear(pa), bytes); }
  void poke(Address pa, std::uint64_t value, unsigned bytes = 8) override {
    memory_.poke(layout_.linear(pa), value, bytes);
  }

 private:
  FakeMemory& memory_;
  const kernel::Layout& layout_;
};

/// The parts of linux-riscv without tasks, on recording CPUs.
struct KernelBench {
  cpu::FunctionTable functions;
  kernel::riscv::LinuxRiscvParams params;
  kernel::KernelStats stats;
  FakeMemory memory;
  std::vector<std::unique_ptr<FakeCpu>> cpus;
  RecordingSbi sbi;
  kernel::riscv::SbiIpiSender ipi{sbi};
  kernel::TicketLocks locks;
  kernel::NativeAtomics atomics;
  RecordingObserver observer{functions};
  std::unique_ptr<kernel::Layout> layout;
  std::unique_ptr<LinearMemory> linear;
  std::unique_ptr<kernel::KernelServices> basics;
  std::unique_ptr<kernel::RestCosts> rest;
  std::unique_ptr<kernel::riscv::LocalTlb> local;
  std::unique_ptr<kernel::Smp> smp;
  std::unique_ptr<kernel::riscv::MmContext> context;
  std::unique_ptr<kernel::riscv::RemoteFence> remote;
  std::unique_ptr<kernel::riscv::TlbFlusher> flusher;
  std::unique_ptr<kernel::riscv::TlbBatch> batch;
  std::unique_ptr<kernel::PageTable> tables;
  std::unique_ptr<kernel::riscv::RiscvMm> mm_ops;
  std::unique_ptr<kernel::MemoryNode> node;
  std::unique_ptr<kernel::MmServices> services;
  std::unique_ptr<kernel::Swap> swap;
  std::unique_ptr<kernel::Rmap> rmap;
  std::unique_ptr<kernel::Shmem> shmem;
  std::unique_ptr<kernel::Reclaim> reclaim;
  std::unique_ptr<kernel::PageFault> fault;
  std::vector<std::unique_ptr<kernel::AddressSpace>> spaces;
  kernel::Thread thread;

  void build(unsigned count, kernel::FlushMutation mutation = kernel::FlushMutation::none) {
    using namespace kernel;
    using namespace kernel::riscv;
    for (unsigned c = 0; c < count; ++c) {
      cpus.push_back(std::make_unique<FakeCpu>(memory, c));
      cpus[c]->set_functions(&functions);
    }
    layout = std::make_unique<Layout>(params.layout, kVirtualMap, 0x80200000, 64 << 20, count, 1);
    linear = std::make_unique<LinearMemory>(memory, *layout);
    basics = std::make_unique<KernelServices>(KernelServices{*layout, functions, params.costs, locks, atomics, stats});
    rest = std::make_unique<RestCosts>(params.costs, std::vector<std::uint64_t>(count, 1'000'000'000));
    local = std::make_unique<LocalTlb>(params.tlb, functions, stats);
    smp = std::make_unique<Smp>(*basics, ipi, Smp::Names{});
    context = std::make_unique<MmContext>(params.asid, *basics, *local, &observer, mutation);
    if (params.tlb.remote == RemoteFenceKind::ipi)
      remote = std::make_unique<IpiFence>(*smp, *local, functions);
    else
      remote = std::make_unique<SbiFence>(sbi, *layout, functions, params.costs);
    flusher = std::make_unique<TlbFlusher>(*local, *remote, functions, params.costs, stats, count, context->use_asids(),
                                           mutation);
    batch = std::make_unique<TlbBatch>(*flusher, functions, params.costs, count, mutation);
    tables = std::make_unique<PageTable>(*layout, *linear);
    mm_ops = std::make_unique<RiscvMm>(params.unmap, *tables, *local, *flusher, *batch);
    node = std::make_unique<MemoryNode>(*basics, *rest);
    services = std::make_unique<MmServices>(MmServices{*basics, *rest, *mm_ops, *node, &observer, mutation});
    swap = std::make_unique<Swap>(params.reclaim.swap, params.reclaim.swap_pages, *basics);
    rmap = std::make_unique<Rmap>(*services);
    shmem = std::make_unique<Shmem>(*services, *swap);
    reclaim = std::make_unique<Reclaim>(params.reclaim, *services, *rmap, *shmem);
    fault = std::make_unique<PageFault>(params.reclaim, *services, *rmap, *shmem);
    thread.task_struct = layout->add_slab("task_struct", kernel::Thread::kBytes, 64);
    thread.stack_end = layout->add_stack("stack");
    thread.register_bytes = 288;
  }

  FakeCpu& cpu(unsigned c = 0) { return *cpus[c]; }

  kernel::AddressSpace& make_mm(const std::string& name) {
    auto mm = std::make_unique<kernel::AddressSpace>();
    mm->name = name;
    mm->fields.base = layout->add_slab(name, kernel::MmFields::size(layout->cpus()), 64);
    mm->maple_node = layout->add_slab(name + ".maple_node", 256, 256);
    mm->root = tables->build_user();
    memory.poke(mm->fields.pgd(), layout->linear(mm->root));
    spaces.push_back(std::move(mm));
    return *spaces.back();
  }
  kernel::Vma& map_shared(kernel::AddressSpace& mm, Address start, std::uint64_t pages) {
    auto vma = std::make_unique<kernel::Vma>();
    vma->start = start;
    vma->end = start + pages * 4096;
    vma->mm = &mm;
    vma->object = layout->add_slab("vma", kernel::Vma::kBytes, 64);
    vma->lock = layout->add_slab("vma_lock", kernel::Vma::kLockBytes, 64);
    mm.caches.push_back(shmem->make(mm.name, pages));
    vma->cache = mm.caches.back().get();
    vma->cache->mapped_in.push_back(vma.get());
    mm.areas.push_back(std::move(vma));
    return *mm.areas.back();
  }
  void set_mask(const kernel::AddressSpace& mm, std::initializer_list<unsigned> members) {
    std::uint64_t word = 0;
    for (const unsigned c : members) word |= std::uint64_t{1} << c;
    memory.poke(mm.fields.cpumask(), word);
  }
  static base::CpuMask mask(std::initializer_list<unsigned> members) {
    base::CpuMask result;
    for (const unsigned c : members) result.set(c);
    return result;
  }
  Address hart_id(unsigned c) { return dynamic_cast<kernel::riscv::SbiFence&>(*remote).hart_id(c); }
  const Trace& trace(unsigned c = 0) { return cpu(c).trace(); }
  void clear() {
    for (auto& c : cpus) c->clear_trace();
    sbi.fences.clear();
    observer.calls.clear();
  }
  /// One access of user code to each page, through the fault handler where the entry is absent or not writable.
  void touch(kernel::AddressSpace& mm, const kernel::Vma& vma, cpu::Access access, unsigned c = 0) {
    for (Address va = vma.start; va < vma.end; va += 4096) {
      const Address entry = tables->find_entry(cpu(c), mm, va);
      const auto pte = mm_ops->decode(entry == 0 ? 0 : memory.peek(entry));
      if (!pte.present || (access == cpu::Access::store && !pte.dirty))
        fault->do_page_fault(cpu(c), thread, mm, va, access);
    }
  }
};

}  // namespace switchyard::test

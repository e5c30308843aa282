// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel/arch/arm64/context_switch.h"
#include "kernel/arch/arm64/tlb.h"
#include "kernel/kernel_bench.h"
#include "kernel/mapped_memory.h"
#include "kernel/queued_locks.h"
#include "kernel/sv39.h"

namespace switchyard::test {

/// The switch of address spaces and the flushes of arm64 on recording CPUs.
struct Arm64Bench {
  using AddressSpace = kernel::AddressSpace;

  cpu::FunctionTable functions;
  kernel::arm64::AsidParams params;
  kernel::arm64::Arm64Costs costs;
  kernel::KernelStats stats;
  FakeMemory memory;
  std::vector<std::unique_ptr<FakeCpu>> cpus;
  std::unique_ptr<kernel::QueuedLocks> locks;
  kernel::NativeAtomics atomics;
  RecordingObserver observer{functions};
  std::unique_ptr<kernel::Layout> layout;
  std::unique_ptr<MappedMemory> physical;
  std::unique_ptr<kernel::KernelServices> services;
  std::unique_ptr<kernel::arm64::PerCpu> per_cpu;
  std::unique_ptr<kernel::arm64::AsidAllocator> asids;
  std::unique_ptr<kernel::arm64::ContextSwitch> mm;
  std::unique_ptr<kernel::arm64::TlbFlusher> flusher;
  std::vector<std::unique_ptr<AddressSpace>> spaces;
  const AddressSpace* init = nullptr;  ///< init_mm

  void build(unsigned count = 1, kernel::FlushMutation mutation = kernel::FlushMutation::none) {
    using namespace kernel;
    using namespace kernel::arm64;
    for (unsigned c = 0; c < count; ++c) {
      cpus.push_back(std::make_unique<FakeCpu>(memory, c));
      cpus[c]->set_functions(&functions);
    }
    layout = std::make_unique<Layout>(LayoutParams{}, kVirtualMap, 0x80000000, 64 << 20, count, 1);
    physical = std::make_unique<MappedMemory>(memory, *layout);
    locks = std::make_unique<QueuedLocks>(*layout);
    services = std::make_unique<KernelServices>(KernelServices{*layout, functions, costs, *locks, atomics, stats});
    per_cpu = std::make_unique<PerCpu>(params.debug_preempt, costs, *layout);
    asids = std::make_unique<AsidAllocator>(params, costs, *services, *per_cpu, mutation);
    mm = std::make_unique<ContextSwitch>(*per_cpu, *asids, costs, *services, &observer);
    flusher = std::make_unique<TlbFlusher>(*asids, costs, *services, mutation);
    per_cpu->init(*physical);
    asids->asids_init(*physical);
    init = &make_mm("init_mm");
  }

  const AddressSpace& make_mm(const std::string& name) {
    auto space = std::make_unique<AddressSpace>();
    space->name = name;
    space->fields.base = layout->add_slab(name, kernel::MmFields::size(layout->cpus()), 64);
    space->root = layout->pages().allocate();
    spaces.push_back(std::move(space));
    return *spaces.back();
  }
  std::vector<const AddressSpace*> make_mms(unsigned count) {
    std::vector<const AddressSpace*> result;
    for (unsigned i = 0; i < count; ++i) result.push_back(&make_mm("mm" + std::to_string(i)));
    return result;
  }

  FakeCpu& cpu(unsigned c = 0) { return *cpus[c]; }
  const Trace& trace(unsigned c = 0) { return cpu(c).trace(); }
  Trace flushes(unsigned c = 0) { return cpu(c).trace(TraceEntry::Kind::flush); }
  void clear() {
    for (auto& c : cpus) c->clear_trace();
    observer.calls.clear();
  }
  std::uint64_t word(Address va, unsigned bytes = 8) { return memory.peek(va, bytes); }
  std::uint64_t id(const AddressSpace& space) { return word(space.fields.context_id()); }

  /// A switch by the scheduler; the trace is that of it alone.
  Trace run(const AddressSpace& prev, const AddressSpace& next, unsigned c = 0) {
    clear();
    mm->switch_mm(cpu(c), prev, next);
    return trace(c);
  }
  Trace run(const AddressSpace& next, unsigned c = 0) { return run(*init, next, c); }

  // Parts of the lists of accesses.
  TraceEntry number(unsigned c = 0) const { return load(per_cpu->cpu_number(c)); }
  TraceEntry offset(unsigned c = 0) const { return load(per_cpu->per_cpu_offset(c)); }
  TraceEntry context_id(const AddressSpace& space) const { return load(space.fields.context_id()); }
  TraceEntry active(unsigned c = 0) const { return load(asids->active_asids(c)); }
  Trace generation() const { return {load(asids->asid_generation()), load(asids->asid_bits())}; }
  TraceEntry cas(unsigned c = 0) const { return atomic(cpu::AtomicOp::compare_swap, asids->active_asids(c)); }
  TraceEntry pending() const { return atomic(cpu::AtomicOp::bit_and, asids->tlb_flush_pending()); }
  TraceEntry map_word(std::uint64_t asid) const { return load(asids->asid_map() + asid / 64 * 8); }
  TraceEntry set_map_word(std::uint64_t asid, std::uint64_t value) const {
    return store(asids->asid_map() + asid / 64 * 8, value);
  }
  /// TTBR0 to nowhere, TTBR1 with the ASID, TTBR0 with the table.
  Trace cpu_switch_mm(const AddressSpace& space, std::uint16_t asid) const {
    return {load(space.fields.pgd()), system_register(), context_id(space), system_register(),
            sysreg(space.root, asid)};
  }
  TraceEntry lock() const { return atomic(cpu::AtomicOp::compare_swap, asids->cpu_asid_lock()); }
  TraceEntry unlock() const { return store(asids->cpu_asid_lock(), 0); }
};

}  // namespace switchyard::test

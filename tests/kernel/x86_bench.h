// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel/arch/x86/switch_mm.h"
#include "kernel/kernel_bench.h"
#include "kernel/mapped_memory.h"

namespace switchyard::test {

/// The address-space switching of x86 on recording CPUs.
struct X86Bench {
  using AddressSpace = kernel::AddressSpace;

  cpu::FunctionTable functions;
  kernel::x86::SwitchMmParams params;
  kernel::x86::X86Costs costs;
  kernel::KernelStats stats;
  FakeMemory memory;
  std::vector<std::unique_ptr<FakeCpu>> cpus;
  kernel::TicketLocks locks;
  kernel::NativeAtomics atomics;
  RecordingObserver observer{functions};
  std::unique_ptr<kernel::Layout> layout;
  std::unique_ptr<MappedMemory> physical;
  std::unique_ptr<kernel::KernelServices> services;
  std::unique_ptr<kernel::x86::SwitchMm> mm;
  std::vector<std::unique_ptr<AddressSpace>> spaces;
  const AddressSpace* init = nullptr;  ///< init_mm

  X86Bench() { params.ibpb = false; }

  void build(kernel::x86::MmVersion version, unsigned count = 1,
             kernel::FlushMutation mutation = kernel::FlushMutation::none) {
    params.version = version;
    for (unsigned c = 0; c < count; ++c) {
      cpus.push_back(std::make_unique<FakeCpu>(memory, c));
      cpus[c]->set_functions(&functions);
    }
    layout =
        std::make_unique<kernel::Layout>(kernel::LayoutParams{}, kernel::kVirtualMap, 0x80000000, 64 << 20, count, 1);
    physical = std::make_unique<MappedMemory>(memory, *layout);
    services = std::make_unique<kernel::KernelServices>(
        kernel::KernelServices{*layout, functions, costs, locks, atomics, stats});
    mm = std::make_unique<kernel::x86::SwitchMm>(params, costs, *services, &observer, mutation);
    init = &make("init_mm", false);
    mm->set_init_mm(*physical, *init);
  }

  AddressSpace& make(const std::string& name, bool user) {
    auto space = std::make_unique<AddressSpace>();
    space->name = name;
    space->fields = mm->mm_layout().place(*layout, name, user);
    space->root = layout->pages().allocate();
    spaces.push_back(std::move(space));
    return *spaces.back();
  }
  const AddressSpace& make_mm(const std::string& name) {
    const AddressSpace& space = make(name, true);
    mm->init_new_context(*physical, space);
    return space;
  }

  FakeCpu& cpu(unsigned c = 0) { return *cpus[c]; }
  const Trace& trace(unsigned c = 0) { return cpu(c).trace(); }
  void clear() {
    for (auto& c : cpus) c->clear_trace();
    observer.calls.clear();
  }
  kernel::x86::TlbState own(unsigned c = 0) const { return mm->tlb_state(c); }
  std::uint64_t word(Address va, unsigned bytes = 8) { return memory.peek(va, bytes); }

  // What the scheduler does. The trace is that of the last step.
  Trace run(const AddressSpace& prev, const AddressSpace& next, unsigned c = 0) {
    clear();
    mm->switch_mm(cpu(c), prev, next);
    return trace(c);
  }
  Trace run(const AddressSpace& next, unsigned c = 0) { return run(*init, next, c); }
  Trace idle(const AddressSpace& from, unsigned c = 0) {
    clear();
    mm->enter_lazy_tlb(cpu(c), from);
    return trace(c);
  }
  Trace deep_idle(unsigned c = 0) {
    clear();
    mm->leave_mm(cpu(c));
    return trace(c);
  }

  // Parts of the lists of accesses.
  TraceEntry set_bit(const AddressSpace& space) const { return atomic(cpu::AtomicOp::bit_or, space.fields.cpumask()); }
  TraceEntry clear_bit(const AddressSpace& space) const {
    return atomic(cpu::AtomicOp::bit_and, space.fields.cpumask());
  }
  TraceEntry test_bit(const AddressSpace& space) const { return load(space.fields.cpumask()); }
  TraceEntry ctx_id(const AddressSpace& space) const { return load(mm->mm_layout().ctx_id(space)); }
  TraceEntry tlb_gen(const AddressSpace& space) const { return load(mm->mm_layout().tlb_gen(space)); }
  TraceEntry pgd(const AddressSpace& space) const { return load(space.fields.pgd()); }
  /// mm->pgd and its entry for the stack.
  Trace stack_check(const AddressSpace& space) const {
    return {pgd(space), load(layout->linear(space.root) + 402 * 8)};
  }
  /// The start of switch_mm_irqs_off from 4.14 on, without 4.20's look at is_lazy.
  Trace entry(unsigned c = 0) const {
    return {load(own(c).loaded_mm()), load(own(c).loaded_mm_asid()), store(own(c).is_lazy(), 0)};
  }
  /// A look at `slots` slots from the first on.
  Trace scan(const AddressSpace& space, unsigned slots, unsigned c = 0) const {
    Trace result{load(own(c).invalidate_other()), ctx_id(space)};
    for (unsigned asid = 0; asid < slots; ++asid) result.push_back(load(own(c).ctx_id(asid)));
    return result;
  }
  /// The slot is written before CR3 drops what it held.
  Trace fill_slot(const AddressSpace& space, unsigned asid, std::uint64_t id, std::uint64_t gen, unsigned c = 0) const {
    return {ctx_id(space), store(own(c).ctx_id(asid), id), store(own(c).tlb_gen(asid), gen)};
  }
  Trace now_loaded(const AddressSpace& space, unsigned asid, unsigned c = 0) const {
    return {store(own(c).loaded_mm(), space.fields.base), store(own(c).loaded_mm_asid(), asid)};
  }
  /// CR4 shadow and LDTs.
  Trace control(const AddressSpace& prev, const AddressSpace& next, unsigned c = 0) const {
    const auto& at = mm->mm_layout();
    return {load(at.perf_rdpmc_allowed(next)), load(own(c).cr4()), load(at.ldt(prev)), load(at.ldt(next))};
  }
};

}  // namespace switchyard::test

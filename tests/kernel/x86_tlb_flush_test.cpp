// SPDX-License-Identifier: Apache-2.0
#include "kernel/arch/x86/tlb_flush.h"
#include "kernel/x86_bench.h"

namespace switchyard::test {

using cpu::AtomicOp;
using kernel::AddressSpace;
using kernel::FlushMutation;
using kernel::x86::MmVersion;
using kernel::x86::SwitchMm;
using kernel::x86::TlbFlusher;

namespace {

constexpr Address kVa = 0x7f0000400000;
constexpr Address kAll = TlbFlusher::kFlushAll;

/// Interrupts that are only written down. Their handlers run where a test says so.
struct RecordingIpi : kernel::IpiSender {
  void send_ipi(cpu::CpuOps&, const base::CpuMask& targets) override { sent.push_back(targets); }
  void acknowledge(cpu::CpuOps&) override {}
  std::vector<base::CpuMask> sent;
};

struct FlushBench : X86Bench {
  kernel::x86::TlbFlushParams tlb;
  RecordingIpi ipi;
  std::unique_ptr<kernel::Smp> smp;
  std::unique_ptr<TlbFlusher> flusher;

  /// Whoever waits for others lets them handle their calls.
  void build(MmVersion version, unsigned count, FlushMutation mutation = FlushMutation::none) {
    X86Bench::build(version, count, mutation);
    const kernel::Smp::Names names{"native_send_call_func_ipi", "smp_call_function_interrupt", true};
    smp = std::make_unique<kernel::Smp>(*services, ipi, names);
    flusher = std::make_unique<TlbFlusher>(tlb, costs, *services, *mm, *smp, mutation);
    for (unsigned waiter = 0; waiter < count; ++waiter)
      cpu(waiter).on_spin([this, waiter, count](FakeCpu&) {
        for (unsigned c = 0; c < count; ++c)
          if (c != waiter) smp->handle(cpu(c));
      });
  }
  /// Runs `space` on the CPUs, and forgets it.
  void run_on(const AddressSpace& space, std::initializer_list<unsigned> members) {
    for (const unsigned c : members) run(space, c);
    clear();
  }
  void go_idle(const AddressSpace& space, unsigned c) {
    idle(space, c);
    clear();
  }
  static base::CpuMask mask(std::initializer_list<unsigned> members) {
    base::CpuMask result;
    for (const unsigned c : members) result.set(c);
    return result;
  }

  // Parts of the lists of accesses. The info holds mm, start, end, new_tlb_gen.
  Address info(unsigned word, unsigned c = 0) const { return flusher->flush_tlb_info(c) + 8 * word; }
  /// Up to the look at what is loaded here, from 4.14 on.
  Trace request(const AddressSpace& space, Address start, Address end, std::uint64_t gen, unsigned c = 0) const {
    return {store(info(0, c), space.fields.base),
            atomic(AtomicOp::add, mm->mm_layout().tlb_gen(space)),
            store(info(3, c), gen),
            store(info(1, c), start),
            store(info(2, c), end),
            load(own(c).loaded_mm())};
  }
  /// flush_tlb_func_common from 4.14 on, up to the look at is_lazy.
  Trace look(const AddressSpace& space, unsigned asid, unsigned c = 0) const {
    return {load(own(c).loaded_mm()), load(own(c).loaded_mm_asid()), tlb_gen(space), load(own(c).tlb_gen(asid)),
            load(own(c).is_lazy())};
  }
  /// Of the request of `from`: generation and end, and the start as well if it is flushed page by page.
  Trace read_request(bool pages, unsigned from = 0) const {
    Trace result{load(info(3, from)), load(info(2, from))};
    if (pages) result.push_back(load(info(1, from)));
    return result;
  }
  /// The call structure is free, filled in and queued.
  Trace queued(unsigned from, unsigned to) const {
    const Address data = smp->call_data(from, to);
    return {load(data), store(data, 1), store(data + 16, 1), atomic(AtomicOp::swap, smp->call_queue(to))};
  }
  /// The wait for the first target, in which all finish, and the look at the others.
  Trace waited(unsigned from, std::initializer_list<unsigned> targets) const {
    Trace result;
    for (const unsigned to : targets) {
      result.push_back(load(smp->call_data(from, to)));
      if (to != *targets.begin()) continue;
      result.push_back(spin(smp->call_data(from, to)));
      result.push_back(load(smp->call_data(from, to)));
    }
    return result;
  }
  Trace took_queue(unsigned c) const { return {atomic(AtomicOp::swap, smp->call_queue(c))}; }
  /// A called CPU between the queue and the answer. What it does, starting with the look at the request's mm.
  Trace handled(unsigned from, unsigned c, const Trace& work) const {
    const Address data = smp->call_data(from, c);
    return Trace{load(data + 16), load(info(0, from)), load(own(c).loaded_mm())} + work + Trace{store(data, 0)};
  }
  static Trace pages(std::uint16_t pcid, unsigned count) {
    Trace result;
    for (unsigned i = 0; i < count; ++i) result.push_back(flush_page(kVa + i * 4096, pcid));
    return result;
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(x86_tlb_flush, FlushBench)

// The initiator alone

BOOST_AUTO_TEST_CASE(v4_14_alone_a_page_is_flushed_here_and_the_mask_shows_nobody_else) {
  build(MmVersion::v4_14, 2);
  const AddressSpace& a = make_mm("a");
  run_on(a, {0});
  flusher->flush_tlb_page(cpu(), a, kVa + 8);
  const Trace expected = request(a, kVa, kVa + 4096, 1) + look(a, 1) + read_request(true) + pages(2, 1) +
                         Trace{store(own().tlb_gen(1), 1), test_bit(a)};
  BOOST_TEST(trace() == expected);
  BOOST_TEST(ipi.sent.empty());
  BOOST_TEST(stats.local_only_flushes.value() == 1u);
  BOOST_TEST(cpu().interrupts_enabled());
}

BOOST_AUTO_TEST_CASE(up_to_33_pages_are_flushed_one_by_one) {
  build(MmVersion::v4_14, 1);
  const AddressSpace& a = make_mm("a");
  run_on(a, {0});
  flusher->flush_tlb_mm_range(cpu(), a, kVa, kVa + 33 * 4096);
  BOOST_TEST(cpu().trace(TraceEntry::Kind::flush) == pages(2, 33));
  BOOST_TEST(cpu().trace(TraceEntry::Kind::sysreg).size() == 0u);
}

BOOST_AUTO_TEST_CASE(a_longer_range_writes_cr3_again) {
  build(MmVersion::v4_14, 1);
  const AddressSpace& a = make_mm("a");
  run_on(a, {0});
  flusher->flush_tlb_mm_range(cpu(), a, kVa, kVa + 34 * 4096);
  const Trace expected = request(a, 0, kAll, 1) + look(a, 1) + read_request(false) +
                         Trace{sysreg_flush(a.root, 2), store(own().tlb_gen(1), 1), test_bit(a)};
  BOOST_TEST(trace() == expected);
}

BOOST_AUTO_TEST_CASE(the_ceiling_is_a_parameter) {
  tlb.tlb_single_page_flush_ceiling = 1;
  build(MmVersion::v4_14, 1);
  const AddressSpace& a = make_mm("a");
  run_on(a, {0});
  flusher->flush_tlb_mm_range(cpu(), a, kVa, kVa + 8192);
  BOOST_TEST(cpu().trace(TraceEntry::Kind::flush).size() == 0u);
  BOOST_TEST(cpu().trace(TraceEntry::Kind::sysreg) == (Trace{sysreg_flush(a.root, 2)}));
}

BOOST_AUTO_TEST_CASE(a_second_short_flush_is_partial_again_and_one_after_a_gap_is_full) {
  build(MmVersion::v4_14, 1);
  const AddressSpace& a = make_mm("a");
  run_on(a, {0});
  flusher->flush_tlb_page(cpu(), a, kVa);
  clear();
  flusher->flush_tlb_page(cpu(), a, kVa);
  BOOST_TEST(cpu().trace(TraceEntry::Kind::flush) == pages(2, 1));
  memory.poke(mm->mm_layout().tlb_gen(a), 3);  // somebody else's flush that has not reached this CPU
  clear();
  flusher->flush_tlb_page(cpu(), a, kVa);
  BOOST_TEST(cpu().trace(TraceEntry::Kind::sysreg) == (Trace{sysreg_flush(a.root, 2)}));
  BOOST_TEST(word(own().tlb_gen(1)) == 4u);
}

BOOST_AUTO_TEST_CASE(an_mm_that_is_not_loaded_here_is_not_flushed_here) {
  build(MmVersion::v4_14, 2);
  const AddressSpace& a = make_mm("a");
  flusher->flush_tlb_page(cpu(), a, kVa);
  BOOST_TEST(trace() == (request(a, kVa, kVa + 4096, 1) + Trace{test_bit(a)}));
}

BOOST_AUTO_TEST_CASE(v4_13_has_a_barrier_in_place_of_a_generation) {
  build(MmVersion::v4_13, 1);
  const AddressSpace& a = make_mm("a");
  run_on(a, {0});
  flusher->flush_tlb_mm_range(cpu(), a, kVa, kVa + 8192);
  BOOST_TEST(trace() == (Trace{store(info(0), a.fields.base), barrier(), store(info(1), kVa),
                               store(info(2), kVa + 8192), load(own().loaded_mm()), load(own().state()), load(info(2)),
                               load(info(1)), flush_page(kVa, 0), flush_page(kVa + 4096, 0), test_bit(a)}));
  clear();
  flusher->flush_tlb_mm(cpu(), a);
  BOOST_TEST(trace() == (Trace{store(info(0), a.fields.base), barrier(), store(info(1), 0), store(info(2), kAll),
                               load(own().loaded_mm()), load(own().state()), load(info(2)), sysreg_flush(a.root, 0),
                               test_bit(a)}));
}

BOOST_AUTO_TEST_CASE(without_pcids_pages_are_flushed_from_id_0) {
  params.pcid = false;
  build(MmVersion::v4_14, 1);
  const AddressSpace& a = make_mm("a");
  run_on(a, {0});
  flusher->flush_tlb_page(cpu(), a, kVa);
  BOOST_TEST(cpu().trace(TraceEntry::Kind::flush) == pages(0, 1));
  clear();
  flusher->flush_tlb_mm(cpu(), a);
  BOOST_TEST(cpu().trace(TraceEntry::Kind::sysreg) == (Trace{sysreg_flush(a.root, 0)}));
}

// Others that run the mm

BOOST_AUTO_TEST_CASE(others_are_called_after_the_own_flush_with_one_interrupt_for_all) {
  build(MmVersion::v4_14, 4);
  const AddressSpace& a = make_mm("a");
  run_on(a, {0, 1, 3});
  flusher->flush_tlb_page(cpu(), a, kVa);
  const Trace expected = request(a, kVa, kVa + 4096, 1) + look(a, 1) + read_request(true) + pages(2, 1) +
                         Trace{store(own().tlb_gen(1), 1), test_bit(a), test_bit(a)} + queued(0, 1) + queued(0, 3) +
                         waited(0, {1, 3});
  BOOST_TEST(trace() == expected);
  for (const unsigned c : {1u, 3u}) {
    const Trace flushed = look(a, 1, c) + read_request(true) + pages(2, 1) + Trace{store(own(c).tlb_gen(1), 1)};
    BOOST_TEST(trace(c) == (took_queue(c) + handled(0, c, flushed)));
  }
  BOOST_TEST(trace(2).size() == 0u);
  BOOST_TEST_REQUIRE(ipi.sent.size() == 1u);
  BOOST_TEST((ipi.sent[0] == mask({1, 3})));
  BOOST_TEST(stats.remote_flush_page.value() == 1u);
}

BOOST_AUTO_TEST_CASE(v4_13_called_cpus_flush_what_the_request_says) {
  build(MmVersion::v4_13, 2);
  const AddressSpace& a = make_mm("a");
  run_on(a, {0, 1});
  flusher->flush_tlb_page(cpu(), a, kVa);
  BOOST_TEST(
      trace(1) ==
      (took_queue(1) + handled(0, 1, Trace{load(own(1).state()), load(info(2)), load(info(1)), flush_page(kVa, 0)})));
}

BOOST_AUTO_TEST_CASE(a_called_cpu_that_has_switched_away_does_nothing) {
  build(MmVersion::v4_14, 2);
  const AddressSpace& a = make_mm("a");
  const AddressSpace& b = make_mm("b");
  run_on(a, {0, 1});
  cpu(0).on_access(smp->call_queue(1), [&](FakeCpu&) { mm->switch_mm(cpu(1), a, b); });
  flusher->flush_tlb_page(cpu(), a, kVa);
  const Trace all = trace(1);
  const Trace last = took_queue(1) + handled(0, 1, {});
  BOOST_TEST_REQUIRE(all.size() > last.size());
  for (std::size_t i = 0; i < last.size(); ++i) BOOST_TEST(all[all.size() - last.size() + i] == last[i]);
  BOOST_TEST(cpu(1).trace(TraceEntry::Kind::flush).size() == 0u);
}

BOOST_AUTO_TEST_CASE(off_the_stack_the_pointer_to_the_mask_is_read_once) {
  params.cpumask_offstack = true;
  build(MmVersion::v4_14, 1);
  const AddressSpace& a = make_mm("a");
  run_on(a, {0});
  flusher->flush_tlb_page(cpu(), a, kVa);
  const std::size_t last = trace().size() - 1;
  BOOST_TEST(trace()[last - 1] == load(mm->mm_layout().cpu_vm_mask_var(a)));
  BOOST_TEST(trace()[last] == test_bit(a));
}

// Idle CPUs

BOOST_AUTO_TEST_CASE(v4_14_an_idle_cpu_with_pcids_is_not_called_and_flushes_when_it_comes_back) {
  build(MmVersion::v4_14, 2);
  const AddressSpace& a = make_mm("a");
  run_on(a, {0, 1});
  go_idle(a, 1);
  flusher->flush_tlb_page(cpu(), a, kVa);
  BOOST_TEST(ipi.sent.empty());
  BOOST_TEST(trace(1).size() == 0u);
  run(a, 1);
  BOOST_TEST(cpu(1).trace(TraceEntry::Kind::sysreg) == (Trace{sysreg_flush(a.root, 2)}));
}

BOOST_AUTO_TEST_CASE(v4_13_a_lazy_cpu_is_called_once_and_goes_to_init_mm) {
  build(MmVersion::v4_13, 2);
  const AddressSpace& a = make_mm("a");
  run_on(a, {0, 1});
  go_idle(a, 1);
  flusher->flush_tlb_page(cpu(), a, kVa);
  const kernel::x86::TlbState other = own(1);
  // leave_mm, and the switch in it
  const Trace left = Trace{load(other.state()), load(other.loaded_mm()), load(other.state()), load(other.loaded_mm()),
                           store(other.state(), SwitchMm::kStateOk)} +
                     stack_check(*init) +
                     Trace{store(other.loaded_mm(), init->fields.base),
                           test_bit(*init),
                           set_bit(*init),
                           pgd(*init),
                           sysreg_flush(init->root, 0),
                           test_bit(a),
                           clear_bit(a)} +
                     control(a, *init, 1);
  BOOST_TEST(trace(1) == (took_queue(1) + handled(0, 1, left)));
  flusher->flush_tlb_page(cpu(), a, kVa);
  BOOST_TEST(ipi.sent.size() == 1u);
}

BOOST_AUTO_TEST_CASE(v4_14_a_lazy_cpu_without_pcids_is_called_once_and_goes_to_init_mm) {
  params.pcid = false;
  build(MmVersion::v4_14, 2);
  const AddressSpace& a = make_mm("a");
  run_on(a, {0, 1});
  go_idle(a, 1);
  flusher->flush_tlb_page(cpu(), a, kVa);
  const Trace left = look(a, 0, 1) + entry(1) + stack_check(*init) +
                     Trace{clear_bit(a), set_bit(*init), tlb_gen(*init)} + fill_slot(*init, 0, 1, 0, 1) +
                     Trace{pgd(*init), sysreg_flush(init->root, 0)} + now_loaded(*init, 0, 1) + control(a, *init, 1);
  BOOST_TEST(trace(1) == (took_queue(1) + handled(0, 1, left)));
  BOOST_TEST(word(own(1).is_lazy(), 1) == 0u);
  flusher->flush_tlb_page(cpu(), a, kVa);
  BOOST_TEST(ipi.sent.size() == 1u);
}

BOOST_AUTO_TEST_CASE(v4_20_lazy_cpus_are_looked_at_and_left_alone) {
  build(MmVersion::v4_20, 4);
  const AddressSpace& a = make_mm("a");
  run_on(a, {0, 1, 2});
  go_idle(a, 1);
  flusher->flush_tlb_page(cpu(), a, kVa);
  // The list of those to call contains the caller, which finds itself up to date.
  const Trace expected = request(a, kVa, kVa + 4096, 1) + look(a, 1) + read_request(true) + pages(2, 1) +
                         Trace{store(own().tlb_gen(1), 1), test_bit(a),           test_bit(a), load(own(0).is_lazy()),
                               load(own(1).is_lazy()),     load(own(2).is_lazy())} +
                         queued(0, 2) + Trace{load(info(0)), load(own().loaded_mm())} + look(a, 1) + waited(0, {2});
  BOOST_TEST(trace() == expected);
  BOOST_TEST(trace(1).size() == 0u);
  const Trace flushed = look(a, 1, 2) + read_request(true) + pages(2, 1) + Trace{store(own(2).tlb_gen(1), 1)};
  BOOST_TEST(trace(2) == (took_queue(2) + handled(0, 2, flushed)));
  BOOST_TEST_REQUIRE(ipi.sent.size() == 1u);
  BOOST_TEST((ipi.sent[0] == mask({2})));
  // The lazy one sees the generation when it comes back.
  clear();
  mm->switch_mm(cpu(1), a, a);
  BOOST_TEST(cpu(1).trace(TraceEntry::Kind::sysreg) == (Trace{sysreg_flush(a.root, 2)}));
}

BOOST_AUTO_TEST_CASE(v4_20_nobody_is_interrupted_when_all_others_are_lazy) {
  build(MmVersion::v4_20, 2);
  const AddressSpace& a = make_mm("a");
  run_on(a, {0, 1});
  go_idle(a, 1);
  flusher->flush_tlb_page(cpu(), a, kVa);
  BOOST_TEST(ipi.sent.empty());
}

BOOST_AUTO_TEST_CASE(v4_20_freed_tables_reach_lazy_cpus_which_go_to_init_mm) {
  build(MmVersion::v4_20, 3);
  const AddressSpace& a = make_mm("a");
  run_on(a, {0, 1, 2});
  go_idle(a, 1);
  flusher->flush_tlb_mm_range(cpu(), a, kVa, kVa + 4096, true);
  const Trace expected = request(a, kVa, kVa + 4096, 1) + look(a, 1) + read_request(true) + pages(2, 1) +
                         Trace{store(own().tlb_gen(1), 1), test_bit(a), test_bit(a)} + queued(0, 1) + queued(0, 2) +
                         waited(0, {1, 2});
  BOOST_TEST(trace() == expected);
  const kernel::x86::TlbState other = own(1);
  const Trace left =
      look(a, 1, 1) +
      Trace{load(other.loaded_mm()), load(other.loaded_mm_asid()), load(other.is_lazy()), store(other.is_lazy(), 0)} +
      stack_check(*init) + Trace{clear_bit(a), tlb_gen(*init)} + scan(*init, 1, 1) +
      Trace{load(other.tlb_gen(0)), store(other.loaded_mm(), SwitchMm::kSwitching), pgd(*init), sysreg(init->root, 1)} +
      now_loaded(*init, 0, 1) + control(a, *init, 1);
  BOOST_TEST(trace(1) == (took_queue(1) + handled(0, 1, left)));
  BOOST_TEST(word(a.fields.cpumask()) == 0b101u);
}

// Several at once

BOOST_AUTO_TEST_CASE(two_initiators_flush_each_other_and_a_third_catches_up_in_one_go) {
  build(MmVersion::v4_14, 3);
  const AddressSpace& a = make_mm("a");
  run_on(a, {0, 1, 2});
  // CPU 1 starts a flush of its own before it handles the call of CPU 0.
  bool first = true;
  cpu(0).on_spin([&](FakeCpu&) {
    if (std::exchange(first, false)) flusher->flush_tlb_page(cpu(1), a, kVa);
    for (const unsigned c : {1u, 2u}) smp->handle(cpu(c));
  });
  cpu(1).on_spin([&](FakeCpu&) {
    for (const unsigned c : {0u, 2u}) smp->handle(cpu(c));
  });
  flusher->flush_tlb_page(cpu(), a, kVa);
  // CPU 1 is two behind: it flushes all, and CPU 0's call finds nothing left to do.
  const Trace second = request(a, kVa, kVa + 4096, 2, 1) + look(a, 1, 1) + read_request(false, 1) +
                       Trace{sysreg_flush(a.root, 2), store(own(1).tlb_gen(1), 2), test_bit(a), test_bit(a)} +
                       queued(1, 0) + queued(1, 2) + waited(1, {0, 2}) + took_queue(1) + handled(0, 1, look(a, 1, 1));
  BOOST_TEST(trace(1) == second);
  // CPU 2 had a call in its queue when CPU 1 put a second one there: one interrupt, one flush.
  const Trace both =
      took_queue(2) +
      handled(0, 2, look(a, 1, 2) + read_request(false) + Trace{sysreg_flush(a.root, 2), store(own(2).tlb_gen(1), 2)}) +
      handled(1, 2, look(a, 1, 2));
  BOOST_TEST(trace(2) == both);
  BOOST_TEST_REQUIRE(ipi.sent.size() == 2u);
  BOOST_TEST((ipi.sent[0] == mask({1, 2})));
  BOOST_TEST((ipi.sent[1] == mask({0})));
  // CPU 0 had flushed its own page before; CPU 1's is the next generation and the newest.
  BOOST_TEST(cpu(0).trace(TraceEntry::Kind::flush) == (pages(2, 1) + pages(2, 1)));
  for (const unsigned c : {0u, 1u, 2u}) BOOST_TEST(word(own(c).tlb_gen(1)) == 2u);
}

BOOST_AUTO_TEST_CASE(a_reschedule_interrupt_alone_leaves_the_queue_alone) {
  build(MmVersion::v4_14, 2);
  smp->send(cpu(), mask({1}), kernel::Smp::Message::reschedule);
  smp->handle(cpu(1));
  BOOST_TEST(trace(0).size() == 0u);
  BOOST_TEST(trace(1).size() == 0u);
  BOOST_TEST((ipi.sent.at(0) == mask({1})));
}

// Page-table isolation

BOOST_AUTO_TEST_CASE(pti_flushes_each_page_from_the_users_pcid_too) {
  params.pti = true;
  build(MmVersion::v4_14, 1);
  const AddressSpace& a = make_mm("a");
  run_on(a, {0});
  flusher->flush_tlb_mm_range(cpu(), a, kVa, kVa + 8192);
  const Trace expected = request(a, kVa, kVa + 8192, 1) + look(a, 1) + read_request(true) +
                         Trace{flush_page(kVa, 2),           load(own().loaded_mm_asid()),
                               flush_page(kVa, 2 | 0x800),   flush_page(kVa + 4096, 2),
                               load(own().loaded_mm_asid()), flush_page(kVa + 4096, 2 | 0x800),
                               store(own().tlb_gen(1), 1),   test_bit(a)};
  BOOST_TEST(trace() == expected);
}

BOOST_AUTO_TEST_CASE(pti_leaves_the_users_pcid_to_the_return_when_all_is_flushed) {
  params.pti = true;
  build(MmVersion::v4_14, 1);
  const AddressSpace& a = make_mm("a");
  run(a);
  mm->switch_to_user_cr3(cpu());
  mm->switch_to_kernel_cr3(cpu());
  clear();
  flusher->flush_tlb_mm(cpu(), a);
  const Address dirty = own().user_pcid_flush_mask();
  const Trace expected = request(a, 0, kAll, 1) + look(a, 1) + read_request(false) +
                         Trace{load(own().loaded_mm_asid()), load(dirty), store(dirty, 1 << 2), sysreg_flush(a.root, 2),
                               store(own().tlb_gen(1), 1),   test_bit(a)};
  BOOST_TEST(trace() == expected);
  clear();
  mm->switch_to_user_cr3(cpu());
  BOOST_TEST(cpu().trace(TraceEntry::Kind::sysreg) == (Trace{sysreg_flush(a.root, 2 | 0x800)}));
}

BOOST_AUTO_TEST_CASE(pti_without_pcids_flushes_pages_once) {
  params.pti = true;
  params.pcid = false;
  build(MmVersion::v4_14, 1);
  const AddressSpace& a = make_mm("a");
  run_on(a, {0});
  flusher->flush_tlb_page(cpu(), a, kVa);
  BOOST_TEST(cpu().trace(TraceEntry::Kind::flush) == pages(0, 1));
}

// Flushes left out

struct Flushes {
  std::size_t local, remote, calls;
};

Flushes flushes_with(FlushMutation mutation, bool lazy = false) {
  FlushBench bench;
  if (lazy) bench.params.pcid = false;
  bench.build(MmVersion::v4_14, 2, mutation);
  const AddressSpace& a = bench.make_mm("a");
  bench.run_on(a, {0, 1});
  if (lazy) bench.go_idle(a, 1);
  bench.flusher->flush_tlb_page(bench.cpu(), a, kVa);
  const auto kind = lazy ? TraceEntry::Kind::sysreg : TraceEntry::Kind::flush;
  return {bench.cpu(0).trace(TraceEntry::Kind::flush).size(), bench.cpu(1).trace(kind).size(), bench.ipi.sent.size()};
}

BOOST_AUTO_TEST_CASE(each_mutation_takes_one_part_of_a_flush_away) {
  struct Case {
    FlushMutation mutation;
    bool lazy;
    Flushes left;
  };
  const Case cases[] = {{FlushMutation::none, false, {1, 1, 1}},
                        {FlushMutation::flush_tlb_func_local, false, {0, 1, 1}},
                        {FlushMutation::flush_tlb_others, false, {1, 0, 0}},
                        {FlushMutation::flush_tlb_func_remote, false, {1, 0, 1}},
                        {FlushMutation::inc_mm_tlb_gen, false, {0, 0, 1}},
                        {FlushMutation::none, true, {1, 1, 1}},
                        {FlushMutation::lazy_to_init_mm, true, {1, 0, 1}}};
  for (const Case& each : cases) {
    const Flushes got = flushes_with(each.mutation, each.lazy);
    BOOST_TEST_CONTEXT("mutation " << static_cast<int>(each.mutation)) {
      BOOST_TEST(got.local == each.left.local);
      BOOST_TEST(got.remote == each.left.remote);
      BOOST_TEST(got.calls == each.left.calls);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

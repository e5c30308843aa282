// SPDX-License-Identifier: Apache-2.0
#include "interrupt/opensbi.h"

#include "interrupt/firmware_fixture.h"
#include "interrupt/no_firmware.h"
#include "interrupt/register.h"
#include "interrupt/timer_ticks.h"

using namespace switchyard;
using namespace switchyard::test;
using cpu::AtomicOp;
using interrupt::FanOut;
using interrupt::FenceRange;
using interrupt::OpenSbiParams;
using Kind = TraceEntry::Kind;

namespace {

constexpr base::Address kPage = 0x40001000;
constexpr FenceRange kOnePage{kPage, 4096, std::nullopt};

OpenSbiParams serial() {
  OpenSbiParams params;
  params.fan_out = FanOut::serial;
  return params;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(opensbi)

BOOST_AUTO_TEST_CASE(a_fence_of_the_caller_alone_touches_no_shared_memory) {
  FirmwareBench bench(4);
  bench.fence(2, {2}, kOnePage);
  BOOST_TEST(bench.trace(2) == (Trace{flush_page(kPage)}));
  BOOST_TEST(bench.counter("local_only") == 1u);
  BOOST_TEST(bench.counter("remote_fences") == 0u);
  BOOST_TEST(bench.counter("traps") == 1u);
  BOOST_TEST((bench.harts[2]->privilege() == cpu::Privilege::supervisor));
}

BOOST_AUTO_TEST_CASE(a_remote_fence_queues_marks_kicks_and_waits) {
  FirmwareBench bench(2);
  bench.fence(0, {1}, kOnePage);
  const Trace sender{
      atomic(AtomicOp::add, bench.lock(1)),     // merge: nothing waits
      load(bench.ring(1)),                      //
      store(bench.lock(1), 1),                  //
      atomic(AtomicOp::add, bench.lock(1)),     // append
      load(bench.ring(1)),                      //
      store(bench.entry(1, 0), kPage),          //
      store(bench.entry(1, 0) + 8, 4096),       //
      store(bench.entry(1, 0) + 16, 0),         //
      store(bench.entry(1, 0) + 24, 1),         //
      store(bench.ring(1), 0x10000),            //
      store(bench.lock(1), 2),                  //
      atomic(AtomicOp::add, bench.sync(0)),     // one answer owed
      atomic(AtomicOp::bit_or, bench.type(1)),  //
      barrier(),                                //
      mmio_write(bench.msip(1), 1),             //
      load(bench.sync(0)),                      // answered meanwhile
  };
  BOOST_TEST(bench.trace(0) == sender);
  const Trace target{
      mmio_write(bench.msip(1), 0),           //
      atomic(AtomicOp::swap, bench.type(1)),  //
      atomic(AtomicOp::add, bench.lock(1)),   // take the request
      load(bench.ring(1)),                    //
      load(bench.entry(1, 0)),                //
      load(bench.entry(1, 0) + 8),            //
      load(bench.entry(1, 0) + 16),           //
      load(bench.entry(1, 0) + 24),           //
      store(bench.ring(1), 1),                //
      store(bench.lock(1), 3),                //
      flush_page(kPage),                      //
      atomic(AtomicOp::add, bench.sync(0)),   // answer
      atomic(AtomicOp::add, bench.lock(1)),   // nothing else
      load(bench.ring(1)),                    //
      store(bench.lock(1), 4),                //
  };
  BOOST_TEST(bench.trace(1) == target);
  BOOST_TEST(bench.memory.peek(bench.sync(0)) == 0u);
  BOOST_TEST(bench.memory.peek(bench.type(1)) == 0u);
  BOOST_TEST(bench.counter("remote_fences") == 1u);
  BOOST_TEST(bench.counter("ipis_sent") == 1u);
  BOOST_TEST(bench.counter("traps") == 2u);
  BOOST_TEST(bench.counter("page_flushes") == 1u);
}

BOOST_AUTO_TEST_CASE(waiting_lasts_until_the_target_answers) {
  FirmwareBench bench(2);
  bench.handle_at_once = false;
  bench.harts[0]->on_spin([&](FakeCpu& cpu) {
    if (cpu.cycles(cpu::Cause::ack_wait) == 20) bench.harts[1]->take_interrupts();
  });
  bench.fence(0, {1});
  BOOST_TEST(bench.harts[0]->cycles(cpu::Cause::ack_wait) == 20u);
  BOOST_TEST(bench.harts[0]->trace(Kind::spin) == (Trace{spin(bench.sync(0))}));
}

BOOST_AUTO_TEST_CASE(parallel_kicks_every_hart_before_it_waits) {
  FirmwareBench bench(4);
  bench.handle_at_once = false;
  bench.harts[1]->on_spin([&](FakeCpu&) {
    BOOST_TEST(bench.harts[1]->trace(Kind::mmio_write).size() == 3u);
    BOOST_TEST(bench.memory.peek(bench.sync(1)) == 3u);
    for (const unsigned h : {0u, 2u, 3u}) bench.harts[h]->take_interrupts();
  });
  bench.fence(1, {0, 1, 2, 3});
  BOOST_TEST(bench.harts[1]->trace(Kind::mmio_write) ==
             (Trace{mmio_write(bench.msip(0), 1), mmio_write(bench.msip(2), 1), mmio_write(bench.msip(3), 1)}));
  BOOST_TEST(bench.harts[1]->trace(Kind::spin).size() == 1u);
  BOOST_TEST(bench.memory.peek(bench.sync(1)) == 0u);
  for (unsigned h = 0; h < 4; ++h) BOOST_TEST(bench.flushes(h) == (Trace{flush_all()}));
}

BOOST_AUTO_TEST_CASE(serial_waits_for_each_hart_before_it_kicks_the_next) {
  FirmwareBench bench(4, serial());
  bench.handle_at_once = false;
  unsigned answered = 0;
  bench.harts[1]->on_spin([&](FakeCpu& cpu) {
    ++answered;
    BOOST_TEST(cpu.trace(Kind::mmio_write).size() == answered);
    for (auto& hart : bench.harts) hart->take_interrupts();
  });
  bench.fence(1, {0, 1, 2, 3});
  BOOST_TEST(answered == 3u);
  Trace order;
  for (const auto& e : bench.trace(1).entries())
    if (e.kind == Kind::mmio_write || e.kind == Kind::spin || e.kind == Kind::flush) order.push_back(e);
  BOOST_TEST(order ==
             (Trace{mmio_write(bench.msip(0), 1), spin(bench.sync(1)), flush_all(), mmio_write(bench.msip(2), 1),
                    spin(bench.sync(1)), mmio_write(bench.msip(3), 1), spin(bench.sync(1))}));
  BOOST_TEST(bench.memory.peek(bench.sync(1)) == 0u);
}

BOOST_AUTO_TEST_CASE(an_overlapping_request_joins_the_waiting_one_and_both_get_an_answer) {
  FirmwareBench bench(3);
  bench.handle_at_once = false;
  bench.harts[0]->on_spin([&](FakeCpu&) { bench.fence(1, {2}, {kPage, 4096, std::nullopt}); });
  bench.harts[1]->on_spin([&](FakeCpu&) { bench.harts[2]->take_interrupts(); });
  bench.fence(0, {2}, {kPage, 4096, std::nullopt});
  BOOST_TEST(bench.counter("merges") == 1u);
  BOOST_TEST(bench.counter("ipis_sent") == 1u);
  BOOST_TEST(bench.flushes(2) == (Trace{flush_page(kPage)}));
  BOOST_TEST(bench.memory.peek(bench.sync(0)) == 0u);
  BOOST_TEST(bench.memory.peek(bench.sync(1)) == 0u);
}

BOOST_AUTO_TEST_CASE(a_joined_request_covers_both_ranges) {
  OpenSbiParams params;
  params.fence_limit = {4 * 4096};
  FirmwareBench bench(3, params);
  bench.handle_at_once = false;
  bench.harts[0]->on_spin([&](FakeCpu&) { bench.fence(1, {2}, {kPage, 2 * 4096, std::nullopt}); });
  bench.harts[1]->on_spin([&](FakeCpu&) { bench.harts[2]->take_interrupts(); });
  bench.fence(0, {2}, {kPage + 4096, 2 * 4096, std::nullopt});
  BOOST_TEST(bench.flushes(2) == (Trace{flush_page(kPage), flush_page(kPage + 4096), flush_page(kPage + 8192)}));
}

BOOST_AUTO_TEST_CASE(requests_of_other_pages_or_address_spaces_stay_apart) {
  FirmwareBench bench(4);
  bench.handle_at_once = false;
  bench.harts[0]->on_spin([&](FakeCpu&) { bench.fence(1, {3}, {kPage, 4096, std::uint16_t{7}}); });
  bench.harts[1]->on_spin([&](FakeCpu&) { bench.fence(2, {3}, {kPage + 4096, 4096, std::nullopt}); });
  bench.harts[2]->on_spin([&](FakeCpu&) { bench.harts[3]->take_interrupts(); });
  bench.fence(0, {3}, kOnePage);
  BOOST_TEST(bench.counter("merges") == 0u);
  BOOST_TEST(bench.flushes(3) == (Trace{flush_page(kPage), flush_page(kPage, 7), flush_page(kPage + 4096)}));
}

BOOST_AUTO_TEST_CASE(the_entries_of_a_queue_are_used_in_turn) {
  OpenSbiParams params;
  params.fifo_entries = 3;
  FirmwareBench bench(2, params);
  for (unsigned i = 0; i < 10; ++i) {
    bench.harts[0]->clear_trace();
    bench.fence(0, {1}, {kPage * (i + 1), 4096, std::nullopt});
    BOOST_TEST(bench.harts[0]->trace(Kind::store)[1] == store(bench.entry(1, i % 3), kPage * (i + 1)));
  }
}

BOOST_AUTO_TEST_CASE(a_full_queue_is_retried_until_the_target_has_made_room) {
  for (const FanOut fan_out : {FanOut::serial, FanOut::parallel}) {
    OpenSbiParams params;
    params.fan_out = fan_out;
    params.fifo_entries = 1;
    FirmwareBench bench(3, params);
    bench.handle_at_once = false;
    unsigned tries = 0;
    // Hart 1 finds the only entry taken by hart 0; at its third look at its own queue the target wakes up.
    bench.harts[1]->on_access(bench.ring(1), [&](FakeCpu&) {
      if (++tries == 3) bench.harts[2]->take_interrupts();
    });
    bench.harts[0]->on_spin([&](FakeCpu&) { bench.fence(1, {2}, {kPage + 4096, 4096, std::nullopt}); });
    bench.harts[1]->on_spin([&](FakeCpu&) { bench.harts[2]->take_interrupts(); });
    bench.fence(0, {2}, kOnePage);
    BOOST_TEST(bench.counter("fifo_full") == 3u);
    BOOST_TEST(bench.flushes(2) == (Trace{flush_page(kPage), flush_page(kPage + 4096)}));
    BOOST_TEST((bench.memory.peek(bench.ring(2), 4) >> 16) == 0u);
  }
}

BOOST_AUTO_TEST_CASE(a_full_queue_does_not_keep_the_other_harts_waiting) {
  OpenSbiParams params;
  params.fifo_entries = 1;
  FirmwareBench bench(4, params);
  bench.handle_at_once = false;
  bench.harts[0]->on_spin([&](FakeCpu&) { bench.fence(1, {2, 3}, {kPage + 4096, 4096, std::nullopt}); });
  bench.harts[1]->on_access(bench.ring(1), [&](FakeCpu&) { bench.harts[2]->take_interrupts(); });
  bench.harts[1]->on_spin([&](FakeCpu&) {
    for (auto& hart : bench.harts) hart->take_interrupts();
  });
  bench.fence(0, {2}, kOnePage);
  BOOST_TEST(bench.harts[1]->trace(Kind::mmio_write) ==
             (Trace{mmio_write(bench.msip(3), 1), mmio_write(bench.msip(2), 1)}));
}

BOOST_AUTO_TEST_CASE(a_waiting_hart_executes_what_others_want_from_it) {
  for (const FanOut fan_out : {FanOut::serial, FanOut::parallel}) {
    OpenSbiParams params;
    params.fan_out = fan_out;
    FirmwareBench bench(3, params);
    bench.handle_at_once = false;
    // While hart 0 waits in machine mode for hart 2, hart 1 fences hart 0 and cannot interrupt it.
    bool asked = false;
    bench.harts[0]->on_spin([&](FakeCpu&) {
      if (!std::exchange(asked, true)) {
        bench.memory.poke(bench.entry(0, 0), kPage);
        bench.memory.poke(bench.entry(0, 0) + 8, 4096);
        bench.memory.poke(bench.entry(0, 0) + 24, 2);
        bench.memory.poke(bench.ring(0), 0x10000, 4);
      } else if (bench.flushes(0).size() == 1) {
        bench.harts[2]->take_interrupts();
      }
    });
    bench.fence(0, {2});
    BOOST_TEST(bench.flushes(0) == (Trace{flush_page(kPage)}));
    BOOST_TEST(bench.memory.peek(bench.sync(1)) == (fan_out == FanOut::serial ? 1 : ~std::uint64_t{0}));
  }
}

BOOST_AUTO_TEST_CASE(ranges_beyond_the_limit_become_full_flushes) {
  FirmwareBench bench(2);
  bench.fence(0, {0, 1}, {kPage, 4096, std::nullopt});
  bench.fence(0, {0, 1}, {kPage, 4097, std::nullopt});
  bench.fence(0, {0, 1}, {kPage, 8192, std::uint16_t{5}});
  bench.fence(0, {0, 1}, {0, FenceRange::kWholeSpace, std::uint16_t{5}});
  bench.fence(0, {0, 1}, {kPage, 0, std::nullopt});
  const Trace expected{flush_page(kPage), flush_all(), flush_asid(5), flush_asid(5), flush_all()};
  BOOST_TEST(bench.flushes(0) == expected);
  BOOST_TEST(bench.flushes(1) == expected);
  BOOST_TEST(bench.counter("full_flushes") == 8u);
  BOOST_TEST(bench.counter("page_flushes") == 2u);
}

BOOST_AUTO_TEST_CASE(a_higher_limit_flushes_page_by_page) {
  OpenSbiParams params;
  params.fence_limit = {4 * 4096};
  FirmwareBench bench(1, params);
  bench.fence(0, {0}, {kPage + 100, 4096, std::uint16_t{3}});
  BOOST_TEST(bench.trace(0) == (Trace{flush_page(kPage, 3), flush_page(kPage + 4096, 3)}));
}

BOOST_AUTO_TEST_CASE(the_full_fence_quirk_flushes_everything_for_one_page) {
  OpenSbiParams params;
  params.full_fence = true;
  FirmwareBench bench(2, params);
  bench.fence(0, {0, 1}, {kPage, 4096, std::uint16_t{3}});
  BOOST_TEST(bench.flushes(0) == (Trace{flush_all()}));
  BOOST_TEST(bench.flushes(1) == (Trace{flush_all()}));
}

BOOST_AUTO_TEST_CASE(the_trap_entry_quirk_flushes_on_every_trap_of_every_hart) {
  OpenSbiParams params;
  params.fence_at_trap_entry = true;
  FirmwareBench bench(2, params);
  bench.fence(0, {1}, kOnePage);
  BOOST_TEST(bench.flushes(0) == (Trace{flush_all()}));
  BOOST_TEST(bench.flushes(1) == (Trace{flush_all(), flush_page(kPage)}));
  bench.sbi->set_timer(*bench.harts[0], 1000);
  BOOST_TEST(bench.flushes(0).size() == 2u);
  bench.harts[0]->raise(cpu::kMachineTimer);
  bench.harts[0]->on_access(bench.mtimecmp(0), [](FakeCpu& cpu) { cpu.lower(cpu::kMachineTimer); });
  bench.harts[0]->take_interrupts();
  BOOST_TEST(bench.flushes(0).size() == 3u);
  bench.sbi->send_ipi(*bench.harts[0], FirmwareBench::mask({1}));
  BOOST_TEST(bench.flushes(0).size() == 4u);
  BOOST_TEST(bench.flushes(1).size() == 3u);
  BOOST_TEST(bench.counter("trap_flushes") == 6u);
  BOOST_TEST(bench.counter("full_flushes") == 0u);
}

BOOST_AUTO_TEST_CASE(an_ipi_makes_the_supervisor_interrupt_of_the_target_pending) {
  FirmwareBench bench(3);
  bench.sbi->send_ipi(*bench.harts[0], FirmwareBench::mask({0, 2}));
  BOOST_TEST(bench.harts[2]->trace() == (Trace{mmio_write(bench.msip(2), 0), atomic(AtomicOp::swap, bench.type(2)),
                                               sip(cpu::kSupervisorSoftware, true)}));
  BOOST_TEST(bench.harts[1]->trace().size() == 0u);
  BOOST_TEST(bench.harts[0]->pending_interrupts() == std::uint32_t{cpu::kMachineSoftware});
  bench.harts[0]->take_interrupts();
  BOOST_TEST(bench.harts[0]->pending_interrupts() == std::uint32_t{cpu::kSupervisorSoftware});
}

BOOST_AUTO_TEST_CASE(an_interrupt_on_its_way_carries_further_types) {
  FirmwareBench bench(2);
  bench.handle_at_once = false;
  bench.sbi->send_ipi(*bench.harts[0], FirmwareBench::mask({1}));
  bench.harts[0]->on_spin([&](FakeCpu&) { bench.harts[1]->take_interrupts(); });
  bench.fence(0, {1});
  BOOST_TEST(bench.counter("ipis_sent") == 1u);
  BOOST_TEST(bench.flushes(1) == (Trace{flush_all()}));
  BOOST_TEST(bench.harts[1]->pending_interrupts() == std::uint32_t{cpu::kSupervisorSoftware});
}

BOOST_AUTO_TEST_CASE(the_timer_is_programmed_never_early_and_fires_once) {
  FirmwareBench bench(1);
  auto& hart = *bench.harts[0];
  hart.raise(cpu::kSupervisorTimer);
  bench.sbi->set_timer(hart, 2'000'001);
  BOOST_TEST(hart.trace() == (Trace{sip(cpu::kSupervisorTimer, false), mmio_write(bench.mtimecmp(0), 3)}));
  hart.clear_trace();
  hart.on_access(bench.mtimecmp(0), [](FakeCpu& cpu) { cpu.lower(cpu::kMachineTimer); });
  hart.raise(cpu::kMachineTimer);
  hart.take_interrupts();
  BOOST_TEST(hart.trace() ==
             (Trace{mmio_write(bench.mtimecmp(0), interrupt::kNever), sip(cpu::kSupervisorTimer, true)}));
  hart.clear_trace();
  bench.sbi->set_timer(hart, ~std::uint64_t{0});
  BOOST_TEST(hart.trace() ==
             (Trace{sip(cpu::kSupervisorTimer, false), mmio_write(bench.mtimecmp(0), interrupt::kNever)}));
}

BOOST_AUTO_TEST_CASE(all_firmware_code_takes_time_in_proportion_to_a_trap) {
  OpenSbiParams params;
  params.trap_cost = base::cycles(10 * OpenSbiParams{}.trap_cost.value);
  FirmwareBench cheap(1), dear(1, params);
  cheap.fence(0, {0});
  dear.fence(0, {0});
  const auto firmware = [](const FirmwareBench& bench) {
    return static_cast<double>(bench.harts[0]->cycles(cpu::Cause::firmware));
  };
  BOOST_TEST(firmware(dear) == 10 * firmware(cheap), boost::test_tools::tolerance(0.01));  // cycles are whole
  BOOST_TEST(dear.harts[0]->cycles(cpu::Cause::instructions) == 0u);
  BOOST_TEST(dear.harts[0]->root().children.size() == 1u);
  BOOST_TEST(dear.functions[dear.harts[0]->root().children[0]->function].name == "sbi_trap_handler");
}

BOOST_AUTO_TEST_CASE(instructions_beyond_a_trap_run_at_its_pace) {
  OpenSbiParams params;
  params.costs.trap = 100;
  params.trap_cost = base::cycles(300);
  const auto timer_cycles = [&params](std::uint64_t instructions) {
    params.costs.timer = instructions;
    FirmwareBench bench(1, params);
    bench.sbi->set_timer(*bench.harts[0], 1'000'000);
    return bench.harts[0]->cycles(cpu::Cause::firmware);
  };
  BOOST_TEST(timer_cycles(150) - timer_cycles(50) == 300u);
}

BOOST_AUTO_TEST_CASE(each_hart_has_lines_of_its_own_and_fields_can_be_separated) {
  OpenSbiParams params;
  params.field_align = {64};
  FirmwareBench bench(2, params);
  BOOST_TEST(bench.type(1) - bench.type(0) == params.stride.value);
  BOOST_TEST(bench.sync(0) - bench.type(0) == 64u);
  BOOST_TEST(bench.entry(0, 0) - bench.lock(0) == 64u);
  BOOST_TEST(bench.entry(0, 7) + 8 * bench.sbi->layout().words_per_entry() <= bench.type(1));
}

BOOST_AUTO_TEST_CASE(a_scratch_area_that_is_too_small_is_refused) {
  OpenSbiParams params;
  BOOST_TEST(params.check() == "");
  params.stride = {1024};
  BOOST_TEST(params.check() == "stride must be at least 1240 B for 8 fifo_entries and field_align of 8 B, got 1024 B");
  params = {};
  params.memory = 0x80000004;
  BOOST_TEST(params.check() == "memory must be a multiple of 8, got 2147483652");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(no_firmware)

BOOST_AUTO_TEST_CASE(without_firmware_fences_and_ipis_are_refused_and_the_timer_works) {
  interrupt::FirmwareRegistry registry;
  interrupt::register_firmware(registry);
  BOOST_TEST(registry.names() == (std::vector<std::string>{"opensbi", "none"}), boost::test_tools::per_element());
  FakeCpu hart;
  cpu::FunctionTable functions;
  const interrupt::FirmwareContext context{{&hart}, functions};
  const auto params = registry.make("none");
  const auto firmware = registry.find("none")->build(context, *params);
  BOOST_TEST(!firmware->offers_ipi());
  BOOST_CHECK_EXCEPTION(firmware->send_ipi(hart, FirmwareBench::mask({0})), base::ConfigError, [](const auto& error) {
    return std::string(error.what()) ==
           "firmware.type: none sends no IPIs; use opensbi, or kernel IPIs by an sswi module";
  });
  BOOST_CHECK_THROW(firmware->remote_sfence_vma(hart, FirmwareBench::mask({0}), {}), base::ConfigError);
  firmware->set_timer(hart, 5'000'000);
  hart.on_access(FirmwareBench::mtimecmp(0), [](FakeCpu& cpu) { cpu.lower(cpu::kMachineTimer); });
  hart.raise(cpu::kMachineTimer);
  hart.take_interrupts();
  BOOST_TEST(hart.pending_interrupts() == std::uint32_t{cpu::kSupervisorTimer});
  BOOST_TEST(hart.trace() ==
             (Trace{sip(cpu::kSupervisorTimer, false), mmio_write(FirmwareBench::mtimecmp(0), 5),
                    mmio_write(FirmwareBench::mtimecmp(0), interrupt::kNever), sip(cpu::kSupervisorTimer, true)}));
}

BOOST_AUTO_TEST_SUITE_END()

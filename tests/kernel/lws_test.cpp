// SPDX-License-Identifier: Apache-2.0
// Compare and swap on the gateway page, step by step as in Linux v4.2 arch/parisc/kernel/syscall.S.
#include "kernel/parisc_bench.h"

namespace switchyard::test {

using cpu::AtomicOp;
using cpu::Privilege;
using kernel::parisc::Lws;

namespace {

constexpr Address kWord = 0x30040;  // bits 4 to 7 are 4: lock 4

struct LwsTest : PariscBench {
  std::unique_ptr<Lws> lws;
  Address table = 0, start = 0;

  void build() {
    lws = std::make_unique<Lws>(params.lws, services, ram, params.costs);
    ram.show(layout);
    table = address_of("lws_table");
    start = address_of("lws_lock_start");
    cpu.set_privilege(Privilege::user);
  }
  /// The spelled-out formula of step 7.
  Address lock(Address word, unsigned align_bits = 4) const { return start + ((word / 16 % 16) << align_bits); }
  static Address low(Address address) { return address & 0xffffffff; }
  Lws::Result call(std::uint64_t old, std::uint64_t value) { return lws->compare_and_swap32(cpu, kWord, old, value); }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(lws, LwsTest)

BOOST_AUTO_TEST_CASE(a_successful_call_loads_and_stores_the_word_under_its_lock) {
  build();
  memory.poke(kWord, 7, 4);
  const Lws::Result result = call(7, 8);
  BOOST_TEST(cpu.trace() == (Trace{load(table), atomic(AtomicOp::swap, lock(kWord)), load(kWord), store(kWord, 8),
                                   store(lock(kWord), low(lock(kWord)))}));
  BOOST_TEST(result.error == 0);
  BOOST_TEST(result.previous == 7u);
  BOOST_TEST(word(kWord) == 8u);
}

BOOST_AUTO_TEST_CASE(a_busy_lock_is_reported_at_once_and_nothing_more_is_touched) {
  build();
  memory.poke(lock(kWord), 0, 4);
  const Lws::Result result = call(0, 1);
  BOOST_TEST(cpu.trace() == (Trace{load(table), atomic(AtomicOp::swap, lock(kWord))}));
  BOOST_TEST(result.error == -11);  // -EAGAIN
  BOOST_TEST(word(kWord) == 0u);
  BOOST_TEST(word(lock(kWord)) == 0u);
  BOOST_TEST(cpu.cycles(cpu::Cause::lock_spin) == 0u);
}

BOOST_AUTO_TEST_CASE(a_word_that_has_changed_is_not_stored_to_and_its_lock_is_released) {
  build();
  memory.poke(kWord, 9, 4);
  const Lws::Result result = call(7, 8);
  BOOST_TEST(cpu.trace() == (Trace{load(table), atomic(AtomicOp::swap, lock(kWord)), load(kWord),
                                   store(lock(kWord), low(lock(kWord)))}));
  BOOST_TEST(result.error == 0);
  BOOST_TEST(result.previous == 9u);
  BOOST_TEST(word(kWord) == 9u);
  BOOST_TEST(word(lock(kWord)) != 0u);
}

BOOST_AUTO_TEST_CASE(the_released_lock_holds_a_value_that_is_not_zero_and_can_be_taken_again) {
  build();
  for (const std::uint64_t value : {1u, 2u, 3u}) {
    BOOST_TEST(call(value - 1, value).error == 0);
    BOOST_TEST(word(lock(kWord)) != 0u);
  }
  BOOST_TEST(word(kWord) == 3u);
}

BOOST_AUTO_TEST_CASE(only_the_four_bytes_of_the_word_are_compared_and_stored) {
  build();
  memory.poke(kWord, 0xaaaaaaaa00000005);
  const Lws::Result result = call(5, 6);
  BOOST_TEST(result.previous == 5u);
  BOOST_TEST(memory.peek(kWord) == 0xaaaaaaaa00000006u);
}

BOOST_AUTO_TEST_CASE(all_sixteen_locks_are_free_at_the_start) {
  for (const std::uint64_t bits : {2u, 4u, 6u, 7u}) {
    params.lws.lock_align_bits = bits;
    PariscBench other;
    Lws(params.lws, other.services, other.ram, params.costs);
    other.ram.show(other.layout);
    for (unsigned i = 0; i < 16; ++i)
      BOOST_TEST(other.word(other.address_of("lws_lock_start") + (i << bits)) != 0u, bits << " bits, lock " << i);
  }
}

BOOST_AUTO_TEST_CASE(bits_4_to_7_of_the_address_choose_one_of_sixteen_locks_16_bytes_apart) {
  build();
  BOOST_TEST(size_of("lws_lock_start") == 256u);
  BOOST_TEST(lws->lock_of(0x1000) == start);
  BOOST_TEST(lws->lock_of(0x100f) == start);
  BOOST_TEST(lws->lock_of(0x1010) == start + 16);
  BOOST_TEST(lws->lock_of(0x10ff) == start + 240);
  for (Address word = 0x40000; word < 0x40400; word += 4) {
    BOOST_TEST(lws->lock_of(word) == lock(word));
    BOOST_TEST(lws->lock_of(word) == lws->lock_of(word + 256));
    BOOST_TEST(lws->lock_of(word) != lws->lock_of(word + 16));
  }
}

BOOST_AUTO_TEST_CASE(six_bits_of_alignment_put_the_same_locks_64_bytes_apart) {
  params.lws.lock_align_bits = 6;
  build();
  BOOST_TEST(size_of("lws_lock_start") == 1024u);
  BOOST_TEST(lws->lock_of(0x100f) == start);
  BOOST_TEST(lws->lock_of(0x1010) == start + 64);
  BOOST_TEST(lws->lock_of(0x10f0) == start + 960);
  for (Address word = 0x40000; word < 0x40400; word += 4) {
    BOOST_TEST(lws->lock_of(word) == lock(word, 6));
    BOOST_TEST(lws->lock_of(word) == lws->lock_of(word + 256));
  }
}

BOOST_AUTO_TEST_CASE(sixteen_counters_in_a_row_share_four_locks_which_need_one_or_four_64_byte_lines) {
  for (const unsigned bits : {4u, 6u}) {
    params.lws.lock_align_bits = bits;
    PariscBench other;
    const Lws gate(params.lws, other.services, other.ram, params.costs);
    std::map<Address, unsigned> counters, lines;
    for (unsigned j = 0; j < 16; ++j) ++counters[gate.lock_of(0x40000 + 4 * j)];
    for (const auto& [address, users] : counters) {
      BOOST_TEST(users == 4u);
      ++lines[address / 64];
    }
    BOOST_TEST(counters.size() == 4u);
    BOOST_TEST(lines.size() == (bits == 4 ? 1u : 4u));
  }
}

BOOST_AUTO_TEST_CASE(the_locks_start_at_the_given_distance_from_a_page) {
  for (const std::uint64_t offset : {0u, 16u, 64u, 4032u}) {
    params.lws.lock_start_offset = {offset};
    PariscBench other;
    Lws(params.lws, other.services, other.ram, params.costs);
    BOOST_TEST(other.address_of("lws_lock_start") % 4096 == offset);
  }
}

BOOST_AUTO_TEST_CASE(an_offset_that_would_split_a_lock_is_refused) {
  params.lws.lock_start_offset = {40};
  BOOST_TEST(params.lws.check() == "lock_start_offset must be a multiple of 16 B, got 40 B");
}

BOOST_AUTO_TEST_CASE(interrupts_are_off_from_taking_the_lock_to_releasing_it) {
  build();
  std::string seen;
  const auto note = [&](const char* what) {
    return [&seen, what](FakeCpu& c) { seen += std::string(what) + (c.interrupts_enabled() ? " on " : " off "); };
  };
  cpu.on_access(table, note("table"));
  cpu.on_access(lock(kWord), note("lock"));
  cpu.on_access(kWord, note("word"));
  call(0, 1);
  BOOST_TEST(seen == "table on lock off word off word off lock off ");
  BOOST_TEST(cpu.interrupts_enabled());
}

BOOST_AUTO_TEST_CASE(interrupts_are_on_again_after_a_busy_lock) {
  build();
  memory.poke(lock(kWord), 0, 4);
  cpu.on_access(lock(kWord), [](FakeCpu& c) { BOOST_TEST(!c.interrupts_enabled()); });
  call(0, 1);
  BOOST_TEST(cpu.interrupts_enabled());
}

BOOST_AUTO_TEST_CASE(an_interrupt_while_the_lock_is_held_waits_for_its_release_and_comes_on_the_gateway_page) {
  build();
  std::size_t accesses = 0;
  InterruptNote handler([&](std::uint32_t pending) {
    cpu.lower(pending);
    accesses = cpu.trace().size();
    BOOST_TEST(word(lock(kWord)) != 0u);
    BOOST_TEST(functions[cpu.context().node->function].name == "lws_compare_and_swap32");
  });
  cpu.set_supervisor_handler(&handler);
  cpu.on_access(lock(kWord), [&](FakeCpu& c) {
    if (accesses == 0) c.raise(cpu::kSupervisorExternal);
  });
  call(0, 1);
  BOOST_TEST(accesses == 5u);  // all of the call
}

BOOST_AUTO_TEST_CASE(the_gate_raises_the_privilege_and_the_return_lowers_it) {
  build();
  const auto supervisor = [](FakeCpu& c) { BOOST_TEST((c.privilege() == Privilege::supervisor)); };
  for (const Address each : {table, lock(kWord), kWord}) cpu.on_access(each, supervisor);
  call(0, 1);
  BOOST_TEST((cpu.privilege() == Privilege::user));
  memory.poke(lock(kWord), 0, 4);
  call(1, 2);
  BOOST_TEST((cpu.privilege() == Privilege::user));
}

BOOST_AUTO_TEST_CASE(calls_busy_locks_and_changed_words_are_counted) {
  build();
  call(0, 1);
  call(0, 2);  // changed
  memory.poke(lock(kWord), 0, 4);
  call(1, 2);  // busy
  call(1, 2);  // busy
  memory.poke(lock(kWord), 1, 4);
  call(1, 2);
  BOOST_TEST(count("lws_attempts") == 5u);
  BOOST_TEST(count("lws_busy") == 2u);
  BOOST_TEST(count("lws_changed") == 1u);
}

BOOST_AUTO_TEST_CASE(the_call_is_kernel_time_of_its_path_lengths_and_accesses) {
  params.costs.lws_entry = 100;
  params.costs.lws_critical = 20;
  params.costs.lws_exit = 3;
  build();
  call(0, 1);
  const Spent success = spent("lws_compare_and_swap32");
  BOOST_TEST(success.calls == 1u);
  BOOST_TEST((success.domain == cpu::Domain::kernel));
  BOOST_TEST(success.cycles == 100u + 20 + 3 + 5);
  memory.poke(lock(kWord), 0, 4);
  call(1, 2);
  BOOST_TEST(spent("lws_compare_and_swap32").cycles - success.cycles == 100u + 3 + 2);  // the busy one
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

// SPDX-License-Identifier: Apache-2.0
// Values and costs of loads, stores and atomics.
#include "base/random.h"
#include "cpu/cpu_machine.h"

namespace switchyard::test {

using cpu::AtomicOp;
using memory::LineState;

namespace {

constexpr Address kX = 0x1000;

std::uint64_t low(std::uint64_t value, unsigned bytes) {
  return bytes == 8 ? value : value & ((std::uint64_t{1} << (8 * bytes)) - 1);
}

struct AccessTest : CpuTest {
  LineState state(unsigned i, Address pa) {
    const std::size_t slot = l1[i]->array().find(pa);
    return slot == memory::CacheArray::kNone ? LineState::invalid : l1[i]->array().state(slot);
  }
  /// Cycles that `action` takes on `cpu`.
  static std::uint64_t cost(Cpu& cpu, const std::function<void()>& action) {
    const std::uint64_t before = cpu.cycle();
    action();
    return cpu.cycle() - before;
  }
  void clear_and_copy(unsigned line) {
    l1_params.line = {line};
    build(1);
    on(0, [&, line](Cpu& c) {
      for (unsigned i = 0; i < 128; i += 8) c.store(kX + i, i + 1);
      for (unsigned i = 0; i < 64; i += 8) c.store(kX + 0x800 + i, 99);
      BOOST_TEST(cost(c, [&] { c.copy(kX + 0x800, kX + 32, 64); }) % kL1 == 0u);
      for (unsigned i = 0; i < 64; i += 8) BOOST_TEST(c.load(kX + 0x800 + i) == 32 + i + 1);
      BOOST_TEST(cost(c, [&] { c.store_zeros(kX, 64); }) == 64 / line * kL1);
      for (unsigned i = 0; i < 64; i += 8) BOOST_TEST(c.load(kX + i) == 0u);
      BOOST_TEST(c.load(kX + 64) == 65u);
    });
    run();
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(access, AccessTest)

BOOST_AUTO_TEST_CASE(loads_return_the_low_bytes_that_stores_left_and_no_others) {
  build(1);
  on(0, [&](Cpu& c) {
    for (const unsigned bytes : {1u, 2u, 4u, 8u}) {
      c.store(kX, 0xffffffffffffffff);
      c.store(kX, 0x8182838485868788, bytes);
      BOOST_TEST(c.load(kX, bytes) == low(0x8182838485868788, bytes));
      BOOST_TEST(c.load(kX) == (low(0x8182838485868788, bytes) | ~low(~std::uint64_t{0}, bytes)));
    }
  });
  run();
}

BOOST_AUTO_TEST_CASE(each_atomic_returns_the_old_value_and_stores_the_new_one_at_each_size) {
  build(1);
  const std::uint64_t old = 0xf0f1f2f3f4f5f6f7, operand = 0x1f2e3d4c5b6a7988;
  struct Case {
    AtomicOp op;
    std::uint64_t next;
  };
  const Case cases[] = {{AtomicOp::swap, operand},
                        {AtomicOp::add, old + operand},
                        {AtomicOp::bit_or, old | operand},
                        {AtomicOp::bit_and, old & operand}};
  on(0, [&](Cpu& c) {
    for (const Case& each : cases)
      for (const unsigned bytes : {1u, 2u, 4u, 8u}) {
        c.store(kX, old);
        BOOST_TEST(c.atomic(each.op, kX, operand, bytes) == low(old, bytes));
        BOOST_TEST(c.load(kX) == (low(each.next, bytes) | (old & ~low(~std::uint64_t{0}, bytes))));
      }
  });
  run();
}

BOOST_AUTO_TEST_CASE(compare_swap_compares_and_stores_the_bytes_of_its_size) {
  build(1);
  on(0, [&](Cpu& c) {
    c.store(kX, 0x1111111122222222);
    BOOST_TEST(c.atomic(AtomicOp::compare_swap, kX, 5, 4, 0x9999999922222222) == 0x22222222u);
    BOOST_TEST(c.load(kX) == 0x1111111100000005u);
    BOOST_TEST(c.atomic(AtomicOp::compare_swap, kX, 6, 8, 7) == 0x1111111100000005u);
    BOOST_TEST(c.load(kX) == 0x1111111100000005u);
  });
  run();
}

BOOST_AUTO_TEST_CASE(a_failed_compare_swap_takes_the_line_all_the_same) {
  build(2);
  on(0, [&](Cpu& c) { c.store(kX, 1); });
  on(1, [&](Cpu& c) {
    c.execute(1000);
    c.atomic(AtomicOp::compare_swap, kX, 5, 8, 99);
  });
  run();
  BOOST_TEST((state(0, kX) == LineState::invalid));
  BOOST_TEST((state(1, kX) >= LineState::exclusive));
  BOOST_TEST(cpu(0).debug_memory().peek(kX) == 1u);
}

BOOST_AUTO_TEST_CASE(an_unaligned_access_within_a_line_is_one_access) {
  build(1);
  on(0, [&](Cpu& c) {
    c.store(kX + 3, 0x1122334455667788);
    BOOST_TEST(c.load(kX + 3) == 0x1122334455667788u);
    BOOST_TEST(c.load(kX + 5, 4) == 0x33445566u);
  });
  run();
  BOOST_TEST(count(cpu(), "accesses") == 3u);
}

BOOST_AUTO_TEST_CASE(an_access_over_the_edge_of_a_line_is_two) {
  build(1);
  on(0, [&](Cpu& c) {
    for (unsigned first = 1; first < 8; ++first) {
      c.store(kX + 64, 0);
      c.store(kX + 64 - first, 0x1122334455667788);
      BOOST_TEST(c.load(kX + 64 - first) == 0x1122334455667788u);
      BOOST_TEST(c.load(kX + 64) == 0x1122334455667788u >> (8 * first));
    }
    BOOST_TEST(cost(c, [&] { c.load(kX + 60); }) == 2 * kL1);
  });
  run();
  BOOST_TEST(count(cpu(), "accesses") == 7u * 6 + 2);
  BOOST_TEST(count(cpu(), "l1_misses") == 2u);
}

BOOST_AUTO_TEST_CASE(an_access_over_the_edge_of_a_page_uses_both_translations) {
  build(1);
  const Address root = new_root();
  map(root, 0x10000, 0x5000);
  map(root, 0x11000, 0x3000);
  on(0, [&](Cpu& c) {
    c.write_translation_base(root, 1);
    c.store(0x10ffc, 0x1122334455667788);
    BOOST_TEST(c.load(0x10ffc) == 0x1122334455667788u);
  });
  run();
  BOOST_TEST(cpu().debug_memory().peek(0x5ffc, 4) == 0x55667788u);
  BOOST_TEST(cpu().debug_memory().peek(0x3000, 4) == 0x11223344u);
  BOOST_TEST(count(cpu(), "accesses") == 4u);
}

BOOST_AUTO_TEST_CASE(with_lines_of_16_bytes_every_second_word_over_an_edge_is_two_accesses_and_two_misses) {
  l1_params.line = {16};
  build(1);
  const Address root = new_root();
  map(root, 0x10000, 0x5000);
  on(0, [&](Cpu& c) {
    c.write_translation_base(root, 1);
    for (unsigned i = 0; i < 8; ++i) c.store(0x10004 + 8 * i, i);  // 4, 12 (split), 20, 28 (split), ...
    for (unsigned i = 0; i < 8; ++i) BOOST_TEST(c.load(0x10004 + 8 * i) == i);
  });
  run();
  BOOST_TEST(count(cpu(), "accesses") == 2u * (4 + 4 * 2));
  // Five lines of data and one entry on each of the three levels of the tables.
  BOOST_TEST(count(cpu(), "l1_misses") == 5u + 3);
}

BOOST_AUTO_TEST_CASE(with_lines_of_16_bytes_each_part_costs_a_hit) {
  l1_params.line = {16};
  build(1);
  on(0, [&](Cpu& c) {
    c.store(kX + 12, 1);
    BOOST_TEST(cost(c, [&] { c.load(kX + 12); }) == 2 * kL1);
    BOOST_TEST(cost(c, [&] { c.store(kX + 12, 2); }) == 2 * kL1);
    BOOST_TEST(cost(c, [&] { c.load(kX + 8); }) == kL1);
    BOOST_TEST(cost(c, [&] { c.load(kX + 12, 4); }) == kL1);
  });
  run();
}

BOOST_AUTO_TEST_CASE(bytes_are_cleared_and_copied_by_one_access_for_each_line_of_16_bytes_at_each_side) {
  clear_and_copy(16);
}

BOOST_AUTO_TEST_CASE(bytes_are_cleared_and_copied_by_one_access_for_each_line_of_64_bytes_at_each_side) {
  clear_and_copy(64);
}

BOOST_AUTO_TEST_CASE(without_a_cache_bytes_are_cleared_and_copied_word_by_word) {
  build_bare(1);
  on(0, [&](Cpu& c) {
    for (unsigned i = 0; i < 32; i += 8) c.store(kX + i, i + 1);
    c.copy(kX + 0x100, kX, 32);
    c.store_zeros(kX, 16);
    for (unsigned i = 0; i < 32; i += 8) {
      BOOST_TEST(c.load(kX + 0x100 + i) == i + 1);
      BOOST_TEST(c.load(kX + i) == (i < 16 ? 0 : i + 1));
    }
  });
  run();
}

BOOST_AUTO_TEST_CASE(a_page_fault_in_the_second_part_of_an_access_leaves_both_parts_right) {
  l1_params.line = {16};
  build(1);
  const Address root = new_root();
  map(root, 0x10000, 0x5000);
  Faults faults;
  std::vector<Address> faulted;
  faults.body = [&](cpu::CpuOps&, Address va, cpu::Access) {
    faulted.push_back(va);
    map(root, 0x11000, 0x3000);
  };
  cpu().set_fault_handler(&faults);
  on(0, [&](Cpu& c) {
    c.write_translation_base(root, 1);
    c.store(0x10ffb, 0x1122334455667788);
    BOOST_TEST(c.load(0x10ffb) == 0x1122334455667788u);
  });
  run();
  BOOST_TEST((faulted == std::vector<Address>{0x11000}));
  BOOST_TEST(cpu().debug_memory().peek(0x3000, 4) == 0x00112233u);
}

BOOST_AUTO_TEST_CASE(random_accesses_with_lines_of_16_bytes_agree_with_an_array_of_bytes_in_two_pages) {
  l1_params.line = {16};
  l1_params.size = base::kib(1);
  build(1);
  const Address root = new_root();
  map(root, 0x10000, 0x5000);
  map(root, 0x11000, 0x3000);
  std::uint64_t parts = 0;
  on(0, [&](Cpu& c) {
    c.write_translation_base(root, 1);
    base::RandomStream random(2, "access");
    std::vector<std::uint8_t> model(8192);
    for (int i = 0; i < 20'000; ++i) {
      const unsigned bytes = 1u << random.below(4);
      const std::uint64_t at = 4096 - 600 + random.below(1200), value = random.next();
      parts += at % 16 + bytes > 16 ? 2 : 1;
      if (random.below(2) == 0) {
        c.store(0x10000 + at, value, bytes);
        std::memcpy(&model[at], &value, bytes);
        continue;
      }
      std::uint64_t expected = 0;
      std::memcpy(&expected, &model[at], bytes);
      BOOST_TEST_REQUIRE(c.load(0x10000 + at, bytes) == expected);
    }
  });
  run();
  BOOST_TEST(count(cpu(), "accesses") == parts);
}

BOOST_AUTO_TEST_CASE(an_unaligned_atomic_over_the_edge_of_a_line_is_our_fault) {
  build(1);
  on(0, [&](Cpu& c) { c.atomic(AtomicOp::add, kX + 60, 1); });
  BOOST_TEST(contains(failure(), "atomics are naturally aligned"));
}

BOOST_AUTO_TEST_CASE(random_accesses_agree_with_an_array_of_bytes) {
  build(1);
  on(0, [&](Cpu& c) {
    base::RandomStream random(1, "access");
    std::vector<std::uint8_t> model(4096 + 8);
    for (int i = 0; i < 20'000; ++i) {
      const std::uint64_t at = random.below(4096), value = random.next();
      const unsigned bytes = 1u << random.below(4);
      if (random.below(2) == 0) {
        c.store(at, value, bytes);
        std::memcpy(&model[at], &value, bytes);
        continue;
      }
      std::uint64_t expected = 0;
      std::memcpy(&expected, &model[at], bytes);
      BOOST_TEST_REQUIRE(c.load(at, bytes) == expected);
    }
  });
  run();
}

BOOST_AUTO_TEST_CASE(costs_add_up_as_documented) {
  build(2);
  on(0, [&](Cpu& c) {
    BOOST_TEST(cost(c, [&] { c.load(kX); }) == kMiss);
    BOOST_TEST(cost(c, [&] { c.load(kX + 8); }) == kL1);
    BOOST_TEST(cost(c, [&] { c.store(kX, 1); }) == kL1);
    BOOST_TEST(cost(c, [&] { c.atomic(AtomicOp::add, kX, 1); }) == kL1 + 5);
    BOOST_TEST(cost(c, [&] { c.barrier(); }) == 5u);
    BOOST_TEST(cost(c, [&] { c.execute(17); }) == 17u);
    BOOST_TEST(cost(c, [&] { c.flush_tlb({}); }) == 10u);
    BOOST_TEST(cost(c, [&] { c.mmio_read(0x2000, 8); }) == kMemory);
    BOOST_TEST(cost(c, [&] { c.mmio_write(0x2000, 1, 4); }) == kMemory);
  });
  on(1, [&](Cpu& c) {
    c.execute(2000);
    BOOST_TEST(cost(c, [&] { c.load(kX); }) == kL1 + kL2 + kTransfer);
    BOOST_TEST(cost(c, [&] { c.store(kX, 1); }) == kL1 + kL2 + kTransfer);
  });
  run();
  BOOST_TEST(spent(Cause::memory) == kMemory);
  BOOST_TEST(spent(Cause::l2_hit) == kL2);
  BOOST_TEST(spent(Cause::l1_hit) == 4 * kL1);
  BOOST_TEST(spent(Cause::instructions) == 5u + 5 + 17);
  BOOST_TEST(spent(Cause::fence) == 10u);
  BOOST_TEST(spent(Cause::device) == 2 * kMemory);
  BOOST_TEST(spent(Cause::coherence, 1) == 2 * kTransfer);
}

BOOST_AUTO_TEST_CASE(fractions_of_cycles_per_instruction_are_kept) {
  CpuParams p;
  p.cpi = 0.75;
  build(1, 1000, p);
  on(0, [&](Cpu& c) {
    for (int i = 0; i < 1000; ++i) c.execute(1);
    BOOST_TEST(c.cycle() == 750u);
    c.execute(4'000'000);
    BOOST_TEST(c.cycle() == 3'000'750u);
  });
  run();
}

BOOST_AUTO_TEST_CASE(a_translation_costs_its_second_level_and_its_walk) {
  CpuParams p;
  p.dtlb = {1, 1};
  p.l2_tlb_latency = base::cycles(4);
  p.page_walk.start = base::cycles(7);
  p.page_walk.step = base::cycles(2);
  build(1, 1000, p);
  const Address root = new_root();
  map(root, 0x10000, 0x5000);
  map(root, 0x11000, 0x6000);
  on(0, [&](Cpu& c) {
    c.load(0x5000);
    c.load(0x6000);
    c.write_translation_base(root, 1);
    const std::uint64_t walk = 4 + 7 + 3 * 2;
    BOOST_TEST(cost(c, [&] { c.load(0x10000); }) == walk + 3 * kMiss + kL1);
    BOOST_TEST(spent(Cause::tlb_walk) == walk + 3 * kMiss);
    BOOST_TEST(cost(c, [&] { c.load(0x10008); }) == kL1);
    BOOST_TEST(cost(c, [&] { c.load(0x11000); }) == walk + 3 * kL1 + kL1);  // the same lines of the tables
    BOOST_TEST(cost(c, [&] { c.load(0x10000); }) == 4 + kL1);               // from the second level
  });
  run();
}

BOOST_AUTO_TEST_CASE(without_a_cache_each_access_is_a_transaction) {
  build_bare(1);
  on(0, [&](Cpu& c) {
    BOOST_TEST(cost(c, [&] { c.store(kX, 0x1122334455667788); }) == kMemory);
    BOOST_TEST(cost(c, [&] { BOOST_TEST(c.load(kX) == 0x1122334455667788u); }) == kMemory);
    BOOST_TEST(cost(c, [&] { BOOST_TEST(c.load(kX + 6, 4) == 0x1122u); }) == 2 * kMemory);
    BOOST_TEST(cost(c, [&] { c.atomic(AtomicOp::add, kX, 1); }) == 2 * kMemory + 5);
    BOOST_TEST(c.load(kX, 1) == 0x89u);
  });
  run();
  BOOST_TEST(count(cpu(), "accesses") == 6u);
  BOOST_TEST(spent(Cause::memory) == 7 * kMemory);
}

BOOST_AUTO_TEST_CASE(atomics_in_memory_drop_every_copy_and_take_the_time_of_memory) {
  CpuParams params;
  params.atomic_in = cpu::AtomicPlace::memory;
  build(2, 1000, params);
  on(0, [&](Cpu& c) {
    c.store(kX, 0x11);
    const std::uint64_t took = cost(c, [&] { BOOST_TEST(c.atomic(AtomicOp::swap, kX, 0) == 0x11u); });
    BOOST_TEST(took == 2 * kMemory + 5);  // a read and a write; an atomic takes five cycles more than a hit
    BOOST_TEST((state(0, kX) == LineState::invalid));
    BOOST_TEST(c.load(kX) == 0u);
  });
  run();
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(access_at_page_ends)

BOOST_AUTO_TEST_CASE(with_lines_of_16_bytes_an_access_over_the_edge_of_a_page_is_two_lines_and_two_translations) {
  for (unsigned first = 0; first <= 8; ++first) {  // bytes in the first page
    CpuTest machine;
    machine.l1_params.line = {16};
    machine.build(1);
    const Address root = machine.new_root();
    machine.map(root, 0x10000, 0x5000);
    machine.map(root, 0x11000, 0x3000);
    const bool splits = first != 0 && first != 8;
    machine.on(0, [&](Cpu& c) {
      c.write_translation_base(root, 1);
      c.store(0x11000 - first, 0x1122334455667788);
      BOOST_TEST(c.load(0x11000 - first) == 0x1122334455667788u);
    });
    machine.run();
    BOOST_TEST_CONTEXT(first << " bytes in the first page") {
      BOOST_TEST(CpuTest::count(machine.cpu(), "accesses") == (splits ? 4u : 2u));
      BOOST_TEST(CpuTest::count(machine.cpu(), "tlb_walks") == (splits ? 2u : 1u));
      const std::uint64_t whole = 0x1122334455667788;
      cpu::DebugMemory& ram = machine.cpu().debug_memory();
      for (unsigned i = 0; i < 8; ++i)
        BOOST_TEST(ram.peek(i < first ? 0x6000 - first + i : 0x3000 - first + i, 1) == (whole >> (8 * i) & 0xff));
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

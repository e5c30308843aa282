// SPDX-License-Identifier: Apache-2.0
// atomic_t, spin locks and space ids of parisc. Layouts: Linux v4.2 arch/parisc/include/asm/{atomic,spinlock_types}.h
// and the patches discussed for it.
#include "kernel/parisc_bench.h"

namespace switchyard::test {

using cpu::AtomicOp;
using kernel::parisc::AtomicHashParams;
using kernel::parisc::HashedAtomics;

namespace {

constexpr Address kAtomic = 0x500080;  // 64-byte block 2 of 4, 16-byte block 0 of 4

struct HashTest : PariscBench {
  AtomicHashParams hash;
  std::unique_ptr<HashedAtomics> atomics;
  Address table = 0;

  void build() {
    atomics = std::make_unique<HashedAtomics>(hash, layout, functions, ram, locks, params.costs);
    ram.show(layout);
    table = address_of("__atomic_hash");
  }
  Address lock() const { return table + 2 * 4; }  // of kAtomic with the defaults
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(hashed_atomics, HashTest)

BOOST_AUTO_TEST_CASE(four_locks_of_4_bytes_follow_each_other_and_each_64_byte_block_has_one) {
  build();
  BOOST_TEST(size_of("__atomic_hash") == 16u);
  BOOST_TEST(table % 16 == 0u);
  for (Address v = 0x500000; v < 0x500400; v += 4) {
    BOOST_TEST(atomics->lock_of(v) == table + v / 64 % 4 * 4);
    BOOST_TEST(atomics->lock_of(v) == atomics->lock_of(v + 256));
  }
  BOOST_TEST(atomics->lock_of(0x50003f) == table);
  BOOST_TEST(atomics->lock_of(0x5000c0) == table + 12);
}

BOOST_AUTO_TEST_CASE(more_locks_mean_a_longer_period_and_another_divisor_means_larger_blocks) {
  for (const std::uint64_t size : {4u, 64u})
    for (const std::uint64_t divisor : {16u, 64u, 128u}) {
      AtomicHashParams p;
      p.size = size;
      p.divisor = {divisor};
      PariscBench other;
      const HashedAtomics each(p, other.layout, other.functions, other.ram, other.locks, params.costs);
      const Address first = other.address_of("__atomic_hash");
      for (Address v = 0x500000; v < 0x500000 + 2 * size * divisor; v += 8)
        BOOST_TEST_REQUIRE(each.lock_of(v) == first + v / divisor % size * 4);
      BOOST_TEST(other.size_of("__atomic_hash") == size * 4);
    }
}

BOOST_AUTO_TEST_CASE(locks_lie_as_far_apart_as_they_are_wide_or_padded_to) {
  struct Row {
    std::uint64_t size, lock_width, pad_to, spacing, bytes;
  };
  const Row rows[] = {
      {4, 4, 0, 4, 16},       // PA2.0
      {4, 16, 0, 16, 64},     // PA1.x
      {64, 16, 0, 16, 1024},  // 16-byte spin locks, 64 of them
      {4, 4, 64, 64, 256},    // one to a line
      {64, 4, 64, 64, 4096},  // the same, 64 of them
      {4, 16, 8, 16, 64},     // padding to less than the width
  };
  for (const Row& row : rows) {
    AtomicHashParams p;
    p.size = row.size;
    p.lock_width = {row.lock_width};
    p.pad_to = {row.pad_to};
    PariscBench other;
    const HashedAtomics each(p, other.layout, other.functions, other.ram, other.locks, params.costs);
    const Address first = other.address_of("__atomic_hash");
    BOOST_TEST(other.size_of("__atomic_hash") == row.bytes);
    for (std::uint64_t i = 0; i < row.size; ++i) BOOST_TEST(each.lock_of(64 * i) == first + i * row.spacing);
  }
}

BOOST_AUTO_TEST_CASE(number_and_distance_of_the_locks_do_not_move_what_is_placed_behind_them) {
  std::map<Address, unsigned> next;
  for (const std::uint64_t size : {4u, 64u})
    for (const std::uint64_t pad : {0u, 64u}) {
      AtomicHashParams p;
      p.size = size;
      p.pad_to = {pad};
      PariscBench other;
      const HashedAtomics each(p, other.layout, other.functions, other.ram, other.locks, params.costs);
      ++next[other.layout.add_data("next", 4, 4)];
    }
  AtomicHashParams largest;  // fills its section
  largest.size = 1024;
  largest.lock_width = {16};
  PariscBench other;
  const HashedAtomics each(largest, other.layout, other.functions, other.ram, other.locks, params.costs);
  ++next[other.layout.add_data("next", 4, 4)];
  BOOST_TEST(next.size() == 1u);
}

BOOST_AUTO_TEST_CASE(every_lock_is_free_at_the_start) {
  hash.size = 64;
  hash.pad_to = {64};
  build();
  for (std::uint64_t i = 0; i < 64; ++i) BOOST_TEST(word(table + 64 * i) == 1u);
}

BOOST_AUTO_TEST_CASE(an_add_loads_and_stores_under_the_lock_with_interrupts_off) {
  build();
  memory.poke(kAtomic, 40, 4);
  std::string seen;
  const auto note = [&](FakeCpu& c) { seen += c.interrupts_enabled() ? "on " : "off "; };
  cpu.on_access(lock(), note);
  cpu.on_access(kAtomic, note);
  BOOST_TEST(atomics->atomic_add(cpu, kAtomic, 2, 4) == 42u);
  BOOST_TEST(cpu.trace() ==
             (Trace{atomic(AtomicOp::swap, lock()), load(kAtomic), store(kAtomic, 42), store(lock(), 1)}));
  BOOST_TEST(seen == "off off off off ");
  BOOST_TEST(cpu.interrupts_enabled());
}

BOOST_AUTO_TEST_CASE(interrupts_that_were_off_stay_off) {
  build();
  cpu.set_interrupts(false);
  atomics->atomic_add(cpu, kAtomic, 1, 4);
  BOOST_TEST(!cpu.interrupts_enabled());
}

BOOST_AUTO_TEST_CASE(a_compare_and_exchange_that_finds_the_value_stores_the_new_one) {
  build();
  memory.poke(kAtomic, 5, 4);
  BOOST_TEST(atomics->cmpxchg(cpu, kAtomic, 5, 6, 4) == 5u);
  BOOST_TEST(cpu.trace() ==
             (Trace{atomic(AtomicOp::swap, lock()), load(kAtomic), store(kAtomic, 6), store(lock(), 1)}));
}

BOOST_AUTO_TEST_CASE(a_compare_and_exchange_that_finds_another_value_stores_nothing_and_releases) {
  build();
  memory.poke(kAtomic, 7, 4);
  BOOST_TEST(atomics->cmpxchg(cpu, kAtomic, 5, 6, 4) == 7u);
  BOOST_TEST(cpu.trace() == (Trace{atomic(AtomicOp::swap, lock()), load(kAtomic), store(lock(), 1)}));
  BOOST_TEST(word(kAtomic) == 7u);
  BOOST_TEST(word(lock()) == 1u);
}

// Only a compare decides whether xchg, cmpxchg and the arithmetic of atomic_t store.
BOOST_AUTO_TEST_CASE(a_value_that_stays_the_same_is_stored_all_the_same) {
  build();
  memory.poke(kAtomic, 5, 4);
  const Trace stored{atomic(AtomicOp::swap, lock()), load(kAtomic), store(kAtomic, 5), store(lock(), 1)};
  atomics->xchg(cpu, kAtomic, 5, 4);
  BOOST_TEST(cpu.trace() == stored);
  cpu.clear_trace();
  atomics->atomic_add(cpu, kAtomic, 0, 4);
  BOOST_TEST(cpu.trace() == stored);
  cpu.clear_trace();
  atomics->cmpxchg(cpu, kAtomic, 5, 5, 4);
  BOOST_TEST(cpu.trace() == stored);
}

// test_and_set_bit and test_and_clear_bit.
BOOST_AUTO_TEST_CASE(bits_that_are_as_wanted_are_not_stored) {
  build();
  memory.poke(kAtomic, 6, 4);
  const Trace looked{atomic(AtomicOp::swap, lock()), load(kAtomic), store(lock(), 1)};
  atomics->fetch_or(cpu, kAtomic, 4, 4);
  BOOST_TEST(cpu.trace() == looked);
  cpu.clear_trace();
  atomics->fetch_and(cpu, kAtomic, 7, 4);
  BOOST_TEST(cpu.trace() == looked);
  atomics->fetch_or(cpu, kAtomic, 1, 4);
  atomics->fetch_and(cpu, kAtomic, 3, 4);
  BOOST_TEST(word(kAtomic) == 3u);
}

BOOST_AUTO_TEST_CASE(each_operation_returns_what_the_kernel_expects_of_it) {
  build();
  kernel::AtomicOps& ops = *atomics;
  BOOST_TEST(ops.atomic_add(cpu, kAtomic, -1) == 0xffffffffu);
  BOOST_TEST(ops.atomic_add(cpu, kAtomic, 3) == 2u);
  BOOST_TEST(ops.xchg(cpu, kAtomic, 9) == 2u);
  BOOST_TEST(ops.fetch_or(cpu, kAtomic, 6) == 9u);
  BOOST_TEST(ops.fetch_and(cpu, kAtomic, 8) == 15u);
  BOOST_TEST(word(kAtomic) == 8u);
  BOOST_TEST(ops.atomic_add(cpu, kAtomic + 8, -1, 8) == ~std::uint64_t{0});
  BOOST_TEST(memory.peek(kAtomic) == 8u);  // and not a byte beside it
}

BOOST_AUTO_TEST_CASE(a_busy_lock_is_waited_for) {
  build();
  memory.poke(lock(), 0, 4);
  unsigned spins = 0;
  cpu.on_spin([&](FakeCpu&) {
    if (++spins == 2) memory.poke(lock(), 1, 4);
  });
  BOOST_TEST(atomics->atomic_add(cpu, kAtomic, 1, 4) == 1u);
  BOOST_TEST(cpu.trace() ==
             (Trace{atomic(AtomicOp::swap, lock()), load(lock()), spin(lock()), load(lock()), load(lock()),
                    atomic(AtomicOp::swap, lock()), load(kAtomic), store(kAtomic, 1), store(lock(), 1)}));
}

BOOST_AUTO_TEST_CASE(faults_of_the_parameters_are_refused) {
  const auto fault = [](std::uint64_t size, std::uint64_t width, std::uint64_t pad) {
    AtomicHashParams p;
    p.size = size;
    p.lock_width = {width};
    p.pad_to = {pad};
    return p.check();
  };
  BOOST_TEST(fault(4, 4, 0) == "");
  BOOST_TEST(fault(6, 4, 0) == "size must be a power of two, got 6");
  BOOST_TEST(fault(4, 8, 0) == "lock_width must be 4 B or 16 B, got 8 B");
  BOOST_TEST(fault(4, 4, 18) == "pad_to must be a multiple of 4 B, got 18 B");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(ldcw_locks, PariscBench)

constexpr Address kLock = 0x600010;

BOOST_AUTO_TEST_CASE(a_load_and_clear_returns_the_word_and_leaves_zero) {
  memory.poke(kLock, 0x1111111122222222);
  BOOST_TEST(kernel::parisc::ldcw(cpu, kLock) == 0x22222222u);
  BOOST_TEST(memory.peek(kLock) == 0x1111111100000000u);
  BOOST_TEST(kernel::parisc::ldcw(cpu, kLock) == 0u);
  BOOST_TEST(cpu.trace() == (Trace{atomic(AtomicOp::swap, kLock), atomic(AtomicOp::swap, kLock)}));
}

BOOST_AUTO_TEST_CASE(a_free_lock_is_taken_with_one_access_and_released_with_one) {
  BOOST_TEST(locks.unlocked() == 1u);
  locks.spin_lock_init(memory, kLock);
  locks.spin_lock(cpu, kLock);
  BOOST_TEST(word(kLock) == 0u);
  locks.spin_unlock(cpu, kLock);
  BOOST_TEST(word(kLock) == 1u);
  BOOST_TEST(cpu.trace() == (Trace{atomic(AtomicOp::swap, kLock), store(kLock, 1)}));
}

BOOST_AUTO_TEST_CASE(a_lock_that_somebody_else_gets_first_is_spun_on_again) {
  // An interrupt between the load that sees the lock free and the load-and-clear plays the other CPU.
  InterruptNote other([&](std::uint32_t pending) {
    cpu.lower(pending);
    memory.poke(kLock, 0, 4);
  });
  cpu.set_supervisor_handler(&other);
  unsigned accesses = 0;
  cpu.on_access(kLock, [&](FakeCpu& c) {
    ++accesses;
    if (accesses != 3 && accesses != 6) return;
    memory.poke(kLock, 1, 4);
    if (accesses == 3) c.raise(cpu::kSupervisorSoftware);
  });
  locks.spin_lock(cpu, kLock);
  const auto swap = atomic(AtomicOp::swap, kLock);
  BOOST_TEST(cpu.trace() ==
             (Trace{swap, load(kLock), spin(kLock), load(kLock), swap, load(kLock), spin(kLock), load(kLock), swap}));
  BOOST_TEST(word(kLock) == 0u);
  BOOST_TEST(cpu.cycles(cpu::Cause::lock_spin) > 0u);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(space_ids, PariscBench)

namespace {

struct SwitchNote : cpu::TranslationObserver {
  std::vector<Address> roots;
  void unmapped(const cpu::ExecContext&, Address, Address, cpu::FunctionId) override {}
  void flush_relied_on(const cpu::ExecContext*, Address) override {}
  void switched(cpu::CpuOps&, Address root) override { roots.push_back(root); }
};

kernel::AddressSpace space(const std::string& name, Address object, Address root) {
  kernel::AddressSpace mm;
  mm.name = name;
  mm.fields.base = object;
  mm.root = root;
  return mm;
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_address_space_keeps_an_id_of_its_own) {
  kernel::parisc::SpaceIds ids(services, nullptr);
  const kernel::AddressSpace a = space("a", 0x700000, 0x1000), b = space("b", 0x701000, 0x2000);
  const std::uint16_t id_a = ids.space_of(a), id_b = ids.space_of(b);
  BOOST_TEST(id_a != id_b);
  BOOST_TEST(id_a != 0u);  // the kernel's
  BOOST_TEST(id_b != 0u);
  BOOST_TEST(ids.space_of(a) == id_a);
  BOOST_TEST(ids.space_of(b) == id_b);
}

BOOST_AUTO_TEST_CASE(a_switch_writes_root_and_id_and_flushes_nothing) {
  SwitchNote note;
  kernel::parisc::SpaceIds ids(services, &note);
  const kernel::AddressSpace a = space("a", 0x700000, 0x1000), b = space("b", 0x701000, 0x2000);
  ids.switch_mm(cpu, a, b);
  ids.switch_mm(cpu, b, a);
  BOOST_TEST(cpu.trace() ==
             (Trace{load(b.fields.pgd()), load(b.fields.context_id()), sysreg(0x2000, ids.space_of(b)),
                    load(a.fields.pgd()), load(a.fields.context_id()), sysreg(0x1000, ids.space_of(a))}));
  BOOST_TEST((note.roots == std::vector<Address>{0x2000, 0x1000}));
}

// Ids have 16 bits, and 0 is the kernel's.
BOOST_AUTO_TEST_CASE(more_address_spaces_than_ids_are_refused) {
  kernel::parisc::SpaceIds ids(services, nullptr);
  std::vector<kernel::AddressSpace> spaces(65'536);
  for (std::size_t i = 0; i + 1 < spaces.size(); ++i) BOOST_TEST_REQUIRE(ids.space_of(spaces[i]) == i + 1);
  spaces.back().name = "last";
  BOOST_CHECK_EXCEPTION(ids.space_of(spaces.back()), base::ConfigError, [](const base::ConfigError& e) {
    return std::string(e.what()) == "last: there are more address spaces than space ids";
  });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

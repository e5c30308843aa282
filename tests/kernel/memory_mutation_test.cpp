// SPDX-License-Identifier: Apache-2.0
#include "kernel/memory_machine.h"

/// Each flush that x86 and arm64 owe for private memory is left out once, on a machine; the stale-translation check
/// must notice. The same runs without a mutation are clean.
namespace switchyard::test {

using base::Address;
using cpu::Access;
using kernel::FlushMutation;
using kernel::MapKind;
using kernel::Task;
using kernel::x86::MmVersion;

namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kBytes = 8 * kPage;

/// Two threads on two CPUs use the same pages; one of them gives the pages back.
std::string shared_pages(MemoryMachine& m, FlushMutation mutation) {
  m.build(2, mutation);
  m.kernel->spawn_process("main", [&m](Task& task) {
    m.kernel->pin(task, 0);
    const Address p = m.kernel->mmap(task, kBytes, MapKind::private_anonymous);
    m.kernel->touch(task, p, kBytes, kPage, Access::store);
    Task& reader = m.kernel->spawn_thread(task, "reader", 1, [&m, p](Task& me) {
      for (;;) m.kernel->touch(me, p, kBytes, kPage, Access::load);
    });
    m.kernel->nanosleep(task, 50'000'000);
    for (int i = 0; i < 5; ++i) {
      m.kernel->touch(task, p, kBytes, kPage, Access::load);
      m.kernel->madvise_dontneed(task, p, kBytes);
      m.kernel->touch(task, p, kBytes, kPage, Access::load);
      m.kernel->compute(task, 20'000);
      m.kernel->touch(task, p, kBytes, kPage, Access::store);
      m.kernel->compute(task, 20'000);
    }
    m.kernel->cancel(task, reader);
  });
  return m.outcome();
}

/// The other thread sleeps while the pages go, so that its CPU is idle.
std::string sleeping_reader(MemoryMachine& m, FlushMutation mutation) {
  m.build(2, mutation);
  m.kernel->spawn_process("main", [&m](Task& task) {
    m.kernel->pin(task, 0);
    const Address p = m.kernel->mmap(task, kBytes, MapKind::private_anonymous);
    m.kernel->touch(task, p, kBytes, kPage, Access::store);
    Task& reader = m.kernel->spawn_thread(task, "reader", 1, [&m, p](Task& me) {
      m.kernel->touch(me, p, kBytes, kPage, Access::load);
      m.kernel->nanosleep(me, 1'000'000'000);
      m.kernel->touch(me, p, kBytes, kPage, Access::load);
    });
    m.kernel->nanosleep(task, 500'000'000);
    m.kernel->madvise_dontneed(task, p, kBytes);
    m.kernel->join(task, reader);
  });
  return m.outcome();
}

/// The parent writes to the pages that it shares with a child.
std::string written_after_fork(MemoryMachine& m, FlushMutation mutation) {
  m.build(2, mutation);
  m.kernel->spawn_process("main", [&m](Task& task) {
    const Address p = m.kernel->mmap(task, kBytes, MapKind::private_anonymous);
    m.kernel->touch(task, p, kBytes, kPage, Access::store);
    m.kernel->fork(task, "child", [&m](Task& me) { m.kernel->nanosleep(me, 1'000'000'000); });
    m.kernel->touch(task, p, kBytes, kPage, Access::store);
    m.kernel->wait_for_child(task);
  });
  return m.outcome();
}

/// Processes that use the same addresses take turns on one CPU, whose TLB holds an address of all of them.
std::string turns(MemoryMachine& m, FlushMutation mutation, unsigned processes) {
  m.cpu_params.l2_tlb = {512, 16};
  m.build(1, mutation);
  for (unsigned i = 0; i < processes; ++i)
    m.kernel->spawn_process("p" + std::to_string(i), [&m](Task& task) {
      const Address p = m.kernel->mmap(task, kBytes, MapKind::private_anonymous);
      for (int k = 0; k < 4; ++k) {
        m.kernel->touch(task, p, kBytes, kPage, Access::store);
        m.kernel->nanosleep(task, 1'000'000'000);
      }
    });
  return m.outcome();
}

/// One process sleeps with its pages in the TLB while others come and go: more than there are ASIDs of eight bits.
std::string rollover(Arm64Memory& m, FlushMutation mutation) {
  m.params.asid.bits = 8;
  m.params.asid.kpti = true;
  m.build(1, mutation);
  const auto use = [&m](Task& task) {
    const Address p = m.kernel->mmap(task, kPage, MapKind::private_anonymous);
    m.kernel->touch(task, p, kPage, kPage, Access::store);
    return p;
  };
  m.kernel->spawn_process("sleeper", [&m, use](Task& task) {
    use(task);
    m.kernel->nanosleep(task, 10'000'000'000);
  });
  m.kernel->spawn_process("main", [&m, use](Task& task) {
    for (int i = 0; i < 150; ++i) {
      m.kernel->fork(task, "child", [use](Task& me) { use(me); });
      m.kernel->wait_for_child(task);
    }
  });
  return m.outcome(1000);
}

void require_caught(const std::string& text) {
  BOOST_TEST(text.find("stale translation: CPU ") != std::string::npos, text);
}
void require_caught(const std::string& text, const std::string& owner) {
  require_caught(text);
  BOOST_TEST(text.find(owner + " owed the flush") != std::string::npos, text);
}

struct X86Case : X86Memory {
  explicit X86Case(MmVersion version, bool pti = false) {
    params.switch_mm.version = version;
    params.switch_mm.pti = pti;
    if (version == MmVersion::v4_13) params.switch_mm.pcid = false;
  }
};

constexpr std::array kVersions{MmVersion::v4_13, MmVersion::v4_14, MmVersion::v4_19, MmVersion::v4_20};

}  // namespace

BOOST_AUTO_TEST_SUITE(memory_mutation_x86)

BOOST_AUTO_TEST_CASE(no_mutation_is_clean) {
  for (const MmVersion version : kVersions) {
    {
      X86Case m(version);
      BOOST_TEST(shared_pages(m, FlushMutation::none) == "ended");
    }
    {
      X86Case m(version);
      BOOST_TEST(sleeping_reader(m, FlushMutation::none) == "ended");
    }
    {
      X86Case m(version);
      BOOST_TEST(written_after_fork(m, FlushMutation::none) == "ended");
    }
    {
      X86Case m(version);
      BOOST_TEST(turns(m, FlushMutation::none, 9) == "ended");
    }
  }
}

BOOST_AUTO_TEST_CASE(no_mutation_is_clean_with_page_table_isolation) {
  {
    X86Case m(MmVersion::v4_14, true);
    BOOST_TEST(shared_pages(m, FlushMutation::none) == "ended");
  }
  {
    X86Case m(MmVersion::v4_14, true);
    BOOST_TEST(written_after_fork(m, FlushMutation::none) == "ended");
  }
}

BOOST_AUTO_TEST_CASE(the_flush_of_the_own_tlb_is_missed) {
  for (const MmVersion version : kVersions) {
    X86Case m(version);
    require_caught(shared_pages(m, FlushMutation::flush_tlb_func_local));
  }
}

BOOST_AUTO_TEST_CASE(the_call_of_the_other_cpus_is_missed) {
  for (const MmVersion version : kVersions) {
    X86Case m(version);
    require_caught(shared_pages(m, FlushMutation::flush_tlb_others), "flush_tlb_mm_range");
  }
}

BOOST_AUTO_TEST_CASE(what_the_called_cpus_flush_is_missed) {
  for (const MmVersion version : kVersions) {
    X86Case m(version);
    require_caught(shared_pages(m, FlushMutation::flush_tlb_func_remote), "flush_tlb_mm_range");
  }
}

BOOST_AUTO_TEST_CASE(the_new_generation_is_missed) {
  for (const MmVersion version : {MmVersion::v4_14, MmVersion::v4_20}) {
    X86Case m(version);
    require_caught(shared_pages(m, FlushMutation::inc_mm_tlb_gen), "flush_tlb_mm_range");
  }
}

BOOST_AUTO_TEST_CASE(the_new_generation_of_a_fork_is_missed) {
  X86Case m(MmVersion::v4_14);
  require_caught(written_after_fork(m, FlushMutation::inc_mm_tlb_gen), "flush_tlb_mm_range");
}

BOOST_AUTO_TEST_CASE(the_flush_of_the_own_tlb_by_a_fork_is_missed) {
  X86Case m(MmVersion::v4_13);
  require_caught(written_after_fork(m, FlushMutation::flush_tlb_func_local), "flush_tlb_mm_range");
}

BOOST_AUTO_TEST_CASE(the_bit_in_mm_cpumask_is_missed) {
  X86Case m(MmVersion::v4_20);
  require_caught(shared_pages(m, FlushMutation::mm_cpumask_set), "flush_tlb_mm_range");
}

BOOST_AUTO_TEST_CASE(a_lazy_cpu_that_keeps_its_mm_is_noticed) {
  X86Case m(MmVersion::v4_13);
  require_caught(sleeping_reader(m, FlushMutation::lazy_to_init_mm), "flush_tlb_mm_range");
}

BOOST_AUTO_TEST_CASE(the_flush_of_a_pcid_whose_mm_has_moved_on_is_missed) {
  X86Case m(MmVersion::v4_14);
  require_caught(sleeping_reader(m, FlushMutation::pcid_stale), "flush_tlb_mm_range");
}

BOOST_AUTO_TEST_CASE(the_flush_of_a_lazy_cpu_that_comes_back_is_missed) {
  X86Case m(MmVersion::v4_20);
  require_caught(sleeping_reader(m, FlushMutation::lazy_stale), "flush_tlb_mm_range");
}

BOOST_AUTO_TEST_CASE(the_flush_of_a_pcid_that_goes_to_another_mm_is_missed) {
  X86Case m(MmVersion::v4_14);
  require_caught(turns(m, FlushMutation::pcid_reused, 9), "switch_mm");
}

BOOST_AUTO_TEST_CASE(the_flush_of_the_pcid_of_user_mode_is_missed) {
  X86Case m(MmVersion::v4_14, true);
  require_caught(shared_pages(m, FlushMutation::user_pcid));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(memory_mutation_arm64)

BOOST_AUTO_TEST_CASE(no_mutation_is_clean) {
  for (const bool kpti : {false, true}) {
    {
      Arm64Memory m;
      m.params.asid.kpti = kpti;
      BOOST_TEST(shared_pages(m, FlushMutation::none) == "ended");
    }
    {
      Arm64Memory m;
      m.params.asid.kpti = kpti;
      BOOST_TEST(sleeping_reader(m, FlushMutation::none) == "ended");
    }
    {
      Arm64Memory m;
      m.params.asid.kpti = kpti;
      BOOST_TEST(written_after_fork(m, FlushMutation::none) == "ended");
    }
  }
}

BOOST_AUTO_TEST_CASE(no_mutation_is_clean_over_rollovers) {
  Arm64Memory m;
  BOOST_TEST(rollover(m, FlushMutation::none) == "ended");
  BOOST_TEST(m.count("asid_rollovers") >= 1u);
}

BOOST_AUTO_TEST_CASE(the_flush_of_a_range_is_missed) {
  Arm64Memory m;
  require_caught(shared_pages(m, FlushMutation::flush_tlb_range), "__flush_tlb_range");
}

BOOST_AUTO_TEST_CASE(the_broadcast_is_missed) {
  Arm64Memory m;
  require_caught(shared_pages(m, FlushMutation::broadcast));
}

BOOST_AUTO_TEST_CASE(the_barrier_after_the_broadcast_is_missed) {
  Arm64Memory m;
  require_caught(shared_pages(m, FlushMutation::broadcast_wait));
}

BOOST_AUTO_TEST_CASE(the_broadcast_for_the_asid_of_user_mode_is_missed) {
  Arm64Memory m;
  m.params.asid.kpti = true;
  require_caught(shared_pages(m, FlushMutation::user_asid));
}

BOOST_AUTO_TEST_CASE(the_flush_of_a_page_that_was_copied_is_missed) {
  Arm64Memory m;
  require_caught(shared_pages(m, FlushMutation::flush_tlb_page), "ptep_clear_flush");
}

BOOST_AUTO_TEST_CASE(the_flush_of_a_fork_is_missed) {
  Arm64Memory m;
  require_caught(written_after_fork(m, FlushMutation::flush_tlb_range), "__flush_tlb_range");
}

BOOST_AUTO_TEST_CASE(the_fence_after_a_rollover_is_missed) {
  Arm64Memory m;
  require_caught(rollover(m, FlushMutation::rollover_local_fence), "switch_mm");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

// SPDX-License-Identifier: Apache-2.0
#include "kernel/kernel_bench.h"
#include "kernel/machine_fixture.h"

/// Each flush that the kernel owes is left out once; the stale-translation check must say who owed it.
namespace switchyard::test {

using kernel::FlushMutation;
using kernel::MapKind;
using kernel::Task;

namespace {

constexpr std::uint64_t kBytes = 16 * 4096;

kernel::riscv::LinuxRiscvParams batched(bool yes) {
  kernel::riscv::LinuxRiscvParams p;
  p.unmap.batched = yes;
  return p;
}

kernel::riscv::LinuxRiscvParams asids(std::uint64_t bits) {
  kernel::riscv::LinuxRiscvParams p;
  p.asid.bits = bits;
  return p;
}

struct MutationMachine : MachineTest {
  /// Two threads on two CPUs read the pages; one of them pages them out.
  void shared_pageout(const kernel::riscv::LinuxRiscvParams& params, FlushMutation mutation) {
    build(2, params, mutation);
    kernel->spawn_process("main", [this](Task& task) {
      const base::Address p = kernel->mmap(task, kBytes, MapKind::shared_anonymous);
      Task& reader = kernel->spawn_thread(task, "reader", 1, [this, p](Task& me) {
        for (;;) kernel->touch(me, p, kBytes, 4096, cpu::Access::load);
      });
      kernel->touch(task, p, kBytes, 4096, cpu::Access::store);
      kernel->nanosleep(task, 50'000'000);
      for (int k = 0; k < 3; ++k) {
        kernel->touch(task, p, kBytes, 4096, cpu::Access::load);
        kernel->madvise_pageout(task, p, kBytes);
      }
      kernel->cancel(task, reader);
    });
  }
  /// Two threads on two CPUs read the pages. One pages them out, which takes long, while the other advises about pages
  /// that nobody has touched, under the same page-table page: what the first has unmapped by then and will flush at the
  /// end of its list, the second relies on being gone.
  void two_reclaimers(FlushMutation mutation) {
    build(2, batched(true), mutation);
    kernel->spawn_process("main", [this](Task& task) {
      const base::Address p = kernel->mmap(task, kBytes, MapKind::shared_anonymous);
      const base::Address untouched = kernel->mmap(task, kBytes, MapKind::shared_anonymous);
      kernel->touch(task, p, kBytes, 4096, cpu::Access::store);
      kernel->madvise_pageout(task, p, kBytes);  // from here on no entry is dirty, and no flush comes before the last
      Task& other = kernel->spawn_thread(task, "other", 1, [this, p, untouched](Task& me) {
        for (;;) {
          kernel->touch(me, p, 4096, 4096, cpu::Access::load);
          kernel->madvise_pageout(me, untouched, kBytes);
        }
      });
      kernel->nanosleep(task, 50'000'000);
      for (int k = 0; k < 3; ++k) {
        kernel->touch(task, p, kBytes, 4096, cpu::Access::load);
        kernel->madvise_pageout(task, p, kBytes);
      }
      kernel->cancel(task, other);
    });
  }
  /// Processes that use the same addresses take turns on one CPU.
  void turns(const kernel::riscv::LinuxRiscvParams& params, FlushMutation mutation, unsigned processes) {
    build(1, params, mutation);
    for (unsigned i = 0; i < processes; ++i)
      kernel->spawn_process("p" + std::to_string(i), [this](Task& task) {
        const base::Address p = kernel->mmap(task, kBytes, MapKind::private_anonymous);
        for (int k = 0; k < 4; ++k) {
          kernel->touch(task, p, kBytes, 4096, cpu::Access::store);
          kernel->nanosleep(task, 1'000'000'000);
        }
      });
  }
  std::string outcome() {
    try {
      run_ms(100);
    } catch (const std::exception& e) {
      return e.what();
    }
    return kernel->all_ended() ? "ended" : "still running";
  }
  void require_caught(const std::string& owner) {
    const std::string text = outcome();
    BOOST_TEST(text.find("stale translation: CPU ") != std::string::npos, text);
    BOOST_TEST(text.find(owner + " owed the flush") != std::string::npos, text);
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(flush_mutation, MutationMachine)

BOOST_AUTO_TEST_CASE(no_mutation_is_clean_when_unbatched) {
  shared_pageout(batched(false), FlushMutation::none);
  BOOST_TEST(outcome() == "ended");
}

BOOST_AUTO_TEST_CASE(no_mutation_is_clean_when_batched) {
  shared_pageout(batched(true), FlushMutation::none);
  BOOST_TEST(outcome() == "ended");
}

BOOST_AUTO_TEST_CASE(no_mutation_is_clean_between_processes) {
  turns(asids(0), FlushMutation::none, 3);
  BOOST_TEST(outcome() == "ended");
}

BOOST_AUTO_TEST_CASE(no_mutation_is_clean_over_rollovers) {
  turns(asids(2), FlushMutation::none, 6);
  BOOST_TEST(outcome() == "ended");
}

BOOST_AUTO_TEST_CASE(the_flush_of_ptep_clear_flush_is_missed) {
  shared_pageout(batched(false), FlushMutation::flush_tlb_page);
  require_caught("ptep_clear_flush");
}

BOOST_AUTO_TEST_CASE(its_remote_part_is_missed) {
  shared_pageout(batched(false), FlushMutation::flush_tlb_page_remote);
  require_caught("ptep_clear_flush");
}

BOOST_AUTO_TEST_CASE(the_mask_of_the_batch_is_missed) {
  shared_pageout(batched(true), FlushMutation::arch_tlbbatch_add_pending);
  require_caught("try_to_unmap_flush");
}

BOOST_AUTO_TEST_CASE(the_flush_at_the_end_of_the_list_is_missed) {
  shared_pageout(batched(true), FlushMutation::try_to_unmap_flush);
  require_caught("try_to_unmap_flush");
}

BOOST_AUTO_TEST_CASE(the_flush_before_io_is_missed) {
  shared_pageout(batched(true), FlushMutation::try_to_unmap_flush_dirty);
  require_caught("try_to_unmap_flush");
}

BOOST_AUTO_TEST_CASE(the_bit_in_mm_cpumask_is_missed) {
  shared_pageout(batched(false), FlushMutation::mm_cpumask_set);
  require_caught("ptep_clear_flush");
}

BOOST_AUTO_TEST_CASE(the_fence_of_a_switch_without_asids_is_missed) {
  turns(asids(0), FlushMutation::switch_mm_local_fence, 2);
  require_caught("switch_mm");
}

BOOST_AUTO_TEST_CASE(the_fence_after_a_rollover_is_missed) {
  turns(asids(2), FlushMutation::rollover_local_fence, 6);
  require_caught("switch_mm");
}

BOOST_AUTO_TEST_CASE(no_mutation_is_clean_with_two_reclaimers) {
  two_reclaimers(FlushMutation::none);
  BOOST_TEST(outcome() == "ended");
  BOOST_TEST(count("remote_flush_mm") > 1u);  // the flush that the next case leaves out did happen
}

BOOST_AUTO_TEST_CASE(the_flush_of_a_batch_that_another_task_has_open_is_missed) {
  two_reclaimers(FlushMutation::flush_tlb_batched_pending);
  const std::string text = outcome();
  BOOST_TEST(text.find("stale translation: CPU 1 used 0x2000000000 at ") != std::string::npos, text);
  BOOST_TEST(text.find("flush_tlb_batched_pending owed the flush") != std::string::npos, text);
}

BOOST_FIXTURE_TEST_CASE(the_flush_of_an_open_batch_is_relied_on_when_the_next_walk_starts, KernelBench) {
  build(2, FlushMutation::flush_tlb_batched_pending);
  const kernel::AddressSpace& mm = make_mm("mm");
  set_mask(mm, {0, 1});
  memory.poke(mm.fields.tlb_flush_batched(), 1, 4);
  clear();
  rmap->flush_tlb_batched_pending(cpu(), mm);
  BOOST_TEST(sbi.fences.empty());
  BOOST_TEST(observer.calls == std::vector<std::string>{"relied on"});
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

// SPDX-License-Identifier: Apache-2.0
// Shootdowns on a machine. The CPUs run at 1 GHz, an instruction in a cycle.
#include <algorithm>

#include "base/errors.h"
#include "kernel/shooting_machine.h"

namespace switchyard::test {

using base::Address;
using kernel::IdleKind;
using kernel::x86::MmVersion;

namespace {

constexpr std::uint64_t kUs = 1'000'000;  // ps

/// CPU 1 runs a thread of the process and then idles; CPU 0 shoots twice.
struct IdleTargetTest : ShootingMachine {
  void shoot_at_idle(IdleKind kind, MmVersion version, bool freed_tables = false) {
    idle(kind);
    build(2, version);
    Task& first = process("p", 0, [=, this](Task& task) {
      kernel->compute(task, 100'000);
      for (int i = 0; i < 2; ++i) linux_->shoot(task, freed_tables);
    });
    thread(first, "sleeper", 1, [this](Task& task) {
      kernel->compute(task, 10'000);
      kernel->nanosleep(task, 1000 * kUs);
    });
    run_ms(5);
    BOOST_TEST_REQUIRE(kernel->all_ended());
    check_exact();
  }
};

/// Threads of one process, one on each CPU, that run until all have done their shots.
struct ManyShootersTest : ShootingMachine {
  unsigned done = 0;
  void shoot(unsigned shooters, unsigned shots) {
    build(shooters);
    const auto body = [=, this](Task& task) {
      kernel->compute(task, 200'000);  // until all are there
      for (unsigned i = 0; i < shots; ++i) linux_->shoot(task);
      ++done;
      while (done < shooters) kernel->compute(task, 1000);
    };
    Task& first = process("p", 0, body);
    for (unsigned c = 1; c < shooters; ++c) thread(first, "t", c, body);
    run_ms(100);
    BOOST_TEST_REQUIRE(kernel->all_ended());
    check_exact();
    BOOST_TEST(count("cross_calls") == std::uint64_t{shots} * shooters * (shooters - 1));
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(shootdown, IdleTargetTest)

// 4.13 leaves the mm on an idle CPU: the first shot sends it to init_mm, the second one does not reach it.
BOOST_AUTO_TEST_CASE(v4_13_a_lazy_cpu_that_polls_is_interrupted_once) {
  shoot_at_idle(IdleKind::poll, MmVersion::v4_13);
  BOOST_TEST(count("cross_call_ipis") == 1u);
  BOOST_TEST(count("tlb_lazy_to_init_mm") == 1u);
}
BOOST_AUTO_TEST_CASE(v4_13_a_lazy_cpu_that_monitors_is_interrupted_once) {
  shoot_at_idle(IdleKind::mwait, MmVersion::v4_13);
  BOOST_TEST(count("cross_call_ipis") == 1u);
  BOOST_TEST(count("tlb_lazy_to_init_mm") == 1u);
}
BOOST_AUTO_TEST_CASE(v4_13_a_lazy_cpu_that_halts_is_interrupted_once) {
  shoot_at_idle(IdleKind::halt, MmVersion::v4_13);
  BOOST_TEST(count("cross_call_ipis") == 1u);
  BOOST_TEST(count("tlb_lazy_to_init_mm") == 1u);
}
BOOST_AUTO_TEST_CASE(v4_14_an_idle_cpu_has_left_the_mm) {
  shoot_at_idle(IdleKind::mwait, MmVersion::v4_14);
  BOOST_TEST(count("cross_calls") == 0u);
}
BOOST_AUTO_TEST_CASE(v4_20_a_lazy_cpu_is_looked_at_and_left_alone) {
  shoot_at_idle(IdleKind::mwait, MmVersion::v4_20);
  BOOST_TEST(count("cross_calls") == 0u);
  BOOST_TEST(count("tlb_lazy_skipped") == 2u);
}
BOOST_AUTO_TEST_CASE(v4_20_freed_tables_interrupt_a_lazy_cpu_once) {
  shoot_at_idle(IdleKind::mwait, MmVersion::v4_20, true);
  BOOST_TEST(count("cross_call_ipis") == 1u);
  BOOST_TEST(count("tlb_lazy_to_init_mm") == 1u);
}
BOOST_AUTO_TEST_CASE(v4_20_freed_tables_interrupt_a_lazy_cpu_that_halts_once) {
  shoot_at_idle(IdleKind::halt, MmVersion::v4_20, true);
  BOOST_TEST(count("cross_call_ipis") == 1u);
  BOOST_TEST(count("tlb_lazy_to_init_mm") == 1u);
}

// Both wait with interrupts on and serve each other meanwhile.
BOOST_FIXTURE_TEST_CASE(two_cpus_shoot_at_each_other, ManyShootersTest) { shoot(2, 200); }
BOOST_FIXTURE_TEST_CASE(eight_cpus_shoot_at_each_other, ManyShootersTest) {
  shoot(8, 50);
  BOOST_TEST(count("cross_call_ipis") < count("cross_calls"));  // a queue that is not empty is not announced again
}

// A long wait is none that cannot end.
BOOST_FIXTURE_TEST_CASE(a_target_whose_interrupts_are_off_for_long_is_waited_for, ShootingMachine) {
  build(2);
  const Address lock = linux_->make_lock("lock_x");
  std::uint64_t shot_ps = 0;
  Task& first = process("a", 0, [&](Task& task) {
    kernel->compute(task, 100'000);
    linux_->shoot(task);
    shot_ps = task.cpu().now_ps();
  });
  thread(first, "b", 1,
         [&](Task& task) { linux_->with_lock(task, lock, false, [](cpu::CpuOps& cpu) { cpu.execute(1'000'000); }); });
  run_ms(10);
  BOOST_TEST(kernel->all_ended());
  BOOST_TEST(shot_ps >= 1000 * kUs);
}

struct DeadlockTest : ShootingMachine {
  Address x = 0, y = 0, z = 0;
  void build_locks(unsigned count) {
    build(count);
    x = linux_->make_lock("lock_x");
    y = linux_->make_lock("lock_y");
    z = linux_->make_lock("lock_z");
  }
  /// A body that holds one lock for 100 us and then takes another one.
  Task::Body takes(Address one, Address two) {
    return [=, this](Task& task) {
      linux_->with_lock(task, one, true, [&](cpu::CpuOps& cpu) {
        cpu.execute(100'000);
        linux_->locks().spin_lock(cpu, two);
      });
    };
  }
};
BOOST_FIXTURE_TEST_CASE(a_target_that_spins_with_interrupts_off_for_a_lock_of_the_sender_is_reported, DeadlockTest) {
  build_locks(3);
  Task& first = process("a", 0, [&](Task& task) {
    linux_->with_lock(task, x, true, [&](cpu::CpuOps& cpu) {
      cpu.execute(200'000);
      linux_->flusher.flush_tlb_mm_range(cpu, *task.mm, 0x400000, 0x401000);
    });
  });
  thread(first, "b", 1, [&](Task& task) {
    kernel->compute(task, 100'000);
    linux_->with_lock(task, x, false, [](cpu::CpuOps&) {});
  });
  thread(first, "c", 2, [&](Task& task) { kernel->compute(task, 50'000'000); });  // others go on
  const std::string text = failure(20);
  BOOST_TEST(text.find("deadlock: cpu0 (task a) in smp_call_function_many_cond waits for cpu1's acknowledgement; "
                       "cpu1 (task b) in take_lock with interrupts off waits for lock lock_x held by cpu0") !=
                 std::string::npos,
             text);
}
BOOST_FIXTURE_TEST_CASE(with_interrupts_on_the_target_answers_and_gets_the_lock, DeadlockTest) {
  build_locks(2);
  Task& first = process("a", 0, [&](Task& task) {
    linux_->with_lock(task, x, true, [&](cpu::CpuOps& cpu) {
      cpu.execute(200'000);
      linux_->flusher.flush_tlb_mm_range(cpu, *task.mm, 0x400000, 0x401000);
    });
  });
  thread(first, "b", 1, [&](Task& task) {
    kernel->compute(task, 100'000);
    linux_->with_lock(task, x, true, [](cpu::CpuOps&) {});
  });
  run_ms(20);
  BOOST_TEST(kernel->all_ended());
  check_exact();
  BOOST_TEST(count("cross_calls") == 1u);
}
BOOST_FIXTURE_TEST_CASE(three_cpus_that_wait_in_a_circle_are_reported, DeadlockTest) {
  build_locks(3);
  Task& first = process("a", 0, takes(x, y));
  thread(first, "b", 1, takes(y, z));
  thread(first, "c", 2, takes(z, x));
  const std::string text = failure(20);
  for (const char* part : {"deadlock: ", "cpu0 (task a) in take_lock waits for lock lock_y held by cpu1",
                           "cpu1 (task b) in take_lock waits for lock lock_z held by cpu2",
                           "cpu2 (task c) in take_lock waits for lock lock_x held by cpu0"})
    BOOST_TEST(text.find(part) != std::string::npos, text);
}
BOOST_FIXTURE_TEST_CASE(a_chain_without_a_circle_ends, DeadlockTest) {
  build_locks(3);
  const auto then = [this](Address one, Address two) {
    return [=, this](Task& task) {
      linux_->with_lock(task, one, true, [&](cpu::CpuOps& cpu) {
        cpu.execute(100'000);
        const kernel::SpinGuard guard(linux_->locks(), cpu, two);
        cpu.execute(100'000);
      });
    };
  };
  Task& first = process("a", 0, then(x, y));
  thread(first, "b", 1, then(y, z));
  thread(first, "c", 2, then(x, z));
  run_ms(20);
  BOOST_TEST(kernel->all_ended());
}

struct OfflineTest : ShootingMachine {
  OfflineTest() { params.scheduler.offline = {2}; }
};
BOOST_FIXTURE_TEST_CASE(an_offline_cpu_runs_nothing_and_is_never_interrupted, OfflineTest) {
  build(4);
  std::vector<Task*> tasks;
  const auto body = [this](Task& task) {
    for (int i = 0; i < 20; ++i) {
      kernel->compute(task, 20'000);
      kernel->nanosleep(task, 10 * kUs);
      linux_->shoot(task, true);
      BOOST_TEST(!linux_->has_bit(task, 2));
    }
  };
  Task& first = kernel->spawn_process("p", body, {}, {});
  tasks.push_back(&first);
  for (int i = 0; i < 7; ++i) tasks.push_back(&kernel->spawn_thread(first, "t", -1, body));
  run_ms(50);
  BOOST_TEST_REQUIRE(kernel->all_ended());
  check_exact();
  BOOST_TEST(count("cross_calls") > 0u);
  BOOST_TEST(std::count(ipi.sent.begin(), ipi.sent.end(), 2u) == 0);
  for (const Task* task : tasks) BOOST_TEST(task->last_cpu != 2u);
}
BOOST_FIXTURE_TEST_CASE(a_call_to_all_cpus_leaves_out_those_that_are_offline, OfflineTest) {
  build(4);
  std::vector<unsigned> called;
  process("p", 1,
          [&](Task& task) { linux_->call_everybody(task, [&](cpu::CpuOps& cpu) { called.push_back(cpu.id()); }); });
  run_ms(5);
  BOOST_TEST_REQUIRE(kernel->all_ended());
  check_exact();
  std::sort(called.begin(), called.end());
  BOOST_TEST(called == (std::vector<unsigned>{0, 1, 3}), boost::test_tools::per_element());
}
// What a kernel must not do: the interrupt has no one to take it.
BOOST_FIXTURE_TEST_CASE(an_interrupt_to_an_offline_cpu_is_reported, OfflineTest) {
  build(4);
  process("p", 1, [&](Task& task) {
    base::CpuMask target;
    target.set(2);
    ipi.send_ipi(task.cpu(), target);
  });
  const std::string text = failure(5);
  BOOST_TEST(text.find("cpu2 is offline and was interrupted") != std::string::npos, text);
}
BOOST_FIXTURE_TEST_CASE(nobody_can_be_pinned_to_an_offline_cpu, OfflineTest) {
  build(4);
  BOOST_CHECK_EXCEPTION(process("p", 2, [](Task&) {}), base::ConfigError, [](const base::ConfigError& e) {
    return std::string(e.what()) == "p: cannot be pinned to CPU 2: kernel.params.scheduler.offline takes it down";
  });
}
BOOST_FIXTURE_TEST_CASE(an_offline_cpu_that_does_not_exist_is_refused, OfflineTest) {
  BOOST_CHECK_EXCEPTION(build(2), base::ConfigError, [](const base::ConfigError& e) {
    return std::string(e.what()) == "kernel.params.scheduler.offline: there is no CPU 2: the machine has 2";
  });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

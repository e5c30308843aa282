// SPDX-License-Identifier: Apache-2.0
// Atomic operations of user code: the loop of libgcc's config/pa/linux-atomic.c around the gateway page. The kernel
// runs on a recording CPU; what another CPU does in between is done by hooks.
#include <algorithm>

#include "base/errors.h"
#include "kernel/parisc_bench.h"
#include "support/sim_test.h"

namespace switchyard::test {

using cpu::AtomicOp;
using kernel::Task;
using kernel::parisc::LinuxParisc;

namespace {

struct NoTimer : kernel::TimerDevice {
  void set_timer(cpu::CpuOps&, std::uint64_t) override {}
};
struct NoIpi : kernel::IpiSender {
  void send_ipi(cpu::CpuOps&, const base::CpuMask&) override {}
};

struct FetchAndAddTest : SimTest {
  cpu::FunctionTable functions;
  FakeMemory memory;
  AliasedMemory ram{memory};
  FakeCpu cpu{memory, 0};
  NoTimer timer;
  NoIpi ipi;
  sc_core::sc_event never;
  kernel::KernelContext context;
  std::unique_ptr<LinuxParisc> kernel;
  kernel::parisc::LinuxPariscParams params;
  Address word = 0, table = 0, lock = 0;
  bool done = false;

  FetchAndAddTest() {
    context.cpus = {&cpu};
    context.memory = &ram;
    context.ram_base = kParisc;
    context.ram_size = 64 << 20;
    context.functions = &functions;
    context.timer = &timer;
    context.ipi_sender = &ipi;
  }
  /// Runs `body` as user code on a fresh trace. The word is the process's own and starts as zero.
  void run(const std::function<void(Task&)>& body) {
    kernel = std::make_unique<LinuxParisc>(context, params);
    const auto in_user_mode = [this, body](Task& task) {
      BOOST_TEST((cpu.privilege() == cpu::Privilege::user));
      word = kernel->data(task, "n");
      table = symbol(kernel->layout(), "lws_table").va;
      lock = symbol(kernel->layout(), "lws_lock_start").va + 16 * (word >> 4 & 15);
      cpu.clear_trace();
      body(task);
      done = true;
    };
    kernel->spawn_process("main", in_user_mode, {{"n", 4, 64, 0}});
    ram.show(kernel->layout());
    cpu.on_wfi([this](FakeCpu&) { sc_core::wait(never); });  // it halts for good
    sc_core::sc_start();
    BOOST_TEST(done);
  }
  TraceEntry take() const { return atomic(AtomicOp::swap, lock); }
  TraceEntry release() const { return store(lock, lock & 0xffffffff); }
  std::uint64_t count(const std::string& name) const {
    for (const auto* counter : kernel->stats().counters())
      if (counter->name() == name) return counter->value();
    throw std::runtime_error("no counter " + name);
  }
  /// Does `action` in the `n`-th call of the gateway page, before it takes the lock.
  void before_lock(const std::function<void(unsigned n)>& action) {
    auto calls = std::make_shared<unsigned>(0);
    cpu.on_access(table, [action, calls](FakeCpu&) { action(++*calls); });
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(linux_parisc, FetchAndAddTest)

BOOST_AUTO_TEST_CASE(an_add_without_contention_is_one_load_and_one_call) {
  run([&](Task& task) {
    BOOST_TEST(kernel->atomic_add(task, word, 1, 4) == 0u);
    BOOST_TEST(cpu.trace() == (Trace{load(word), load(table), take(), load(word), store(word, 1), release()}));
    BOOST_TEST((cpu.privilege() == cpu::Privilege::user));
    BOOST_TEST(cpu.interrupts_enabled());
  });
  BOOST_TEST(count("lws_attempts") == 1u);
}

// clear_tsk_need_resched is clear_bit, which hashes to a lock here; of 4 locks by 64 bytes of address.
BOOST_AUTO_TEST_CASE(the_scheduler_clears_need_resched_under_a_hashed_lock) {
  run([&](Task& task) {
    const std::uint64_t before = count("atomic_hash_ops");
    kernel->sched_yield(task);
    BOOST_TEST(count("atomic_hash_ops") == before + 1);
    const Address hash = symbol(kernel->layout(), "__atomic_hash").va + 4 * (task.flags() / 64 & 3);
    const std::vector<TraceEntry>& trace = cpu.trace().entries();
    BOOST_TEST(std::count(trace.begin(), trace.end(), atomic(AtomicOp::swap, hash)) == 1);
  });
}

BOOST_AUTO_TEST_CASE(subtraction_wraps_around_in_32_bits) {
  run([&](Task& task) {
    BOOST_TEST(kernel->atomic_add(task, word, -1, 4) == 0u);
    BOOST_TEST(memory.peek(word, 8) == 0xffffffffu);
    BOOST_TEST(kernel->atomic_add(task, word, 1, 4) == 0xffffffffu);
    BOOST_TEST(memory.peek(word, 8) == 0u);
  });
}

BOOST_AUTO_TEST_CASE(after_a_busy_lock_the_word_is_loaded_anew_and_the_call_made_again) {
  run([&](Task& task) {
    before_lock([&](unsigned n) {
      if (n == 1) memory.poke(lock, 0, 4);  // another CPU has the lock
      if (n == 2) memory.poke(word, 5, 4);  // it stores
      if (n == 3) memory.poke(lock, 1, 4);  // it releases
    });
    BOOST_TEST(kernel->atomic_add(task, word, 1, 4) == 5u);
    const Trace busy{load(word), load(table), take()};
    BOOST_TEST(cpu.trace() == (Trace{busy[0], busy[1], busy[2], busy[0], busy[1], busy[2], load(word), load(table),
                                     take(), load(word), store(word, 6), release()}));
    BOOST_TEST(cpu.cycles(cpu::Cause::lock_spin) == 0u);
  });
  BOOST_TEST(count("lws_attempts") == 3u);
  BOOST_TEST(count("lws_busy") == 2u);
  BOOST_TEST(count("lws_changed") == 0u);
}

BOOST_AUTO_TEST_CASE(after_a_changed_word_it_is_loaded_anew_and_nothing_is_lost) {
  run([&](Task& task) {
    before_lock([&](unsigned n) {
      if (n == 1) memory.poke(word, 41, 4);
    });
    BOOST_TEST(kernel->atomic_add(task, word, 1, 4) == 41u);
    BOOST_TEST(cpu.trace() == (Trace{load(word), load(table), take(), load(word), release(), load(word), load(table),
                                     take(), load(word), store(word, 42), release()}));
  });
  BOOST_TEST(count("lws_attempts") == 2u);
  BOOST_TEST(count("lws_busy") == 0u);
  BOOST_TEST(count("lws_changed") == 1u);
}

BOOST_AUTO_TEST_CASE(a_word_that_changed_and_changed_back_is_not_noticed) {
  run([&](Task& task) {
    before_lock([&](unsigned) {
      memory.poke(word, 9, 4);
      memory.poke(word, 0, 4);
    });
    kernel->atomic_add(task, word, 1, 4);
  });
  BOOST_TEST(count("lws_attempts") == 1u);
}

BOOST_AUTO_TEST_CASE(the_loop_is_user_time_and_the_call_is_kernel_time) {
  params.costs.user_retry = 1000;
  params.costs.lws_entry = 200;
  params.costs.lws_critical = 30;
  params.costs.lws_exit = 4;
  run([&](Task& task) {
    before_lock([&](unsigned n) { memory.poke(lock, n == 1 ? 0 : 1, 4); });
    kernel->atomic_add(task, word, 1, 4);
    const Spent user = spent_in(task.calls_root, functions, "__sync_fetch_and_add_4");
    const Spent gateway = spent_in(task.calls_root, functions, "lws_compare_and_swap32");
    BOOST_TEST((user.domain == cpu::Domain::user));
    BOOST_TEST(user.calls == 1u);
    BOOST_TEST(user.cycles == 2 * (1000u + 1));  // each try loads the word
    BOOST_TEST((gateway.domain == cpu::Domain::kernel));
    BOOST_TEST(gateway.calls == 2u);
    BOOST_TEST(gateway.cycles == (200u + 4 + 2) + (200u + 30 + 4 + 5));
  });
}

BOOST_AUTO_TEST_CASE(words_of_8_bytes_are_refused) {
  run([&](Task& task) {
    BOOST_CHECK_EXCEPTION(kernel->atomic_add(task, word, 1, 8), base::ConfigError, [](const base::ConfigError& e) {
      return std::string(e.what()) == "main: the gateway page of this kernel adds to words of 4 B only";
    });
  });
}

BOOST_AUTO_TEST_CASE(a_machine_without_interval_timers_or_interrupts_between_cpus_is_refused) {
  const auto is_expected = [](const base::ConfigError& e) {
    return std::string(e.what()) ==
           "kernel.type: linux-parisc needs interrupts between CPUs and interval timers, the machine has none; add a "
           "module of type pa-external";
  };
  context.timer = nullptr;
  BOOST_CHECK_EXCEPTION(LinuxParisc(context, params), base::ConfigError, is_expected);
  context.timer = &timer;
  context.ipi_sender = nullptr;
  BOOST_CHECK_EXCEPTION(LinuxParisc(context, params), base::ConfigError, is_expected);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

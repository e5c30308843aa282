// SPDX-License-Identifier: Apache-2.0
#include "kernel/x86_fake.h"

namespace switchyard::test {

using cpu::AtomicOp;
using kernel::WakeOnCpu;

namespace {

/// A reader on CPU 1 and a writer on CPU 0.
struct WakeTest : FakeX86Test {
  Task* reader = nullptr;
  Task* writer = nullptr;
  sc_core::sc_event leaving, go_on;
  bool left_waiting = false;

  /// `write` runs in the writer; the reader reads four bytes.
  void start(const std::function<void(Task&)>& write) {
    build(2);
    reader = &kernel->spawn_process("reader", [this](Task& task) { kernel->read(task, 0, 4); }, {}, {1});
    writer = &kernel->spawn_process("writer", write, {}, {0});
    pipe({reader}, {writer}, "words");
  }
  /// CPU 1 stops on its way from the reader to the idle task, when the reader is off the run queue and still on_cpu.
  void stop_while_leaving() {
    cpus[1]->on_access(queue(1).curr(), [this](FakeCpu& cpu) {
      if (cpu.memory().peek(queue(1).curr()) != queue(1).idle->task_struct || left_waiting) return;
      if (reader->state != Task::State::sleeping) return;
      left_waiting = true;
      leaving.notify(sc_core::SC_ZERO_TIME);
      sc_core::wait(go_on);
    });
  }
  void wait_until_it_leaves() {
    if (!left_waiting) sc_core::wait(leaving);
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(wake_up, WakeTest)

BOOST_AUTO_TEST_CASE(a_waker_spins_until_the_task_has_left_its_cpu) {
  params.scheduler.wake.on_cpu = WakeOnCpu::spin;
  start([this](Task& task) {
    wait_until_it_leaves();
    cpus[0]->clear_trace();
    cpus[0]->on_spin([this](FakeCpu&) {
      go_on.notify(sc_core::SC_ZERO_TIME);
      sc_core::wait(1, sc_core::SC_NS);
    });
    kernel->write(task, 0, 4);
  });
  stop_while_leaving();
  run();
  BOOST_TEST(kernel->all_ended());
  BOOST_TEST(of(0, {reader->on_cpu(), queue(1).wake_list()}) ==
             (Trace{load(reader->on_cpu()), spin(reader->on_cpu()), load(reader->on_cpu())}));
}

BOOST_AUTO_TEST_CASE(from_5_8_on_a_waker_queues_the_task_on_the_cpu_that_it_leaves) {
  params.scheduler.wake.on_cpu = WakeOnCpu::queue;
  start([this](Task& task) {
    wait_until_it_leaves();
    cpus[0]->clear_trace();
    kernel->write(task, 0, 4);
    BOOST_TEST((reader->state == Task::State::waking));
    BOOST_TEST(memory.peek(queue(1).wake_list()) == reader->wake_entry());
    BOOST_TEST(of(0, {reader->on_cpu(), queue(1).nr_running(), queue(1).wake_list(), reader->wake_entry()}) ==
               (Trace{load(reader->on_cpu()), load(queue(1).nr_running()), load(queue(1).wake_list()),
                      store(reader->wake_entry(), 0), atomic(AtomicOp::compare_swap, queue(1).wake_list())}));
    go_on.notify(sc_core::SC_ZERO_TIME);
  });
  stop_while_leaving();
  run();
  BOOST_TEST(kernel->all_ended());
  BOOST_TEST(cpus[0]->trace(TraceEntry::Kind::spin).size() == 0u);
}

// The reader is stopped where it has announced its sleep and released the pipe.
BOOST_AUTO_TEST_CASE(a_task_that_is_still_on_its_run_queue_stays_there) {
  start([this](Task& task) {
    wait_until_it_leaves();
    cpus[0]->clear_trace();
    kernel->write(task, 0, 4);
    BOOST_TEST((reader->state == Task::State::running));
    BOOST_TEST(of(0, {reader->on_cpu(), queue(1).wake_list()}).size() == 0u);
    BOOST_TEST(of(0, {queue(1).lock()}).size() == 2u);
    go_on.notify(sc_core::SC_ZERO_TIME);
  });
  cpus[1]->on_access(address_of("words.pipe_inode_info"), [this](FakeCpu&) {
    if (left_waiting || reader->state != Task::State::sleeping) return;
    left_waiting = true;
    leaving.notify(sc_core::SC_ZERO_TIME);
    sc_core::wait(go_on);
  });
  run();
  BOOST_TEST(kernel->all_ended());
  BOOST_TEST(ipi.sent.size() == 0u);
}

// The reader is stopped between its look at task->pending and its sleep.
BOOST_AUTO_TEST_CASE(a_task_that_is_cancelled_on_its_way_to_sleep_does_not_sleep) {
  start([this](Task& task) {
    wait_until_it_leaves();
    kernel->cancel(task, *reader);
    go_on.notify(sc_core::SC_ZERO_TIME);
    kernel->join(task, *reader);
  });
  cpus[1]->on_access(address_of("words.pipe_inode_info") + 72, [this](FakeCpu&) {  // writers
    if (left_waiting) return;
    left_waiting = true;
    leaving.notify(sc_core::SC_ZERO_TIME);
    sc_core::wait(go_on);
  });
  run();
  BOOST_TEST(kernel->all_ended());
}

BOOST_AUTO_TEST_CASE(a_cpu_in_another_cache_gets_tasks_through_its_wake_list_and_one_interrupt_for_several) {
  params.scheduler.topology.cores_per_llc = 1;
  build(2);
  std::vector<Task*> readers;
  for (const char* name : {"a", "b", "c"})
    readers.push_back(&kernel->spawn_process(name, [this](Task& task) { kernel->read(task, 0, 4); }, {}, {1}));
  writer = &kernel->spawn_process(
      "writer",
      [&](Task& task) {
        sc_core::wait(1, sc_core::SC_US);  // all sleep
        ipi.sent.clear();
        cpus[0]->clear_trace();
        kernel->write(task, 0, 12);
        for (const Task* each : readers) BOOST_TEST((each->state == Task::State::waking));
        BOOST_TEST(of(0, {queue(1).lock()}).size() == 0u);
        // The last reader has slept longest: a new task starts the farther behind the fewer there are (sched_vslice).
        BOOST_TEST(of(0, {readers[1]->wake_entry()}) ==
                   (Trace{store(readers[1]->wake_entry(), readers[2]->wake_entry())}));
        BOOST_TEST(ipi.sent == (std::vector<unsigned>{1}), boost::test_tools::per_element());
        BOOST_TEST(!kernel->scheduler().wake_up(task.cpu(), *readers[0]));  // is already on its way
        BOOST_TEST(queue(1).woken.size() == 3u);
        sc_core::wait(1, sc_core::SC_US);
        BOOST_TEST(queue(1).woken.size() == 0u);
      },
      {}, {0});
  pipe(readers, {writer}, "words");
  run();
  BOOST_TEST(kernel->all_ended());
}

BOOST_AUTO_TEST_CASE(a_cpu_that_shares_the_cache_gets_a_task_under_its_lock) {
  start([this](Task& task) {
    sc_core::wait(1, sc_core::SC_US);
    ipi.sent.clear();
    cpus[0]->clear_trace();
    kernel->write(task, 0, 4);
    BOOST_TEST((reader->state == Task::State::running));
    BOOST_TEST(of(0, {queue(1).wake_list()}).size() == 0u);
    BOOST_TEST(of(0, {queue(1).lock()}).size() == 2u);
    BOOST_TEST(of(0, {queue(1).idle->flags()}) ==
               (Trace{load(queue(1).idle->flags()), atomic(AtomicOp::bit_or, queue(1).idle->flags())}));
    BOOST_TEST(ipi.sent == (std::vector<unsigned>{1}), boost::test_tools::per_element());
  });
  run();
  BOOST_TEST(kernel->all_ended());
}

// References to the address space that an idle task borrows: __schedule, finish_task_switch.
BOOST_AUTO_TEST_CASE(a_borrowed_address_space_is_counted_before_the_switch_and_dropped_after_the_unlock) {
  start([this](Task& task) {
    sc_core::wait(1, sc_core::SC_US);
    kernel->write(task, 0, 4);
  });
  run();
  BOOST_TEST_REQUIRE(kernel->all_ended());
  const Address count = reader->mm->fields.mm_count(), lock = queue(1).lock();
  const Trace trace = of(1, {count, lock, queue(1).idle->on_cpu()});
  std::vector<std::size_t> counted;
  for (std::size_t i = 0; i < trace.size(); ++i)
    if (trace[i] == atomic(AtomicOp::add, count)) counted.push_back(i);
  BOOST_TEST_REQUIRE(counted.size() == 3u);  // sleep, wake-up, end
  BOOST_TEST(trace[counted[0] - 1] == atomic(AtomicOp::compare_swap, lock));
  BOOST_TEST(trace[counted[1] - 1] == store(lock, 0));
  BOOST_TEST(trace[counted[1] - 2] == store(queue(1).idle->on_cpu(), 0));
  BOOST_TEST(memory.peek(count, 4) == 2u);  // its own, and that of the idle task, which borrows it for good
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

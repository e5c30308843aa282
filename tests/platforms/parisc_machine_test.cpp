// SPDX-License-Identifier: Apache-2.0
// Counters of user code on the shipped parisc machine: nothing is lost, however its locks and lines lie.
#include <sstream>

#include "platforms/platform_fixture.h"

namespace switchyard::test {

namespace {

/// Threads 2j and 2j+1 add `up` and `down` to counter j of four, `count` times each; all counters must end as zero.
std::string pairs(unsigned count, int up, int down) {
  return fmt::format(R"(schema: 1
workload:
  programs:
    adder: {{steps: [{{loop: {{count: {0}, body: [{{atomic_add: {{data: counters, stride: 4 B, value: {1}}}}}]}}}}]}}
    subtractor: {{steps: [{{loop: {{count: {0}, body: [{{atomic_add: {{data: counters, stride: 4 B, value: {2}}}}}]}}}}]}}
    main:
      steps:
        - loop: {{count: 4, body: [{{spawn: {{program: adder}}}}, {{spawn: {{program: subtractor}}}}]}}
        - join: {{program: adder}}
        - join: {{program: subtractor}}
        - expect: {{data: counters, value: 0}}
  processes: [{{program: main, data: {{counters: {{size: 16 B, alignment: 64 B}}}}}}]
)",
                     count, up, down);
}

/// `threads` threads, thread i on CPU i, add 1 to one counter `count` times each.
std::string pinned(unsigned threads, unsigned count) {
  return fmt::format(R"(schema: 1
workload:
  programs:
    adder: {{steps: [{{loop: {{count: {1}, body: [{{atomic_add: {{data: counter, value: 1}}}}]}}}}]}}
    main: {{steps: [{{spawn: {{program: adder, count: {0}, pin: each}}}}, {{join: {{program: adder}}}}, {{expect: {{data: counter, value: {2}}}}}]}}
  processes: [{{program: main, data: {{counter: {{size: 4 B, alignment: 64 B}}}}}}]
)",
                     threads, count, threads * count);
}

/// What `text` is when the first `what` in it is replaced.
std::string with(std::string text, const std::string& what, const std::string& instead) {
  const std::size_t at = text.find(what);
  BOOST_TEST_REQUIRE(at != std::string::npos, what);
  return text.replace(at, what.size(), instead);
}

struct PariscTest : PlatformTest {
  static std::string platform_text() {
    std::stringstream text;
    text << std::ifstream(shipped("platforms/rp5470.yaml")).rdbuf();
    return text.str();
  }
  RunOutcome run_parisc(const std::string& workload, std::vector<std::string> sets = {}) const {
    return run({shipped("platforms/rp5470.yaml"), write("workload.yaml", workload)}, sets);
  }
  RunOutcome complete(const std::string& workload, const std::vector<std::string>& sets = {}) const {
    const RunOutcome outcome = run_parisc(workload, sets);
    BOOST_TEST(outcome.message == "");
    BOOST_TEST((outcome.end == RunEnd::complete));
    return outcome;
  }
  /// Every combination of lock distance, line and place of atomics on the given interconnect.
  void counters_end_as_zero_on(const std::string& interconnect) const {
    constexpr unsigned kCount = 40;
    for (const char* place : {"cache", "memory"})
      for (const unsigned line : {16u, 32u, 64u, 128u})
        for (const unsigned bits : {2u, 4u, 6u, 7u})
          BOOST_TEST_CONTEXT(place << ", lines of " << line << " B, locks 2^" << bits << " B apart") {
            const RunOutcome outcome =
                complete(pairs(kCount, 1, -1),
                         {"modules.fabric.type=" + interconnect, "modules.hart.params.atomic_in=" + std::string(place),
                          fmt::format("modules.l1d.params.line={} B", line),
                          fmt::format("kernel.params.lws.lock_align_bits={}", bits)});
            const std::uint64_t attempts = stat(outcome, "kernel", "lws_attempts");
            BOOST_TEST(attempts > 8u * kCount);  // the threads did meet
            BOOST_TEST(attempts ==
                       8u * kCount + stat(outcome, "kernel", "lws_busy") + stat(outcome, "kernel", "lws_changed"));
          }
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(parisc_machine, PariscTest)

BOOST_AUTO_TEST_CASE(counters_end_as_zero_on_a_snooping_bus) { counters_end_as_zero_on("snoop-bus"); }

BOOST_AUTO_TEST_CASE(counters_end_as_zero_on_a_directory) { counters_end_as_zero_on("directory"); }

BOOST_AUTO_TEST_CASE(counters_end_as_zero_with_every_order_and_kind_of_transfer) {
  for (const char* order : {"requests", "transfers"})
    for (const char* read : {"shares", "migrates"})
      for (const char* clean : {"false", "true"}) BOOST_TEST_CONTEXT(order << ", " << read << ", " << clean)
  complete(pairs(40, 1, -1), {fmt::format("modules.fabric.params.line_order={}", order),
                              fmt::format("modules.fabric.params.dirty_read={}", read),
                              fmt::format("modules.fabric.params.forward_clean={}", clean)});
}

BOOST_AUTO_TEST_CASE(counters_end_as_zero_wherever_locks_and_counters_begin) {
  for (const unsigned at : {16u, 48u})
    complete(pairs(40, 1, -1), {fmt::format("kernel.params.lws.lock_start_offset={} B", at),
                                fmt::format("workload.processes[0].data.counters.offset={} B", at)});
}

BOOST_AUTO_TEST_CASE(the_layout_of_atomic_locks_does_not_matter_to_counters) {
  for (const char* size : {"4", "64"})
    for (const char* pad : {"0 B", "64 B"})
      complete(pairs(40, 1, -1), {fmt::format("kernel.params.atomic_hash.size={}", size),
                                  fmt::format("kernel.params.atomic_hash.pad_to={}", pad)});
}

BOOST_AUTO_TEST_CASE(counters_that_are_not_balanced_fail_with_the_word_and_its_value) {
  const RunOutcome outcome = run_parisc(pairs(40, 1, -2));
  BOOST_TEST((outcome.end == RunEnd::check_failed));
  BOOST_TEST(
      outcome.message.find("workload: expect: word 0 of data 'counters' is -40, expected 0") != std::string::npos,
      outcome.message);
}

BOOST_AUTO_TEST_CASE(two_cpus_on_one_counter_need_more_attempts_than_operations) {
  const RunOutcome outcome = complete(pinned(2, 500));
  const std::uint64_t busy = stat(outcome, "kernel", "lws_busy"), changed = stat(outcome, "kernel", "lws_changed");
  BOOST_TEST(stat(outcome, "kernel", "lws_attempts") == 1000u + busy + changed);
  BOOST_TEST(busy + changed > 0u);
  BOOST_TEST(stat(outcome, "fabric", "transfers") > 0u);
}

BOOST_AUTO_TEST_CASE(one_thread_alone_succeeds_at_every_attempt) {
  for (const char* line : {"16 B", "64 B", "128 B"}) {
    const RunOutcome outcome = complete(pinned(1, 500), {"modules.l1d.params.line=" + std::string(line)});
    BOOST_TEST(stat(outcome, "kernel", "lws_attempts") == 500u);
    BOOST_TEST(stat(outcome, "kernel", "lws_busy") == 0u);
    BOOST_TEST(stat(outcome, "kernel", "lws_changed") == 0u);
  }
}

BOOST_AUTO_TEST_CASE(one_thread_alone_asks_for_no_line_once_it_has_them_all) {
  const std::vector<std::string> no_ticks{"kernel.params.scheduler.hz=1", "kernel.params.scheduler.skew_tick=none"};
  const RunOutcome few = complete(pinned(1, 100), no_ticks), many = complete(pinned(1, 3000), no_ticks);
  for (const char* name : {"requests", "transfers", "invalidations", "memory_reads", "writebacks"})
    BOOST_TEST(stat(many, "fabric", name) == stat(few, "fabric", name), name);
}

BOOST_AUTO_TEST_CASE(with_atomics_in_memory_every_call_fetches_its_lock_again) {
  const std::vector<std::string> sets{"kernel.params.scheduler.hz=1", "kernel.params.scheduler.skew_tick=none",
                                      "modules.hart.params.atomic_in=memory"};
  const RunOutcome few = complete(pinned(1, 100), sets), many = complete(pinned(1, 600), sets);
  // The release stores to the lock, whose line load-and-clear had dropped. One line more or less is moved when the run
  // ends, by which CPU gets to it first.
  const std::uint64_t fetched = stat(many, "fabric", "requests") - stat(few, "fabric", "requests");
  BOOST_TEST(fetched >= 499u);
  BOOST_TEST(fetched <= 501u);
}

BOOST_AUTO_TEST_CASE(calls_of_the_gateway_are_kernel_time_and_the_loop_around_them_is_user_time) {
  const RunOutcome outcome = complete(pinned(2, 500));
  std::uint64_t gateway_calls = 0, adds = 0;
  for (const platforms::TaskRecord& task : outcome.tasks)
    for (const platforms::CallRecord& call : task.calls) {
      if (call.function == "lws_compare_and_swap32") {
        BOOST_TEST((call.domain == cpu::Domain::kernel));
        BOOST_TEST(task.calls[static_cast<std::size_t>(call.parent)].function == "__sync_fetch_and_add_4");
        gateway_calls += call.calls;
      }
      if (call.function == "__sync_fetch_and_add_4") {
        BOOST_TEST((call.domain == cpu::Domain::user));
        adds += call.calls;
      }
    }
  BOOST_TEST(gateway_calls == stat(outcome, "kernel", "lws_attempts"));
  BOOST_TEST(adds == 1000u);
}

BOOST_AUTO_TEST_CASE(the_same_run_twice_gives_the_same_outcome) {
  const std::string text = text_of(complete(pairs(200, 1, -1)));
  BOOST_TEST(text_of(complete(pairs(200, 1, -1))) == text);
}

BOOST_AUTO_TEST_CASE(a_second_level_with_longer_lines_works_and_one_with_shorter_lines_is_refused) {
  const auto machine = [](unsigned line) {
    std::string text =
        with(platform_text(), "  fabric:\n",
             fmt::format("  l2d: {{type: cache, count: 4, params: {{size: 4 MiB, line: {} B}}}}\n  fabric:\n", line));
    return with(text, "\"l1d[*].mem\", to: fabric.cpu}\n",
                "\"l1d[*].mem\", to: \"l2d[*].cpu\"}\n  - {from: \"l2d[*].mem\", to: fabric.cpu}\n");
  };
  for (const unsigned line : {64u, 128u}) {
    const RunOutcome outcome = run({write("machine.yaml", machine(line)), write("workload.yaml", pairs(40, 1, -1))});
    BOOST_TEST(outcome.message == "");
    BOOST_TEST((outcome.end == RunEnd::complete));
  }
  const std::string error = refusal(machine(32));
  BOOST_TEST(
      error.find("modules.l2d[0]: line of 32 B is shorter than the 64 B of l1d_0 above it; the lower level's line "
                 "must be at least as long") != std::string::npos,
      error);
}

BOOST_AUTO_TEST_CASE(a_cpu_without_its_interval_timer_is_refused) {
  const std::string error =
      refusal(with(platform_text(), "irq.itimer, to: \"hart[*].seip\"", "irq.itimer, to: \"hart[0].seip\""));
  BOOST_TEST(
      error.find("modules.irq: 1 CPUs are wired to itimer and 4 to ssip; every CPU needs both") != std::string::npos,
      error);
}

BOOST_AUTO_TEST_CASE(interval_timers_in_another_order_than_the_cpus_are_refused) {
  const auto wire = [](unsigned hart) {
    return fmt::format("  - {{from: irq.itimer, to: \"hart[{}].seip\"}}\n", hart);
  };
  const std::string error = refusal(
      with(platform_text(), "  - {from: irq.itimer, to: \"hart[*].seip\"}\n", wire(0) + wire(2) + wire(1) + wire(3)));
  BOOST_TEST(
      error.find("wire 1 of irq.itimer interrupts hart 1, but leads to hart[2], which is hart 2; wire the harts in "
                 "their order") != std::string::npos,
      error);
}

BOOST_AUTO_TEST_CASE(a_parisc_kernel_without_its_interrupt_device_is_refused) {
  std::string text = with(platform_text(), "  irq: {type: pa-external}\n", "");
  text = with(text, "  - {from: bus.out, to: irq.in}\n", "");
  text = with(text, "  - {from: irq.ssip, to: \"hart[*].ssip\"}\n", "");
  text = with(text, "  - {from: irq.itimer, to: \"hart[*].seip\"}\n", "");
  const std::string error = refusal(text);
  BOOST_TEST(error.find("linux-parisc needs interrupts between CPUs and interval timers, the machine has none; add a "
                        "module of type pa-external") != std::string::npos,
             error);
}

BOOST_AUTO_TEST_CASE(words_of_8_bytes_are_refused_as_a_fault_of_the_input) {
  const std::string workload = R"(schema: 1
workload:
  programs: {main: {steps: [{atomic_add: {data: n, width: 8 B}}]}}
  processes: [{program: main, data: {n: {size: 8 B}}}]
)";
  const RunOutcome outcome = run_parisc(workload);
  BOOST_TEST((outcome.end == RunEnd::input_error));
  BOOST_TEST(
      outcome.message.find("main: the gateway page of this kernel adds to words of 4 B only") != std::string::npos,
      outcome.message);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

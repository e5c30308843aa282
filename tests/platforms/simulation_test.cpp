// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "platforms/platform_fixture.h"

namespace switchyard::test {

namespace {

const std::string kReclaim = R"(        - mmap: {name: p, size: 64 KiB}
        - touch: {region: p, access: write, stride: 64 B}
        - loop:
            name: reclaim
            count: 1000
            measure: true
            body:
              - touch: {region: p, access: read, stride: 4 KiB}
              - madvise: {region: p, advice: pageout}
)";

/// Cycles of all tasks, which are those of all CPUs.
double all_cycles(const RunOutcome& outcome) {
  double sum = 0;
  for (const platforms::TaskRecord& task : outcome.tasks) sum += static_cast<double>(cycles_of(task));
  return sum;
}

/// What all_cycles() should be, and by how much it may differ: each CPU may be ahead by the quantum, 10 us, and by one
/// access when the measurement starts and when it ends.
double elapsed_cycles(const RunOutcome& outcome) {
  return outcome.measured_s * static_cast<double>(outcome.cpu_hz) * outcome.cpus;
}
double slack(const RunOutcome& outcome) { return 2 * 10.5e-6 * static_cast<double>(outcome.cpu_hz) * outcome.cpus; }

/// The small machine with another number of harts.
std::string with_harts(unsigned count) {
  std::string text = kMachine;
  const std::string two = "count: 2,";
  for (std::size_t at = text.find(two); at != std::string::npos; at = text.find(two, at + 1))
    text.replace(at, two.size(), fmt::format("count: {},", count));
  return text;
}

/// `count` harts with an SSWI beside the CLINT.
std::string sswi_machine(unsigned count) {
  return fmt::format(R"(schema: 1
modules:
  hart: {{type: cpu, count: {0}, params: {{clock: 1 GHz}}}}
  l1: {{type: cache, count: {0}, params: {{size: 32 KiB}}}}
  l2: {{type: cache, params: {{size: 1 MiB}}}}
  bus: {{type: bus}}
  ram: {{type: memory, params: {{base: 0x80000000, size: 1 GiB}}}}
  clint: {{type: clint}}
  sswi: {{type: sswi}}
wires:
  - {{from: "hart[*].data", to: "l1[*].cpu"}}
  - {{from: "l1[*].mem", to: l2.cpu}}
  - {{from: l2.mem, to: bus.in}}
  - {{from: bus.out, to: ram.in}}
  - {{from: bus.out, to: clint.in}}
  - {{from: bus.out, to: sswi.in}}
  - {{from: clint.msip, to: "hart[*].msip"}}
  - {{from: clint.mtip, to: "hart[*].mtip"}}
  - {{from: sswi.ssip, to: "hart[*].ssip"}}
firmware: {{type: opensbi}}
kernel: {{params: {{unmap: {{batched: false}}, tlb: {{remote: ipi}}, reclaim: {{clear_accessed: false}}}}}}
)",
                     count);
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(simulation, PlatformTest)

BOOST_AUTO_TEST_CASE(a_program_runs_to_its_end) {
  const RunOutcome outcome = run_small(program("        - compute: {instructions: 1000000}\n"));
  BOOST_TEST((outcome.end == RunEnd::complete));
  BOOST_TEST(outcome.message == "");
  BOOST_TEST(outcome.cpus == 2u);
  BOOST_TEST(outcome.cpu_hz == 1'000'000'000u);
  BOOST_TEST(!outcome.has_loop);
  BOOST_TEST(outcome.measured_s == outcome.simulated_s);
  BOOST_TEST(outcome.simulated_s >= 1e-3);  // a million instructions of a cycle at 1 GHz
  BOOST_TEST(outcome.simulated_s < 1.1e-3);
}

BOOST_AUTO_TEST_CASE(a_measured_loop_is_in_the_outcome) {
  const RunOutcome outcome = run_small(program(kReclaim), {"run.until.max_iterations=10"});
  BOOST_TEST(outcome.message == "");
  BOOST_TEST(outcome.has_loop);
  BOOST_TEST(outcome.loop.name == "reclaim");
  BOOST_TEST(outcome.loop.count == 1000u);
  BOOST_TEST(outcome.loop.warm_up == 3u);
  BOOST_TEST(outcome.loop.iterations == 10u);
  BOOST_TEST(outcome.measured_s == 10 * outcome.loop.iteration_s.mean, boost::test_tools::tolerance(0.01));
  BOOST_TEST(outcome.measured_s < outcome.simulated_s);
}

BOOST_AUTO_TEST_CASE(a_loop_that_two_threads_run_is_measured_on_one_and_ends_for_both) {
  const RunOutcome outcome = run_small(R"(schema: 1
workload:
  programs:
    worker:
      steps:
        - mmap: {name: p, size: 64 KiB}
        - loop: {count: 1000000, measure: true, body: [{touch: {region: p}}, {madvise: {region: p}}]}
    main: {steps: [{spawn: {program: worker, count: 2, pin: each}}, {join: {program: worker}}]}
  processes: [{program: main}]
)",
                                       {"run.until.max_iterations=10"});
  BOOST_TEST(outcome.message == "");
  BOOST_TEST((outcome.end == RunEnd::complete));
  BOOST_TEST(outcome.loop.iterations == 10u);
  BOOST_TEST(outcome.measured_s == 10 * outcome.loop.iteration_s.mean, boost::test_tools::tolerance(0.01));
  BOOST_TEST(outcome.simulated_s < 1.0);  // a million iterations would take a hundred times as long
}

BOOST_AUTO_TEST_CASE(progress_is_reported_while_the_loop_runs) {
  std::vector<std::uint64_t> seen;
  const auto run = load({write("machine.yaml", kMachine), write("w.yaml", program(kReclaim))},
                        {"run.until.max_iterations=40", "run.until.relative_ci=0 %"});
  const SimTest context;
  simulate(*run, [&](const platforms::Progress& progress) { seen.push_back(progress.iterations); });
  BOOST_TEST(seen == (std::vector<std::uint64_t>{0, 16, 32}), boost::test_tools::per_element());
}

// Two tasks keep two harts busy; on one hart two tasks take turns.
BOOST_AUTO_TEST_CASE(the_cycles_of_all_tasks_are_the_elapsed_cycles_of_all_busy_cpus) {
  const std::string workload =
      "schema: 1\nworkload:\n  programs: {main: {steps: [{compute: {instructions: 9000000}}]}}\n"
      "  processes: [{program: main}, {program: main}]\n";
  for (const unsigned harts : {1u, 2u}) {
    const RunOutcome outcome = run({write("machine.yaml", with_harts(harts)), write("w.yaml", workload)});
    BOOST_TEST(outcome.message == "");
    BOOST_TEST(std::abs(all_cycles(outcome) - elapsed_cycles(outcome)) <= slack(outcome));
  }
}

BOOST_AUTO_TEST_CASE(the_cycles_of_a_measured_loop_are_the_elapsed_cycles_of_its_cpu) {
  const RunOutcome outcome =
      run({write("machine.yaml", with_harts(1)), write("w.yaml", program(kReclaim))}, {"run.until.max_iterations=10"});
  BOOST_TEST(std::abs(all_cycles(outcome) - elapsed_cycles(outcome)) <= slack(outcome));
}

BOOST_AUTO_TEST_CASE(the_cycles_of_all_tasks_are_the_elapsed_cycles_of_all_cpus_idle_ones_too) {
  const RunOutcome outcome = run_small(program("        - compute: {instructions: 3000000}\n"));
  BOOST_TEST(std::abs(all_cycles(outcome) - elapsed_cycles(outcome)) <= slack(outcome));
}

BOOST_AUTO_TEST_CASE(the_cycles_of_a_measured_loop_are_the_elapsed_cycles_of_all_cpus) {
  const RunOutcome outcome = run_small(program(kReclaim), {"run.until.max_iterations=10"});
  BOOST_TEST(std::abs(all_cycles(outcome) - elapsed_cycles(outcome)) <= slack(outcome));
}

BOOST_AUTO_TEST_CASE(an_idle_cpu_spends_the_measured_time_idle) {
  const RunOutcome outcome = run_small(program(kReclaim), {"run.until.max_iterations=10"});
  const auto measured = outcome.measured_s * static_cast<double>(outcome.cpu_hz);
  double idle = 0;
  for (const platforms::TaskRecord& task : outcome.tasks)
    for (const platforms::CallRecord& call : task.calls)
      idle += static_cast<double>(call.cycles[static_cast<std::size_t>(cpu::Cause::idle)]);
  BOOST_TEST(idle >= 0.95 * measured);
  BOOST_TEST(idle <= 1.05 * measured);
}

BOOST_AUTO_TEST_CASE(a_machine_of_256_harts_runs) {
  const RunOutcome outcome = run(
      {write("machine.yaml", with_harts(256)), write("w.yaml", program("        - compute: {instructions: 1000}\n"))});
  BOOST_TEST(outcome.message == "");
  BOOST_TEST(outcome.cpus == 256u);
}

BOOST_AUTO_TEST_CASE(interrupts_between_kernels_need_no_fence_of_firmware) {
  const RunOutcome outcome =
      run({write("machine.yaml", sswi_machine(4)), shipped("workloads/pageout-four-sleepers.yaml")},
          {"run.until.max_iterations=4"});
  BOOST_TEST(outcome.message == "");
  BOOST_TEST(stat(outcome, "firmware", "remote_fences") == 0u);
  BOOST_TEST(stat(outcome, "kernel", "remote_flush_page") == 4 * 256u);
  BOOST_TEST(stat(outcome, "sswi", "ipis") >= 4 * 256 * 3u);  // three other harts each
}

BOOST_AUTO_TEST_CASE(with_interrupts_between_kernels_no_firmware_is_needed) {
  const RunOutcome outcome =
      run({write("machine.yaml", sswi_machine(4)), shipped("workloads/pageout-four-sleepers.yaml")},
          {"run.until.max_iterations=2", "firmware.type=none"});
  BOOST_TEST(outcome.message == "");
  BOOST_TEST((outcome.end == RunEnd::complete));
}

BOOST_AUTO_TEST_CASE(fences_by_firmware_are_refused_where_the_firmware_does_none) {
  BOOST_TEST(
      refusal(kModules + kWires + "firmware: {type: none}\n") ==
      "kernel.params.tlb.remote: 'sbi' leaves fences on other CPUs to firmware, and firmware.type 'none' does none; "
      "use firmware of type opensbi, or remote 'ipi' and a module of type sswi");
}

BOOST_AUTO_TEST_CASE(interrupts_between_cpus_are_refused_where_neither_firmware_nor_a_device_sends_them) {
  BOOST_TEST(
      refusal(kModules + kWires + "firmware: {type: none}\nkernel: {params: {tlb: {remote: ipi}}}\n") ==
      "kernel: interrupts between 2 CPUs need firmware, and firmware.type 'none' sends none; use firmware of type "
      "opensbi, or add a module of type sswi");
}

BOOST_AUTO_TEST_CASE(one_cpu_needs_no_firmware) {
  std::string text = with_harts(1);
  const std::string opensbi = "firmware: {type: opensbi}";
  text.replace(text.find(opensbi), opensbi.size(), "firmware: {type: none}");
  const RunOutcome outcome =
      run({write("machine.yaml", text), write("w.yaml", program(kReclaim))}, {"run.until.max_iterations=10"});
  BOOST_TEST(outcome.message == "");
}

BOOST_AUTO_TEST_CASE(quantum_zero_runs) {
  const RunOutcome outcome = run_small(program(kReclaim), {"quantum=0 ns", "run.until.max_iterations=4"});
  BOOST_TEST(outcome.message == "");
  BOOST_TEST(outcome.loop.iterations == 4u);
}

BOOST_AUTO_TEST_CASE(symbols_are_listed_by_address_with_the_granule_of_the_first_cache) {
  const auto run =
      load({write("machine.yaml", kMachine)}, {"modules.l1.params.line=128 B", "modules.l2.params.line=128 B"});
  const SimTest context;
  const platforms::SymbolList list = list_symbols(*run);
  const auto has = [&](const std::string& name) {
    return std::any_of(list.symbols.begin(), list.symbols.end(), [&](const auto& one) { return one.name == name; });
  };
  BOOST_TEST(has("runqueues/1"));
  BOOST_TEST(has("init_mm.mm_struct"));
  BOOST_TEST(std::is_sorted(list.symbols.begin(), list.symbols.end(),
                            [](const auto& a, const auto& b) { return a.va < b.va; }));
  BOOST_TEST(list.granule.bytes == 128u);
  BOOST_TEST(list.granule.cache == "l1");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

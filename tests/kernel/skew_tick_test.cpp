// SPDX-License-Identifier: Apache-2.0
// When the ticks of the CPUs come.
#include <set>

#include "kernel/machine_fixture.h"

namespace switchyard::test {

using kernel::Task;
using kernel::TickSkew;

namespace {

constexpr std::uint64_t kHz = 250;
constexpr std::uint64_t kPeriod = 4'000'000'000;  // ps
constexpr unsigned kCpus = 4;

/// Notes the deadlines that the kernel sets for each CPU.
struct NotingTimer : kernel::TimerDevice {
  explicit NotingTimer(interrupt::Sbi& sbi) : inner(sbi) {}
  void set_timer(cpu::CpuOps& cpu, std::uint64_t deadline_ps) override {
    if (deadline_ps != kernel::RunQueue::kNever) deadlines[cpu.id()].push_back(deadline_ps);
    inner.set_timer(cpu, deadline_ps);
  }
  kernel::riscv::SbiTimer inner;
  std::vector<std::uint64_t> deadlines[kCpus];
};

using Phases = std::vector<std::uint64_t>;

/// One task that computes on each CPU for a few periods.
struct SkewMachine : MachineTest {
  std::unique_ptr<NotingTimer> timer;

  SkewMachine(TickSkew skew, std::uint64_t seed) {
    build_machine(kCpus);
    timer = std::make_unique<NotingTimer>(*sbi);
    context.timer = timer.get();
    context.seed = seed;
    kernel::riscv::LinuxRiscvParams params;
    params.scheduler.hz = kHz;
    params.scheduler.skew_tick = skew;
    kernel = std::make_unique<kernel::riscv::LinuxRiscv>(context, params);
    for (unsigned c = 0; c < kCpus; ++c)
      kernel->spawn_process("busy" + std::to_string(c), [this](Task& task) { kernel->compute(task, 22'000'000); });
    run_ms(17.5);  // no tick is due then
  }
  /// Where in the period the ticks of each CPU come. All ticks of a CPU are a period apart.
  Phases phases() const {
    Phases result;
    for (const auto& deadlines : timer->deadlines) {
      BOOST_TEST_REQUIRE(deadlines.size() >= 4u);
      for (std::size_t i = 1; i < deadlines.size(); ++i) BOOST_TEST(deadlines[i] == deadlines[i - 1] + kPeriod);
      BOOST_TEST(deadlines[0] <= kPeriod);
      result.push_back(deadlines[0] % kPeriod);
    }
    return result;
  }
};

Phases phases_of(TickSkew skew, std::uint64_t seed = 1) { return SkewMachine(skew, seed).phases(); }

const auto each = boost::test_tools::per_element();

}  // namespace

BOOST_AUTO_TEST_SUITE(skew_tick)

BOOST_AUTO_TEST_CASE(without_skew_all_cpus_tick_at_multiples_of_the_period) {
  BOOST_TEST(phases_of(TickSkew::none) == Phases(kCpus, 0), each);
}

BOOST_AUTO_TEST_CASE(even_skew_spreads_the_ticks_over_the_period) {
  BOOST_TEST(phases_of(TickSkew::even) == (Phases{0, kPeriod / 4, kPeriod / 2, kPeriod / 4 * 3}), each);
}

BOOST_AUTO_TEST_CASE(random_skew_puts_every_cpu_somewhere_else) {
  const Phases phases = phases_of(TickSkew::random);
  BOOST_TEST(std::set<std::uint64_t>(phases.begin(), phases.end()).size() == kCpus);
}

BOOST_AUTO_TEST_CASE(random_skew_is_the_same_for_the_same_seed_and_another_for_another) {
  const Phases phases = phases_of(TickSkew::random, 1);
  BOOST_TEST(phases_of(TickSkew::random, 1) == phases, each);
  BOOST_TEST((phases_of(TickSkew::random, 2) != phases));
}

BOOST_AUTO_TEST_CASE(random_skew_reaches_every_quarter_of_the_period) {
  std::set<std::uint64_t> quarters;
  for (std::uint64_t seed = 1; seed <= 16; ++seed)  // 64 draws: to miss a quarter is a matter of 10^-8
    for (const std::uint64_t phase : phases_of(TickSkew::random, seed)) quarters.insert(phase * 4 / kPeriod);
  BOOST_TEST((quarters == std::set<std::uint64_t>{0, 1, 2, 3}));
}

BOOST_AUTO_TEST_CASE(skew_does_not_change_how_often_a_cpu_ticks) {
  for (const TickSkew skew : {TickSkew::none, TickSkew::even, TickSkew::random}) {
    const SkewMachine machine(skew, 1);
    std::uint64_t due = 0;
    for (const std::uint64_t phase : machine.phases()) due += (17'500'000'000 - phase) / kPeriod + (phase == 0 ? 0 : 1);
    BOOST_TEST(machine.count("ticks") == due);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

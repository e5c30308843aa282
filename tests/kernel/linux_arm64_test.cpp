// SPDX-License-Identifier: Apache-2.0
#include "kernel/linux_arm64.h"

#include "interrupt/gic_sgi.h"
#include "kernel/interval_timer_device.h"
#include "kernel/machine_fixture.h"

/// The arm64 kernel on simulated hardware.
namespace switchyard::test {

using base::Address;
using cpu::Cause;
using kernel::ChannelUser;
using kernel::FlushMutation;
using kernel::Task;
using kernel::arm64::FastPath;

namespace {

constexpr std::uint64_t kFootprint = 4 << 20;  ///< twice the second level

struct Arm64Machine : MachineTest {
  interrupt::GicSgi gic{"gic", {}};
  std::unique_ptr<kernel::FabricIpiSender> sender;
  std::unique_ptr<kernel::IntervalTimerDevice> timer;
  kernel::arm64::LinuxArm64Params params;
  std::unique_ptr<kernel::arm64::LinuxArm64> arm64;
  std::vector<ChannelUser> users;
  std::function<void()> after_touch;  ///< runs when a process has walked over its data

  static constexpr std::uint64_t kHitCycles = 3;
  Arm64Machine() { params.layout.max_tasks = 400; }

  void start(unsigned count, FlushMutation mutation = FlushMutation::none) {
    bind_ports(bus.initiator("out"), gic.target("in"));
    bus.route("out", gic.address_range());
    build_machine(count);
    for (const auto& cpu : cpus) {
      gic.connect_interrupt("intr", cpu->interrupt_in("ssip"));
      gic.connect_interrupt("timer", cpu->interrupt_in("seip"));
    }
    sender = std::make_unique<kernel::FabricIpiSender>(gic);
    timer = std::make_unique<kernel::IntervalTimerDevice>(gic);
    context.sbi = nullptr;
    context.ipi_sender = sender.get();
    context.timer = timer.get();
    arm64 = std::make_unique<kernel::arm64::LinuxArm64>(context, params, mutation);
  }
  std::uint64_t counted(const std::string& name) const { return counter(arm64->stats(), name); }

  /// Two processes pass a byte back and forth `loops` times, on the CPUs given, after walking over their data.
  void ping_pong(unsigned loops, const std::vector<unsigned>& first_on, const std::vector<unsigned>& second_on,
                 std::uint64_t footprint = 64) {
    const std::vector<kernel::UserData> data{{.name = "data", .size = footprint}};
    users.resize(2);
    const auto body = [this, loops, footprint](unsigned me) {
      return [this, loops, footprint, me](Task& task) {
        for (unsigned i = 0; i < loops; ++i) {
          if (me == 0) arm64->write(task, users[me].descriptor[1], 1);
          arm64->read(task, users[me].descriptor[0], 1);
          arm64->touch(task, arm64->data(task, "data"), footprint, 64, cpu::Access::load);
          if (after_touch) after_touch();
          if (me == 1) arm64->write(task, users[me].descriptor[1], 1);
        }
      };
    };
    Task& first = arm64->spawn_process("first", body(0), data, first_on);
    Task& second = arm64->spawn_process("second", body(1), data, second_on);
    std::vector<ChannelUser> there{{.first = &first, .holds = {false, true}},
                                   {.first = &second, .holds = {true, false}}};
    std::vector<ChannelUser> back{{.first = &first, .holds = {true, false}},
                                  {.first = &second, .holds = {false, true}}};
    arm64->open_channel(there, "there", kernel::ChannelKind::pipe);
    arm64->open_channel(back, "back", kernel::ChannelKind::pipe);
    users[0] = {&first, {true, true}, {back[0].descriptor[0], there[0].descriptor[1]}};
    users[1] = {&second, {true, true}, {there[1].descriptor[0], back[1].descriptor[1]}};
  }

  /// Calls and cycles by cause of a function, wherever it was called from.
  cpu::CallNode total(const std::string& function) const {
    cpu::CallNode sum;
    for (const auto& task : arm64->tasks()) add(task->calls_root, function, sum);
    return sum;
  }
  void add(const cpu::CallNode& node, const std::string& function, cpu::CallNode& sum) const {
    if (functions[node.function].name == function) {
      sum.calls += node.calls;
      for (std::size_t i = 0; i < cpu::kCauses; ++i) sum.cycles[i] += node.cycles[i];
    }
    for (const auto& child : node.children) add(*child, function, sum);
  }
  static std::uint64_t of(const cpu::CallNode& node, Cause cause) {
    return node.cycles[static_cast<std::size_t>(cause)];
  }
};

/// What the switches of a run cost, by cause.
struct Switches {
  unsigned words_cached = 0;  ///< how often user code left one of the two words in a cache
  std::uint64_t calls = 0, hits = 0, misses = 0, schedule_misses = 0;
};

Switches switch_after_eviction(FastPath path) {
  Switches result;
  Arm64Machine machine;
  machine.params.asid.fast_path = path;
  machine.params.scheduler.hz = 1;  // no tick on the way: its way out may pass through __schedule
  machine.start(1);
  const kernel::arm64::PerCpu& per_cpu = machine.arm64->per_cpu();
  machine.after_touch = [&] {
    for (const Address word : {per_cpu.cpu_number(0), per_cpu.per_cpu_offset(0)}) {
      const Address pa = machine.arm64->layout().physical(word);
      for (memory::Cache* cache : {machine.l1[0].get(), &machine.l2})
        result.words_cached += cache->array().find(pa) != memory::CacheArray::kNone;
    }
  };
  machine.ping_pong(20, {0}, {0}, kFootprint);
  machine.run_ms(2000);
  BOOST_TEST(machine.arm64->all_ended());
  const auto misses = [](const cpu::CallNode& node) {
    return Arm64Machine::of(node, Cause::l2_hit) + Arm64Machine::of(node, Cause::llc_hit) +
           Arm64Machine::of(node, Cause::memory);
  };
  const cpu::CallNode check = machine.total("check_and_switch_context");
  result.calls = check.calls;
  result.hits = Arm64Machine::of(check, Cause::l1_hit);
  result.misses = misses(check);
  result.schedule_misses = misses(machine.total("__schedule"));
  return result;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(linux_arm64, Arm64Machine)

BOOST_AUTO_TEST_CASE(a_machine_without_interrupts_between_cpus_is_refused) {
  build_machine(1);
  BOOST_CHECK_EXCEPTION(kernel::arm64::LinuxArm64(context, params), base::ConfigError, [](const auto& e) {
    return std::string(e.what()).find("linux-arm64 needs interrupts between CPUs") != std::string::npos;
  });
}

BOOST_AUTO_TEST_CASE(two_processes_on_one_cpu_switch_mms_at_every_message) {
  start(1);
  ping_pong(20, {0}, {0});
  run_ms(50);
  BOOST_TEST(arm64->all_ended());
  const auto calls = total("check_and_switch_context").calls;
  BOOST_TEST(calls >= 40u);
  BOOST_TEST(calls <= 44u);
  // A switch writes two registers besides the table.
  BOOST_TEST(total("cpu_do_switch_mm").calls == calls);
}

BOOST_AUTO_TEST_CASE(processes_that_sleep_on_cpus_of_their_own_never_switch_mms_but_are_interrupted) {
  start(2);
  ping_pong(20, {0}, {1});
  run_ms(50);
  BOOST_TEST(arm64->all_ended());
  BOOST_TEST(total("check_and_switch_context").calls <= 3u);
  // There is no polling flag: each wake-up of an idle CPU is an interrupt.
  BOOST_TEST(total("handle_IPI").calls >= 39u);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(linux_arm64_eviction)

// User code has evicted the two words from both levels whenever it hands over. The fast path finds them in the first
// level all the same: with them it misses nothing more than without. In between, only __schedule loads them.
BOOST_AUTO_TEST_CASE(schedule_takes_the_misses_of_the_words_that_the_patch_no_longer_loads) {
  const Switches before = switch_after_eviction(FastPath::before);
  const Switches after = switch_after_eviction(FastPath::after);
  BOOST_TEST(before.words_cached == 0u);
  BOOST_TEST(before.misses > 0u);
  BOOST_TEST(before.misses == after.misses);
  BOOST_TEST(before.hits - after.hits == 2 * before.calls * Arm64Machine::kHitCycles);
  BOOST_TEST(before.schedule_misses == after.schedule_misses);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/errors.h"
#include "kernel/machine_fixture.h"
#include "support/fake_cpu.h"

namespace switchyard::test {

using base::Address;
using cpu::AtomicOp;
using cpu::CpuOps;
using kernel::Task;

namespace {

/// Test-and-set locks whose free word is 1.
class LoadAndClearLocks : public kernel::SpinLocks {
 public:
  void arch_spin_lock(CpuOps& cpu, Address lock) override {
    while (cpu.atomic(AtomicOp::swap, lock, 0, 4) == 0)
      cpu.spin_until(
          {lock}, [&] { return cpu.load(lock, 4) != 0; }, cpu::Cause::lock_spin);
  }
  void arch_spin_unlock(CpuOps& cpu, Address lock) override {
    held_twice |= cpu.load(lock, 4) != 0;
    cpu.store(lock, 1, 4);
  }
  std::uint32_t unlocked() const override { return 1; }
  bool held_twice = false;
};

/// Atomic operations under one lock, as machines without such instructions do them.
class LockedAtomics : public kernel::AtomicOps {
 public:
  LockedAtomics(kernel::SpinLocks& locks, Address lock) : locks_(locks), lock_(lock) {}
  std::uint64_t atomic_add(CpuOps& cpu, Address v, std::int64_t delta, unsigned bytes) override {
    return update(cpu, v, bytes, [&](std::uint64_t old) { return old + static_cast<std::uint64_t>(delta); }) +
           static_cast<std::uint64_t>(delta);
  }
  std::uint64_t xchg(CpuOps& cpu, Address v, std::uint64_t value, unsigned bytes) override {
    return update(cpu, v, bytes, [&](std::uint64_t) { return value; });
  }
  std::uint64_t cmpxchg(CpuOps& cpu, Address v, std::uint64_t expected, std::uint64_t value, unsigned bytes) override {
    return update(cpu, v, bytes, [&](std::uint64_t old) { return old == expected ? value : old; });
  }
  std::uint64_t fetch_or(CpuOps& cpu, Address v, std::uint64_t bits, unsigned bytes) override {
    return update(cpu, v, bytes, [&](std::uint64_t old) { return old | bits; });
  }
  std::uint64_t fetch_and(CpuOps& cpu, Address v, std::uint64_t bits, unsigned bytes) override {
    return update(cpu, v, bytes, [&](std::uint64_t old) { return old & bits; });
  }
  unsigned used = 0;

 private:
  template <class F>
  std::uint64_t update(CpuOps& cpu, Address v, unsigned bytes, F next) {
    const bool interrupts = cpu.set_interrupts(false);
    locks_.spin_lock(cpu, lock_);
    ++used;
    const std::uint64_t old = cpu.load(v, bytes);
    cpu.store(v, next(old), bytes);
    locks_.spin_unlock(cpu, lock_);
    cpu.set_interrupts(interrupts);
    return old;
  }
  kernel::SpinLocks& locks_;
  const Address lock_;
};

/// Changes address spaces without ids.
class PlainSwitch : public kernel::MmSwitch {
 public:
  explicit PlainSwitch(cpu::TranslationObserver& observer) : observer_(observer) {}
  void switch_mm(CpuOps& cpu, const kernel::AddressSpace& prev, const kernel::AddressSpace& next) override {
    if (&prev == &next) return;
    cpu.write_translation_base(next.root, 0);
    cpu.flush_tlb({});
    observer_.switched(cpu, next.root);
  }

 private:
  cpu::TranslationObserver& observer_;
};

kernel::LinuxArch bare_arch() {
  kernel::LinuxArch arch;
  arch.map = kernel::kVirtualMap;
  arch.user_text = 0x40000;
  arch.mmap_base = arch.user_end = kernel::kUserEnd;
  arch.register_bytes = 128;
  arch.exception = "intr_save";
  arch.system_call = "linux_gateway_entry";
  arch.make_primitives = [](kernel::Layout& layout, cpu::FunctionTable&, cpu::DebugMemory& memory) {
    auto locks = std::make_unique<LoadAndClearLocks>();
    const Address lock = layout.add_data("atomic_lock", 4, 16);
    locks->spin_lock_init(memory, layout.physical(lock));
    auto atomics = std::make_unique<LockedAtomics>(*locks, lock);
    return kernel::SyncPrimitives{std::move(locks), std::move(atomics)};
  };
  return arch;
}

/// An architecture with locks and atomic operations of its own and no memory management.
class BareLinux : public kernel::Linux {
 public:
  explicit BareLinux(const kernel::KernelContext& context)
      : Linux(context, bare_arch(), {}, {}),
        timer_(*context.sbi),
        ipi_(*context.sbi),
        tables_(services().layout, *context.memory),
        switch_(*context.observer) {
    make_smp(ipi_);
    boot({}, timer_, switch_);
  }
  LoadAndClearLocks& locks() { return dynamic_cast<LoadAndClearLocks&>(services().locks); }
  LockedAtomics& atomics() { return dynamic_cast<LockedAtomics&>(services().atomics); }

 private:
  Address make_page_table(bool user) override { return user ? tables_.build_user() : tables_.build_kernel(); }
  void map_user_page(kernel::AddressSpace& mm, Address va, Address pa, UserPage kind) override {
    tables_.map_user(mm.root, va, pa,
                     kind == UserPage::text ? kernel::kUserText : kernel::kUserData | kernel::kPteDirty);
  }
  kernel::riscv::SbiTimer timer_;
  kernel::riscv::SbiIpiSender ipi_;
  kernel::PageTable tables_;
  PlainSwitch switch_;
};

/// Devices that pass on to firmware and count.
struct CountingTimer : kernel::TimerDevice {
  explicit CountingTimer(interrupt::Sbi& sbi) : inner(sbi) {}
  void set_timer(CpuOps& cpu, std::uint64_t deadline_ps) override {
    ++calls;
    inner.set_timer(cpu, deadline_ps);
  }
  kernel::riscv::SbiTimer inner;
  unsigned calls = 0;
};
struct CountingIpi : kernel::IpiSender {
  explicit CountingIpi(interrupt::Sbi& sbi) : inner(sbi) {}
  void send_ipi(CpuOps& cpu, const base::CpuMask& targets) override {
    ++sent;
    inner.send_ipi(cpu, targets);
  }
  void acknowledge(CpuOps& cpu) override {
    ++acknowledged;
    inner.acknowledge(cpu);
  }
  kernel::riscv::SbiIpiSender inner;
  unsigned sent = 0, acknowledged = 0;
};

struct LinuxTest : MachineTest {
  std::unique_ptr<BareLinux> bare;
  void build_bare(unsigned count) {
    build_machine(count);
    bare = std::make_unique<BareLinux>(context);
  }
  std::string failure(double ms) {
    try {
      run_ms(ms);
    } catch (const std::exception& e) {
      return e.what();
    }
    return "none";
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(linux_base, LinuxTest)

BOOST_AUTO_TEST_CASE(threads_run_with_the_locks_and_atomics_of_the_architecture) {
  build_bare(4);
  unsigned ended = 0;
  bare->spawn_process("main",
                      [&](Task& task) {
                        std::vector<Task*> threads;
                        for (int i = 0; i < 12; ++i)
                          threads.push_back(&bare->spawn_thread(task, "t", -1, [&](Task& me) {
                            for (int k = 0; k < 20; ++k) bare->atomic_add(me, bare->data(me, "n"), 1, 8);
                            bare->compute(me, 200'000);
                            bare->nanosleep(me, 1'000'000);
                            bare->sched_yield(me);
                            ++ended;
                          }));
                        for (Task* thread : threads) bare->join(task, *thread);
                        bare->pin(task, 2);
                      },
                      {{"n", 8, 8, 0}});
  run_ms(100);
  BOOST_TEST_REQUIRE(bare->all_ended());
  BOOST_TEST(ended == 12u);
  const Task& task = *bare->tasks()[4];
  BOOST_TEST(bare->peek(task, bare->data(task, "n"), 8) == 240u);
  BOOST_TEST(!bare->locks().held_twice);
  BOOST_TEST(bare->atomics().used > 12u);
}

BOOST_AUTO_TEST_CASE(entry_functions_and_frame_are_those_of_the_architecture) {
  build_bare(1);
  bare->spawn_process("main", [&](Task& task) { bare->sched_yield(task); });
  run_ms(5);
  std::vector<std::string> names;
  const auto walk = [&](const auto& self, const cpu::CallNode& node) -> void {
    names.push_back(functions[node.function].name);
    for (const auto& child : node.children) self(self, *child);
  };
  walk(walk, bare->tasks()[1]->calls_root);
  BOOST_TEST(std::count(names.begin(), names.end(), "intr_save") == 1);
  BOOST_TEST(std::count(names.begin(), names.end(), "linux_gateway_entry") == 1);
  BOOST_TEST(bare->tasks()[1]->register_bytes == 128u);
  BOOST_TEST(functions[bare->tasks()[1]->user_function].text == 0x40000u);
}

BOOST_AUTO_TEST_CASE(what_the_architecture_does_not_model_is_refused) {
  build_bare(1);
  bare->spawn_process("main", [&](Task& task) { bare->mmap(task, 4096, kernel::MapKind::shared_anonymous); });
  const std::string text = failure(5);
  BOOST_TEST(text.find("main: this kernel does not model mmap") != std::string::npos, text);
}

BOOST_AUTO_TEST_CASE(reclaim_that_the_architecture_does_not_model_is_refused) {
  build_bare(1);
  bare->spawn_process("main", [&](Task& task) { bare->madvise_pageout(task, 0, 4096); });
  const std::string text = failure(5);
  BOOST_TEST(text.find("main: this kernel does not model madvise(MADV_PAGEOUT)") != std::string::npos, text);
}

BOOST_AUTO_TEST_CASE(an_access_to_nothing_is_refused_where_faults_are_not_modelled) {
  build_bare(1);
  bare->spawn_process("main", [&](Task& task) { bare->touch(task, 0x50000, 1, 1, cpu::Access::load); });
  const std::string text = failure(5);
  BOOST_TEST(text.find("main: access to 0x50000, where nothing is mapped; this kernel does not model page faults") !=
                 std::string::npos,
             text);
}

BOOST_AUTO_TEST_CASE(riscv_without_firmware_is_refused) {
  build_machine(1);
  context.sbi = nullptr;
  BOOST_CHECK_EXCEPTION(kernel::riscv::LinuxRiscv(context, {}), base::ConfigError, [](const base::ConfigError& e) {
    return std::string(e.what()) ==
           "kernel.type: linux-riscv needs firmware that serves SBI calls, the machine has none";
  });
}

BOOST_AUTO_TEST_CASE(devices_of_the_machine_go_before_firmware) {
  build_machine(2);
  CountingTimer timer(*sbi);
  CountingIpi ipi(*sbi);
  context.timer = &timer;
  context.ipi_sender = &ipi;
  kernel = std::make_unique<kernel::riscv::LinuxRiscv>(context, kernel::riscv::LinuxRiscvParams{});
  kernel->spawn_process("main", [&](Task& task) {
    Task& other = kernel->spawn_thread(task, "t", 1, [&](Task& me) { kernel->nanosleep(me, 1'000'000'000); });
    kernel->join(task, other);
  });
  run_ms(20);
  BOOST_TEST(kernel->all_ended());
  BOOST_TEST(timer.calls > 0u);
  BOOST_TEST(ipi.sent > 0u);
  BOOST_TEST(ipi.acknowledged > 0u);
}

BOOST_AUTO_TEST_CASE(native_atomics_return_what_the_kernel_expects_of_each) {
  FakeCpu cpu;
  kernel::NativeAtomics atomics;
  kernel::AtomicOps& ops = atomics;
  BOOST_TEST(ops.atomic_add(cpu, 0x100, -1) == 0xffffffffu);
  BOOST_TEST(cpu.memory().peek(0x100) == 0xffffffffu);
  BOOST_TEST(ops.atomic_add(cpu, 0x100, 3) == 2u);
  BOOST_TEST(ops.xchg(cpu, 0x100, 7) == 2u);
  BOOST_TEST(ops.cmpxchg(cpu, 0x100, 6, 9) == 7u);
  BOOST_TEST(ops.cmpxchg(cpu, 0x100, 7, 9) == 7u);
  BOOST_TEST(ops.fetch_or(cpu, 0x100, 6) == 9u);
  BOOST_TEST(ops.fetch_and(cpu, 0x100, 8) == 15u);
  BOOST_TEST(cpu.memory().peek(0x100) == 8u);
  BOOST_TEST(cpu.trace().size() == 7u);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

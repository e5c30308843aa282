// SPDX-License-Identifier: Apache-2.0
#include <boost/test/unit_test.hpp>
#include <memory>
#include <string>
#include <vector>

#include "base/errors.h"
#include "cpu/cpu.h"
#include "cpu/translation_check.h"
#include "interrupt/pa_external.h"
#include "kernel/interval_timer_device.h"
#include "kernel/linux_parisc.h"
#include "memory/bus.h"
#include "memory/cache.h"
#include "memory/interconnect.h"
#include "memory/memory.h"
#include "support/sim_test.h"

/// mmap, faults and munmap of linux-parisc on a whole machine, with the stale-translation check on.
namespace switchyard::test {

using base::Address;
using kernel::FlushMutation;
using kernel::MapKind;
using kernel::Task;

namespace {

constexpr std::uint64_t kPages = 4, kBytes = kPages * 4096;

struct MunmapMachine : SimTest {
  cpu::FunctionTable functions;
  memory::Bus bus{"bus", {}};
  memory::Memory ram{"ram", {}};
  memory::SnoopBus fabric{"fabric", {}};
  interrupt::PaExternal irq{"irq", {}};
  std::vector<std::unique_ptr<cpu::Cpu>> cpus;
  std::vector<std::unique_ptr<memory::Cache>> l1;
  kernel::FabricIpiSender ipi{irq};
  kernel::IntervalTimerDevice timer{irq};
  std::unique_ptr<cpu::TranslationCheck> check;
  kernel::parisc::LinuxPariscParams params;
  std::unique_ptr<kernel::parisc::LinuxParisc> kernel;

  cpu::CpuParams cpu_params;

  void build(unsigned count, FlushMutation mutation = FlushMutation::none) {
    bind_ports(bus.initiator("out"), ram.target("in"));
    bus.route("out", ram.address_range());
    bind_ports(bus.initiator("out"), irq.target("in"));
    bus.route("out", irq.address_range());
    bind_ports(fabric.initiator("mem"), bus.target("in"));
    std::vector<cpu::LogicalCpu*> logical;
    for (unsigned i = 0; i < count; ++i) {
      cpus.push_back(std::make_unique<cpu::Cpu>(("cpu" + std::to_string(i)).c_str(), cpu_params));
      cpus[i]->set_id(i);
      l1.push_back(std::make_unique<memory::Cache>(("l1_" + std::to_string(i)).c_str(), memory::CacheParams{}));
      bind_ports(cpus[i]->initiator("data"), l1[i]->target("cpu"));
      bind_ports(l1[i]->initiator("mem"), fabric.target("cpu"));
      irq.connect_interrupt("ssip", cpus[i]->interrupt_in("ssip"));
      irq.connect_interrupt("itimer", cpus[i]->interrupt_in("seip"));
      logical.push_back(cpus[i].get());
    }
    tlm::tlm_global_quantum::instance().set(sc_core::SC_ZERO_TIME);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    check = std::make_unique<cpu::TranslationCheck>(logical, functions);
    kernel::KernelContext context;
    context.cpus = logical;
    context.memory = &cpus[0]->debug_memory();
    context.ram_base = 0x80200000;
    context.ram_size = 64 << 20;
    context.functions = &functions;
    context.observer = check.get();
    context.ipi_sender = &ipi;
    context.timer = &timer;
    kernel = std::make_unique<kernel::parisc::LinuxParisc>(context, params, mutation);
  }
  std::uint64_t count(const std::string& name) const {
    for (const auto* counter : kernel->stats().counters())
      if (counter->name() == name) return counter->value();
    throw std::runtime_error("no counter " + name);
  }
  std::string outcome() {
    try {
      sc_core::sc_start(sc_core::sc_time(100, sc_core::SC_MS));
    } catch (const std::exception& e) {
      return e.what();
    }
    return kernel->all_ended() ? "ended" : "still running";
  }
  /// A thread on CPU 1 uses the pages, the first one maps others in their place, and the thread uses those.
  void remap_under_a_thread() {
    kernel->spawn_process("main", [this](Task& task) {
      const Address first = kernel->mmap(task, kBytes, MapKind::private_anonymous);
      kernel->spawn_thread(task, "user", 1, [this, first](Task& me) {
        kernel->touch(me, first, kBytes, 4096, cpu::Access::store);
        kernel->nanosleep(me, 4'000'000'000);
        kernel->touch(me, first, kBytes, 4096, cpu::Access::store);
      });
      kernel->pin(task, 0);
      kernel->nanosleep(task, 2'000'000'000);
      kernel->munmap(task, first, kBytes);
      second_start = kernel->mmap(task, kBytes, MapKind::private_anonymous);
      first_start = first;
    });
  }
  void require_caught() {
    const std::string text = outcome();
    BOOST_TEST(text.find("stale translation: CPU 1 ") != std::string::npos, text);
    BOOST_TEST(text.find("flush_tlb_range owed the flush") != std::string::npos, text);
  }
  Address first_start = 0, second_start = 1;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(munmap, MunmapMachine)

BOOST_AUTO_TEST_CASE(pages_come_at_the_first_access_and_again_after_munmap) {
  build(2);
  remap_under_a_thread();
  BOOST_TEST(outcome() == "ended");
  BOOST_TEST(first_start == second_start);
  BOOST_TEST(count("page_faults") == 2 * kPages);
  BOOST_TEST(count("tlb_purges") == kPages);
}

BOOST_AUTO_TEST_CASE(the_flush_of_munmap_is_missed) {
  build(2, FlushMutation::flush_tlb_range);
  remap_under_a_thread();
  require_caught();
}

BOOST_AUTO_TEST_CASE(the_broadcast_of_a_purge_is_missed) {
  build(2, FlushMutation::broadcast);
  remap_under_a_thread();
  require_caught();
}

BOOST_AUTO_TEST_CASE(a_large_range_flushes_every_cpu_by_interrupt) {
  params.tlb.flush_threshold = {kBytes};
  build(2);
  remap_under_a_thread();
  BOOST_TEST(outcome() == "ended");
  BOOST_TEST(count("tlb_flush_all") == 1u);
  BOOST_TEST(count("tlb_purges") == 0u);
}

BOOST_AUTO_TEST_CASE(a_tlb_that_software_refills_enters_the_kernel_at_each_miss_of_a_user_page) {
  cpu_params.page_walk.software = true;
  build(2);
  remap_under_a_thread();
  BOOST_TEST(outcome() == "ended");
  BOOST_TEST(count("page_faults") == 2 * kPages);
  BOOST_TEST(count("tlb_refills") >= 4 * kPages);  // before each fault and after it
}

BOOST_AUTO_TEST_CASE(a_tlb_that_hardware_refills_does_not) {
  build(2);
  remap_under_a_thread();
  BOOST_TEST(outcome() == "ended");
  BOOST_TEST(count("tlb_refills") == 0u);
}

BOOST_AUTO_TEST_CASE(threads_that_map_and_unmap_at_once_do_not_disturb_each_other) {
  build(2);
  kernel->spawn_process("main", [this](Task& task) {
    for (int t = 0; t < 2; ++t)
      kernel->spawn_thread(task, "mapper", t, [this](Task& me) {
        for (int k = 0; k < 10; ++k) {
          const Address p = kernel->mmap(me, kBytes, MapKind::private_anonymous);
          kernel->touch(me, p, kBytes, 4096, cpu::Access::store);
          kernel->munmap(me, p, kBytes);
        }
      });
  });
  BOOST_TEST(outcome() == "ended");
  BOOST_TEST(count("page_faults") == 2 * 10 * kPages);
  BOOST_TEST(count("tlb_purges") == 2 * 10 * kPages);
}

BOOST_AUTO_TEST_CASE(an_access_after_munmap_is_a_fault_of_the_program) {
  build(1);
  kernel->spawn_process("main", [this](Task& task) {
    const Address p = kernel->mmap(task, kBytes, MapKind::private_anonymous);
    kernel->touch(task, p, kBytes, 4096, cpu::Access::load);
    kernel->munmap(task, p, kBytes);
    kernel->touch(task, p, kBytes, 4096, cpu::Access::load);
  });
  outcome();
  BOOST_TEST(kernel->input_fault().find("where nothing is mapped") != std::string::npos, kernel->input_fault());
}

BOOST_AUTO_TEST_CASE(shared_memory_and_parts_of_mappings_are_refused) {
  build(1);
  std::vector<std::string> refused;
  const auto refuse = [&](const std::function<void()>& call) {
    try {
      call();
    } catch (const base::ConfigError& error) {
      refused.push_back(error.what());
    }
  };
  kernel->spawn_process("main", [&](Task& task) {
    refuse([&] { kernel->mmap(task, kBytes, MapKind::shared_anonymous); });
    const Address p = kernel->mmap(task, kBytes, MapKind::private_anonymous);
    refuse([&] { kernel->munmap(task, p, 4096); });
    refuse([&] { kernel->munmap(task, p + 4096, kBytes - 4096); });
  });
  BOOST_TEST(outcome() == "ended");
  BOOST_TEST_REQUIRE(refused.size() == 3u);
  BOOST_TEST(refused[0] == "main: this kernel models mmap of private memory only; set kind: private");
  BOOST_TEST(refused[1] == "main: munmap of 0x2000000000, 4096 bytes: must be one mapping, as a whole");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

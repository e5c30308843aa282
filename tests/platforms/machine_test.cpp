// SPDX-License-Identifier: Apache-2.0
#include "platforms/machine.h"

#include <unistd.h>

#include "platforms/platform_fixture.h"

namespace switchyard::test {

using interrupt::IpiFabric;

namespace {

const std::string kTwoKinds = R"(schema: 1
modules:
  small: {type: memory, params: {base: 0x1000000, size: 1 MiB}}
  big: {type: cpu, params: {clock: 2 GHz}}
  little: {type: cpu, count: 2, params: {clock: 1 GHz}}
  bus: {type: bus}
  ram: {type: memory, params: {base: 0x80000000, size: 1 GiB}}
  clint: {type: clint, params: {base: 0x2000000}}
  sswi: {type: sswi, params: {base: 0x2f00000}}
wires:
  - {from: big.data, to: bus.in}
  - {from: "little[*].data", to: bus.in}
  - {from: bus.out, to: small.in}
  - {from: bus.out, to: ram.in}
  - {from: bus.out, to: clint.in}
  - {from: bus.out, to: sswi.in}
  - {from: clint.msip, to: big.msip}
  - {from: clint.msip, to: "little[*].msip"}
  - {from: sswi.ssip, to: big.ssip}
  - {from: sswi.ssip, to: "little[*].ssip"}
)";

/// A machine that is built but not elaborated.
struct MachineFixture : PlatformTest {
  SimTest context;
  std::unique_ptr<platforms::LoadedRun> run;
  std::unique_ptr<platforms::Machine> machine;

  void build(const std::string& text) {
    run = load({write("machine.yaml", text)});
    machine = std::make_unique<platforms::Machine>(run->config, run->provenance);
  }
  ~MachineFixture() { machine.reset(); }
};

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  const std::size_t at = text.find(what);
  BOOST_TEST_REQUIRE(at != std::string::npos);
  return text.replace(at, what.size(), with);
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(machine, MachineFixture)

BOOST_AUTO_TEST_CASE(cpus_are_numbered_in_the_order_of_the_file) {
  build(kTwoKinds);
  BOOST_TEST_REQUIRE(machine->cpus().size() == 3u);
  for (unsigned i = 0; i < 3; ++i) BOOST_TEST(machine->cpus()[i]->id() == i);
  BOOST_TEST(machine->cpus()[0]->clock_hz() == 2'000'000'000u);
  BOOST_TEST(machine->cpus()[1]->clock_hz() == 1'000'000'000u);
}

BOOST_AUTO_TEST_CASE(ram_is_the_largest_memory_mapped_module) {
  build(kTwoKinds);
  BOOST_TEST(machine->ram().base == 0x80000000u);
  BOOST_TEST(machine->ram().size == 1u << 30);
}

BOOST_AUTO_TEST_CASE(interrupt_fabrics_are_found_by_the_mode_that_they_enter) {
  build(kTwoKinds);
  const IpiFabric* clint = machine->ipi_fabric(IpiFabric::Mode::machine);
  const IpiFabric* sswi = machine->ipi_fabric(IpiFabric::Mode::supervisor);
  BOOST_TEST_REQUIRE(clint != nullptr);
  BOOST_TEST_REQUIRE(sswi != nullptr);
  BOOST_TEST(clint->base() == 0x2000000u);
  BOOST_TEST(clint->harts() == 3u);
  BOOST_TEST(sswi->base() == 0x2f00000u);
}

BOOST_AUTO_TEST_CASE(a_machine_without_an_sswi_has_no_supervisor_fabric) {
  build(kMachine);
  BOOST_TEST(machine->ipi_fabric(IpiFabric::Mode::supervisor) == nullptr);
}

BOOST_AUTO_TEST_CASE(modules_are_labelled_as_the_file_names_them) {
  build(kMachine);
  BOOST_TEST(machine->arrays()[0].label(1) == "hart[1]");
  BOOST_TEST(machine->arrays()[2].label(0) == "l2");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(elaboration, PlatformTest)

BOOST_AUTO_TEST_CASE(a_longer_line_above_a_shorter_one_is_refused_with_both) {
  const std::string text = replaced(kMachine, "size: 32 KiB", "size: 32 KiB, line: 128 B");
  BOOST_TEST(refusal(text) ==
             "machine.yaml:5: modules.l2: line of 64 B is shorter than the 128 B of l1_0 above it; the lower level's "
             "line must be at least as long");
}

BOOST_AUTO_TEST_CASE(a_shorter_line_above_a_longer_one_is_accepted) {
  BOOST_TEST(refusal(replaced(kMachine, "size: 256 KiB", "size: 256 KiB, line: 128 B")) == "nothing was refused");
}

BOOST_AUTO_TEST_CASE(caches_above_with_different_lines_are_refused_with_both) {
  const std::string text =
      replaced(replaced(kMachine, "  l1: {type: cache, count: 2, params: {size: 32 KiB}}\n",
                        "  l1: {type: cache, params: {size: 32 KiB, line: 32 B}}\n"
                        "  m1: {type: cache, params: {size: 32 KiB, line: 64 B}}\n"),
               "  - {from: \"hart[*].data\", to: \"l1[*].cpu\"}\n  - {from: \"l1[*].mem\", to: l2.cpu}\n",
               "  - {from: \"hart[0].data\", to: l1.cpu}\n  - {from: \"hart[1].data\", to: m1.cpu}\n"
               "  - {from: l1.mem, to: l2.cpu}\n  - {from: m1.mem, to: l2.cpu}\n");
  BOOST_TEST(refusal(text) == "machine.yaml:6: modules.l2: caches above have lines of 32 B and 64 B; they must agree");
}

BOOST_AUTO_TEST_CASE(a_clint_that_misses_a_hart_is_refused) {
  const std::string text = replaced(replaced(kMachine, "hart[*].msip", "hart[0].msip"), "hart[*].mtip", "hart[0].mtip");
  BOOST_TEST(refusal(text) == "wires: the clint interrupts 1 harts, the machine has 2 CPUs");
}

BOOST_AUTO_TEST_CASE(a_clint_with_fewer_timers_than_software_interrupts_is_refused) {
  BOOST_TEST(refusal(replaced(kMachine, "hart[*].mtip", "hart[0].mtip")) ==
             "machine.yaml:8: modules.clint: msip has 2 wires, mtip 1; every hart needs both");
}

BOOST_AUTO_TEST_CASE(a_supervisor_fabric_that_misses_a_hart_is_refused) {
  const std::string text =
      replaced(replaced(kMachine, "wires:\n", "  sswi: {type: sswi}\nwires:\n"),
               "firmware:", "  - {from: bus.out, to: sswi.in}\n  - {from: sswi.ssip, to: \"hart[0].ssip\"}\nfirmware:");
  BOOST_TEST(refusal(text) == "wires: the sswi interrupts 1 harts, the machine has 2 CPUs");
}

BOOST_AUTO_TEST_CASE(overlapping_targets_of_a_bus_are_refused_with_both_ranges) {
  BOOST_TEST(refusal(replaced(kMachine, "base: 0x80000000, size: 1 GiB", "base: 0x2000000, size: 1 GiB")) ==
             "machine.yaml:6: modules.bus: targets on port out overlap: 0x2000000 + 0x40000000 and 0x2000000 + "
             "0x10000");
}

BOOST_AUTO_TEST_CASE(a_machine_without_memory_is_refused) {
  const std::string text =
      replaced(replaced(kMachine, "  ram: {type: memory, params: {base: 0x80000000, size: 1 GiB}}\n", ""),
               "  - {from: bus.out, to: ram.in}\n", "");
  BOOST_TEST(refusal(text).find("the largest memory, which starts at 0x2000000") != std::string::npos);  // the CLINT
}

BOOST_AUTO_TEST_CASE(a_memory_too_small_for_a_kernel_is_refused) {
  BOOST_TEST(refusal(replaced(kMachine, "size: 1 GiB", "size: 65 MiB")) ==
             "modules: the largest memory has 65 MiB; firmware and kernel need 66 MiB");
}

BOOST_AUTO_TEST_CASE(firmware_without_an_interrupt_device_is_refused) {
  std::string text = replaced(kMachine, "  clint: {type: clint}\n", "");
  for (const char* wire : {"  - {from: bus.out, to: clint.in}\n", "  - {from: clint.msip, to: \"hart[*].msip\"}\n",
                           "  - {from: clint.mtip, to: \"hart[*].mtip\"}\n"})
    text = replaced(text, wire, "");
  BOOST_TEST(refusal(text) ==
             "firmware: type 'opensbi' needs an interrupt device for machine mode; add a module of type clint");
}

BOOST_AUTO_TEST_CASE(a_clint_without_timer_wires_is_refused) {
  BOOST_TEST(refusal(replaced(kMachine, "  - {from: clint.mtip, to: \"hart[*].mtip\"}\n", "")) ==
             "machine.yaml:8: modules.clint: msip has 2 wires, mtip 0; every hart needs both");
}

BOOST_AUTO_TEST_CASE(caches_that_share_only_a_bus_are_refused) {
  const std::string text = replaced(replaced(kMachine, "\"l1[*].mem\", to: l2.cpu", "\"l1[*].mem\", to: bus.in"),
                                    "  - {from: l2.mem, to: bus.in}\n", "");
  const std::string without_l2 = replaced(text, "  l2: {type: cache, params: {size: 256 KiB}}\n", "");
  BOOST_TEST(refusal(without_l2) ==
             "machine.yaml:5: modules.bus: 2 caches are wired to port in; a bus keeps no directory, they need a common "
             "cache");
}

BOOST_AUTO_TEST_CASE(memory_beyond_the_linear_map_is_refused) {
  BOOST_TEST(refusal(replaced(kMachine, "size: 1 GiB", "size: 300 GiB")) ==
             "kernel.params.layout.memory: the linear map holds 123 GiB, the kernel is given 299; set it to less, or "
             "the size of the memory module");
}

BOOST_AUTO_TEST_CASE(firmware_memory_outside_of_the_start_of_ram_is_refused) {
  BOOST_TEST(refusal(replaced(kMachine, "{type: opensbi}", "{type: opensbi, params: {memory: 0x80400000}}")) ==
             "firmware.params.memory: 0x80400000 is not in the first 2 MiB of the largest memory, which starts at "
             "0x80000000");
}

BOOST_AUTO_TEST_CASE(a_module_name_with_a_blank_is_refused) {
  BOOST_TEST(refusal(replaced(kMachine, "  ram: {", "  \"ra m\": {"))
                 .find("'ra m' is no name for a module; use letters, digits, - and _, a letter first") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(more_than_1024_cpus_are_refused) {
  BOOST_TEST(refusal("schema: 1\nmodules:\n  a: {type: cpu, count: 512, params: {clock: 1 GHz}}\n  b: {type: cpu, "
                     "count: 513, params: {clock: 1 GHz}}\n") ==
             "modules: 1025 logical CPUs; at most 1024 are possible");
}

BOOST_AUTO_TEST_CASE(caches_beyond_half_of_the_host_are_refused_before_anything_is_built) {
  // Data and 40 B of bookkeeping per 64 B line.
  const std::uint64_t need_mib = 512 * (4096 + 4096 / 64 * 40);
  const auto host_mib =
      static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) >> 20;
  BOOST_TEST_REQUIRE(need_mib > host_mib / 2);
  const std::string text = refusal("schema: 1\nmodules:\n  l1: {type: cache, count: 512, params: {size: 4 GiB}}\n");
  BOOST_TEST(text.find(fmt::format("the caches of this machine need {} MiB of host memory, more than half of the {} "
                                   "MiB here",
                                   need_mib, host_mib)) != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_part_of_a_configuration_elaborates) {
  BOOST_TEST(refusal("schema: 1\nkernel: {params: {unmap: {batched: true}}}\n") == "nothing was refused");
  BOOST_TEST(refusal("schema: 1\nmodules:\n  ram: {type: memory}\n") ==
             "machine.yaml:3: modules.ram: port ram.in is not wired");
}

BOOST_AUTO_TEST_CASE(a_run_needs_modules_cpus_and_a_workload) {
  const std::string workload = program("        - compute: {instructions: 1}\n");
  BOOST_TEST(error_of([&] { run({write("w.yaml", workload)}); }) == "modules: there are none; give a platform file");
  BOOST_TEST(error_of([&] { run({write("m.yaml", kMachine)}); }) ==
             "workload.processes: there are none; give a workload file");
  BOOST_TEST(error_of([&] {
               run({write("m.yaml", "schema: 1\nmodules: {bus: {type: bus}}\n"), write("w.yaml", workload)});
             }) == "modules: no module is a CPU");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

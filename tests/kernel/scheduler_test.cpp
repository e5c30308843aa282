// SPDX-License-Identifier: Apache-2.0
#include "kernel/machine_fixture.h"

namespace switchyard::test {

using kernel::MapKind;
using kernel::Task;

BOOST_FIXTURE_TEST_SUITE(scheduler, MachineTest)

BOOST_AUTO_TEST_CASE(a_single_task_runs_to_its_end) {
  build(1);
  bool done = false;
  kernel->spawn_process("main", [&](Task& task) {
    kernel->compute(task, 1000);
    done = true;
  });
  run_ms(1);
  BOOST_TEST(done);
  BOOST_TEST(kernel->all_ended());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

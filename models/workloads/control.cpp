// SPDX-License-Identifier: Apache-2.0
#include "workloads/control.h"

namespace switchyard::workloads {

void Loop::run(Process& process, kernel::Task& task) const {
  if (run_ != 0) return run_shared(process, task);
  LoopObserver* observer = measure_ ? process.observer() : nullptr;
  for (std::uint64_t i = 0; forever_ || i < count_; ++i) {
    if (observer != nullptr && !observer->iteration(task, name_, i, count_)) return;
    body_.run(process, task);
    process.kernel().user_checkpoint(task);
  }
  if (observer != nullptr) observer->iteration(task, name_, count_, count_);
}

void Loop::run_shared(Process& process, kernel::Task& task) const {
  LoopObserver* observer = measure_ ? process.observer() : nullptr;
  const auto turn = [&](std::uint64_t done) {
    if (observer != nullptr) return observer->shared_iteration(task, name_, done, run_, count_);
    return done < run_ ? SharedTurn::iterate : SharedTurn::end;
  };
  for (std::uint64_t done = 0;;) {
    switch (turn(done)) {
      case SharedTurn::iterate:
        body_.run(process, task);
        process.kernel().user_checkpoint(task);
        ++done;
        break;
      case SharedTurn::wait:
        process.kernel().wait_for_completion(task, observer->shared_end());
        break;
      case SharedTurn::wake:
        process.kernel().complete_all(task, observer->shared_end());
        break;
      case SharedTurn::end:
        return;
    }
  }
}

void Spawn::run(Process& process, kernel::Task& task) const {
  const Program& program = process.program(params_.program);
  for (std::uint64_t i = 0; i < params_.count; ++i) {
    const int pin = params_.pin == PinKind::each ? static_cast<int>(i % process.cpus()) : -1;
    const std::uint64_t index = process.next_thread_index(params_.program);
    process.add_thread(params_.program, process.kernel().spawn_thread(
                                            task, params_.program, pin,
                                            [shared = process.shared_from_this(), &program, index](kernel::Task& self) {
                                              shared->set_thread_index(self, index);
                                              program.run(*shared, self);
                                            }));
  }
}

// Nothing of the child stays on this stack: the task may be torn down while it waits in the system call.
void Fork::run(Process& process, kernel::Task& task) const {
  const Program& program = process.program(params_.program);
  for (std::uint64_t i = 0; i < params_.count; ++i)
    process.kernel().fork(task, params_.program, [child = process.fork(task), &program, i](kernel::Task& self) {
      child->set_thread_index(self, i);
      program.run(*child, self);
    });
}

void Wait::run(Process& process, kernel::Task& task) const {
  for (std::uint64_t i = 0; params_.count == 0 || i < params_.count; ++i)
    if (!process.kernel().wait_for_child(task)) return;
}

void Exec::run(Process& process, kernel::Task& task) const {
  process.exec();
  process.kernel().exec(task, params_.program);
  process.program(params_.program).run(process, task);
  process.kernel().exit(task);
}

void Cancel::run(Process& process, kernel::Task& task) const {
  for (kernel::Task* thread : process.threads(params_.program)) process.kernel().cancel(task, *thread);
}

void Join::run(Process& process, kernel::Task& task) const {
  for (kernel::Task* thread : process.threads(params_.program)) process.kernel().join(task, *thread);
}

void Pin::run(Process& process, kernel::Task& task) const {
  process.kernel().pin(task, static_cast<unsigned>(params_.cpu % process.cpus()));
}

}  // namespace switchyard::workloads

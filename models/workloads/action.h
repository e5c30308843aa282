// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/registry.h"
#include "kernel/kernel.h"
#include "workloads/loop_observer.h"

namespace switchyard::workloads {

class Action;
class Process;

/// A step of a program as the configuration has it: the action's name and its parameters.
using Steps = std::vector<std::pair<std::string, std::unique_ptr<base::ParamSet>>>;

/// Actions that a program step can name.
using ActionRegistry = base::Registry<Action>;

/// A compiled program: actions in order.
class Program {
 public:
  Program() = default;
  Program(const Steps& steps, const ActionRegistry& registry);
  void run(Process& process, kernel::Task& task) const;
  /// Names that the steps use but nobody defines, as "action: what"; empty when all is well. For checks without a run.
  void collect(std::vector<const Action*>& actions) const;

 private:
  std::vector<std::unique_ptr<Action>> actions_;
};

/// One thing that user code does: a computation, accesses, or a system call.
class Action {
 public:
  virtual ~Action() = default;
  virtual void run(Process& process, kernel::Task& task) const = 0;
  /// The actions inside this one.
  virtual void collect(std::vector<const Action*>&) const {}
  /// The program whose threads this action starts, cancels or waits for; empty for none.
  virtual std::string program_used() const { return ""; }
  /// The name of a program that this action starts threads of; empty for none.
  virtual std::string program_spawned() const { return ""; }
  /// Region that this action uses, or makes; empty for none.
  virtual std::string region_used() const { return ""; }
  virtual std::string region_made() const { return ""; }
};

/// What the threads of one process share: its regions and threads by name.
class Process {
 public:
  struct Region {
    base::Address va = 0;
    std::uint64_t size = 0;
  };
  Process(kernel::Kernel& kernel, unsigned cpus, const std::map<std::string, Program>& programs, LoopObserver* observer)
      : kernel_(kernel), cpus_(cpus), programs_(programs), observer_(observer) {}

  kernel::Kernel& kernel() { return kernel_; }
  /// Number of logical CPUs of the machine.
  unsigned cpus() const { return cpus_; }
  LoopObserver* observer() { return observer_; }
  const Program& program(const std::string& name) const;
  void add_region(const std::string& name, Region region) { regions_[name] = region; }
  /// Throws base::CheckError when no mmap with that name has run.
  const Region& region(const std::string& name) const;
  void add_thread(const std::string& name, kernel::Task& task) { threads_[name].push_back(&task); }
  /// Throws base::CheckError when no spawn with that name has run.
  const std::vector<kernel::Task*>& threads(const std::string& name) const;

 private:
  kernel::Kernel& kernel_;
  unsigned cpus_;
  const std::map<std::string, Program>& programs_;
  LoopObserver* observer_;
  std::map<std::string, Region> regions_;
  std::map<std::string, std::vector<kernel::Task*>> threads_;
};

}  // namespace switchyard::workloads

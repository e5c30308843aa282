// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/action.h"

namespace switchyard::workloads {

/// `loop: {name: reclaim, count: 10000, measure: true, body: [...]}`
struct LoopParams : base::ParamSet {
  explicit LoopParams(const ActionRegistry& actions) : registry(&actions) {}
  std::string name = "loop";
  std::uint64_t count = 1;
  std::uint64_t run = 0;
  bool forever = false;
  bool measure = false;
  Steps body;
  const ActionRegistry* registry;
  void visit(base::ParamVisitor& v) override {
    v.value({"name", "Name in results"}, name);
    v.value({"count", "Number of iterations", "iterations"}, count, {1, 1e15});
    v.value(
        {"run",
         "For a loop that several threads run: how many iterations of each thread are measured in place of count, to "
         "which results are scaled. A thread that has made its own waits for the others, as if it had ended; "
         "afterwards all go on to the same number. 0 means count, measured on one thread",
         "iterations"},
        run, {0, 1e15});
    v.value({"forever", "Repeats until the thread is cancelled; count is ignored"}, forever);
    v.value({"measure", "The loop whose iterations the run measures: warm-up, convergence and results refer to it"},
            measure);
    v.steps({"body", "Steps of one iteration", "", true}, body, *registry);
  }
  std::string check() const override {
    if (body.empty()) return "body is empty: such a loop takes no simulated time and might never end";
    if (run > count) return "run is " + std::to_string(run) + ", more than the count of " + std::to_string(count);
    if (run != 0 && forever) return "a loop cannot both run a number of iterations and go on forever";
    return forever && measure ? "a loop cannot be both forever and measured: its count scales the results" : "";
  }
};
/// Repeats steps.
class Loop : public Action {
 public:
  using Params = LoopParams;
  explicit Loop(const Params& params)
      : name_(params.name),
        count_(params.count),
        run_(params.run),
        forever_(params.forever),
        measure_(params.measure),
        body_(params.body, *params.registry) {}
  void run(Process& process, kernel::Task& task) const override;
  void collect(std::vector<const Action*>& actions) const override { body_.collect(actions); }
  bool measured() const { return measure_; }
  bool is_shared() const { return run_ != 0; }
  const std::string& name() const { return name_; }

 private:
  const std::string name_;
  void run_shared(Process& process, kernel::Task& task) const;

  const std::uint64_t count_, run_;
  const bool forever_, measure_;
  const Program body_;
};

enum class PinKind : std::uint8_t { none, each };
inline constexpr std::array<std::string_view, 2> kPinNames{"none", "each"};
/// `spawn: {program: sleeper, count: 4, pin: each}`
struct SpawnParams : base::ParamSet {
  std::string program;
  std::uint64_t count = 1;
  PinKind pin = PinKind::none;
  void visit(base::ParamVisitor& v) override {
    v.value({"program", "Program that the new threads run; also their name", "", true}, program);
    v.value({"count", "Number of threads", "threads"}, count, {1, 100000});
    v.choice({"pin", "`each`: thread i runs on CPU i (modulo their number) only"}, pin, kPinNames);
  }
};
/// Starts threads of this process.
class Spawn : public Action {
 public:
  using Params = SpawnParams;
  explicit Spawn(const Params& params) : params_(params) {}
  void run(Process& process, kernel::Task& task) const override;
  std::string program_used() const override { return params_.program; }
  std::string program_spawned() const override { return params_.program; }

 private:
  const Params params_;
};

/// `fork: {program: child, count: 20}`
struct ForkParams : base::ParamSet {
  std::string program;
  std::uint64_t count = 1;
  void visit(base::ParamVisitor& v) override {
    v.value({"program", "Program that the children run; also their name", "", true}, program);
    v.value({"count", "Number of children, one after the other", "processes"}, count, {1, 100000});
  }
};
/// fork(2): children with copies of memory, files and channels. Child i is number i to what counts threads (`each`).
class Fork : public Action {
 public:
  using Params = ForkParams;
  explicit Fork(const Params& params) : params_(params) {}
  void run(Process& process, kernel::Task& task) const override;
  std::string program_forked() const override { return params_.program; }

 private:
  const Params params_;
};

/// `wait: {count: 1}`
struct WaitParams : base::ParamSet {
  std::uint64_t count = 0;
  void visit(base::ParamVisitor& v) override {
    v.value({"count", "Children to wait for; 0 means all that there are", "processes"}, count, {0, 1e9});
  }
};
/// wait4(2) for children, whichever end first.
class Wait : public Action {
 public:
  using Params = WaitParams;
  explicit Wait(const Params& params) : params_(params) {}
  void run(Process& process, kernel::Task& task) const override;

 private:
  const Params params_;
};

/// `exec: {program: cc1}`
struct ExecParams : base::ParamSet {
  std::string program;
  void visit(base::ParamVisitor& v) override {
    v.value({"program", "Program that this process goes on with", "", true}, program);
  }
};
/// execve(2): memory is dropped, files and channels stay. Ends like exit when the program does.
class Exec : public Action {
 public:
  using Params = ExecParams;
  explicit Exec(const Params& params) : params_(params) {}
  void run(Process& process, kernel::Task& task) const override;
  std::string program_executed() const override { return params_.program; }

 private:
  const Params params_;
};

/// `exit: {}`
struct ExitParams : base::ParamSet {
  void visit(base::ParamVisitor&) override {}
};
/// exit(2) of the calling thread, in the middle of a program.
class Exit : public Action {
 public:
  using Params = ExitParams;
  explicit Exit(const Params&) {}
  void run(Process& process, kernel::Task& task) const override { process.kernel().exit(task); }
};

/// `cancel: {program: sleeper}`
struct ThreadsParams : base::ParamSet {
  std::string program;
  void visit(base::ParamVisitor& v) override {
    v.value({"program", "All threads spawned with this program", "", true}, program);
  }
};
/// pthread_cancel of threads.
class Cancel : public Action {
 public:
  using Params = ThreadsParams;
  explicit Cancel(const Params& params) : params_(params) {}
  void run(Process& process, kernel::Task& task) const override;
  std::string program_used() const override { return params_.program; }

 private:
  const Params params_;
};
/// pthread_join of threads.
class Join : public Action {
 public:
  using Params = ThreadsParams;
  explicit Join(const Params& params) : params_(params) {}
  void run(Process& process, kernel::Task& task) const override;
  std::string program_used() const override { return params_.program; }

 private:
  const Params params_;
};

/// `pin: {cpu: 0}`
struct PinParams : base::ParamSet {
  std::uint64_t cpu = 0;
  void visit(base::ParamVisitor& v) override {
    v.value({"cpu", "The only CPU that may run this thread; modulo their number", "", true}, cpu);
  }
};
/// sched_setaffinity(2) of the calling thread to one CPU.
class Pin : public Action {
 public:
  using Params = PinParams;
  explicit Pin(const Params& params) : params_(params) {}
  void run(Process& process, kernel::Task& task) const override;

 private:
  const Params params_;
};

}  // namespace switchyard::workloads

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/params.h"
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

/// `data: {counters: {size: 64 B, alignment: 64 B, offset: 0 B}}`: static data of a process.
struct DataParams : base::ParamSet {
  base::Bytes size;
  base::Bytes alignment{8};
  base::Bytes offset;
  void visit(base::ParamVisitor& v) override {
    v.value({"size", "Length; zeros when the process starts", "", true}, size, {1, 1ull << 30});
    v.value({"alignment", "Boundary that the start is counted from, a power of two"}, alignment,
            {1, static_cast<double>(kernel::kPageSize)});
    v.value({"offset", "Distance of the start from such a boundary"}, offset);
  }
  std::string check() const override;
};
using NamedData = std::vector<std::pair<std::string, DataParams>>;

/// `files: {nulls: {count: 16}}`: open files of a process.
struct FilesParams : base::ParamSet {
  std::uint64_t count = 1;
  void visit(base::ParamVisitor& v) override {
    v.value({"count", "How many files of /dev/null are open, a struct file each", "files"}, count, {1, 64});
  }
};
using NamedFiles = std::vector<std::pair<std::string, FilesParams>>;

/// `channels: {there: {kind: pipe}}`: what processes talk through. With a `count` above one, process i of several that
/// run one program uses the i-th, modulo their number.
inline constexpr std::array<std::string_view, 3> kChannelKinds{"pipe", "tcp", "unix"};
struct ChannelParams : base::ParamSet {
  kernel::ChannelKind kind = kernel::ChannelKind::pipe;
  std::uint64_t count = 1;
  void visit(base::ParamVisitor& v) override {
    v.choice({"kind", "What it is"}, kind, kChannelKinds);
    v.value({"count", "How many there are of this name", "channels"}, count, {1, 10000});
  }
};
using NamedChannels = std::vector<std::pair<std::string, ChannelParams>>;

/// An end of a channel that an action uses.
struct ChannelUse {
  std::string name;
  unsigned end = 0;
};

/// Which of several channels of one name that a process has.
enum class Which : std::uint8_t { first, last, all };
inline constexpr std::array<std::string_view, 3> kWhichNames{"first", "last", "all"};

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
  /// The program that processes made by this action run; empty for none.
  virtual std::string program_forked() const { return ""; }
  /// The program that the process becomes by this action; empty for none.
  virtual std::string program_executed() const { return ""; }
  /// Region that this action uses, or makes; empty for none.
  virtual std::string region_used() const { return ""; }
  virtual std::string region_made() const { return ""; }
  /// Static data that this action uses; empty for none.
  virtual std::string data_used() const { return ""; }
  /// Open files that this action uses; empty for none.
  virtual std::string files_used() const { return ""; }
  /// Ends of channels that this action uses.
  virtual std::vector<ChannelUse> channels_used() const { return {}; }
  /// Name of the channels that this action makes; empty for none.
  virtual std::string channel_made() const { return ""; }
  /// What is wrong with that use of such a channel; empty when all is well.
  virtual std::string channel_fault(const ChannelParams&) const { return ""; }
  /// What is wrong with the use of data; empty when all is well.
  virtual std::string data_fault(const DataParams&) const { return ""; }
};

/// What the threads of one process share: its regions and threads by name. Each thread keeps its process.
class Process : public std::enable_shared_from_this<Process> {
 public:
  struct Region {
    base::Address va = 0;
    std::uint64_t size = 0;
  };
  Process(kernel::Kernel& kernel, unsigned cpus, const std::map<std::string, Program>& programs, NamedData data,
          LoopObserver* observer)
      : kernel_(kernel), cpus_(cpus), programs_(programs), data_(std::move(data)), observer_(observer) {}

  /// What a child that `task` makes by fork starts with: regions, data, files and channels, but no threads.
  std::shared_ptr<Process> fork(const kernel::Task& task) const;
  /// exec: nothing is mapped any more. Files and channels stay.
  void exec() { regions_.clear(); }

  kernel::Kernel& kernel() { return kernel_; }
  /// Its first thread.
  kernel::Task* first() const { return first_; }
  void set_first(kernel::Task& task) { first_ = &task; }
  /// Number of logical CPUs of the machine.
  unsigned cpus() const { return cpus_; }
  LoopObserver* observer() { return observer_; }
  const Program& program(const std::string& name) const;
  /// A region of all threads, or with `own` of `task` alone.
  void add_region(const std::string& name, const kernel::Task& task, bool own, Region region) {
    regions_[{name, own ? &task : nullptr}] = region;
  }
  /// Takes the name from the region that region() finds.
  void remove_region(const std::string& name, const kernel::Task& task);
  /// That of `task`, or else that of all threads. Throws base::ConfigError when no mmap with that name has run.
  const Region& region(const std::string& name, const kernel::Task& task) const;
  /// Static data by name; the configuration has been checked for it.
  const DataParams& data(const std::string& name) const;
  struct Files {
    unsigned first = 0;  ///< descriptor
    unsigned count = 0;
  };
  void add_files(const std::string& name, Files files) { files_[name] = files; }
  /// Open files by name; the configuration has been checked for them.
  Files files(const std::string& name) const { return files_.at(name); }
  void add_channel(const std::string& name, const std::array<unsigned, 2>& ends) { channels_[name].push_back(ends); }
  /// Descriptor of an end of the i-th channel of that name. Throws base::ConfigError when there is none, or the end has
  /// been closed.
  unsigned channel(const std::string& name, unsigned end, std::size_t index = 0) const;
  /// Calls f(i) for the channels of that name; throws base::ConfigError when there is none.
  template <class F>
  void for_channels(const std::string& name, Which which, F f) const {
    const std::size_t count = channels(name);
    const std::size_t first = which == Which::last ? count - 1 : 0;
    const std::size_t last = which == Which::first ? 1 : count;
    for (std::size_t i = first; i < last; ++i) f(i);
  }
  /// The end of the i-th channel is no longer to be used.
  void close_channel(const std::string& name, unsigned end, std::size_t index);
  /// Forgets the channels of that name whose ends are both closed.
  void forget_closed(const std::string& name);
  /// The next number for a thread with that program, from 0.
  std::uint64_t next_thread_index(const std::string& program) { return spawned_[program]++; }
  void set_thread_index(const kernel::Task& task, std::uint64_t index) { indices_[&task] = index; }
  /// The thread's number among those spawned with its program; 0 for the first thread of the process.
  std::uint64_t thread_index(const kernel::Task& task) const {
    const auto found = indices_.find(&task);
    return found == indices_.end() ? 0 : found->second;
  }
  void add_thread(const std::string& name, kernel::Task& task) { threads_[name].push_back(&task); }
  /// Throws base::ConfigError when no spawn with that name has run.
  const std::vector<kernel::Task*>& threads(const std::string& name) const;

 private:
  static constexpr unsigned kClosed = ~0u;
  std::size_t channels(const std::string& name) const;

  kernel::Kernel& kernel_;
  kernel::Task* first_ = nullptr;
  unsigned cpus_;
  const std::map<std::string, Program>& programs_;
  const NamedData data_;
  LoopObserver* observer_;
  std::map<std::pair<std::string, const kernel::Task*>, Region> regions_;  ///< by name and thread
  std::map<std::string, Files> files_;
  std::map<std::string, std::vector<std::array<unsigned, 2>>> channels_;
  std::map<std::string, std::vector<kernel::Task*>> threads_;
  std::map<std::string, std::uint64_t> spawned_;
  std::map<const kernel::Task*, std::uint64_t> indices_;
};

}  // namespace switchyard::workloads

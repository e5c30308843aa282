// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernel/atomic_ops.h"
#include "kernel/kernel.h"

namespace switchyard::test {

/// A kernel that does nothing but write down what user programs ask for. Bodies of threads run when a test says so.
class RecordingKernel : public kernel::Kernel {
 public:
  using Task = kernel::Task;

  std::vector<std::string> calls;
  unsigned children = 0;  ///< that were forked and not waited for
  unsigned checkpoints = 0;
  unsigned cancel_at_checkpoint = 0;  ///< ends the running task at that checkpoint; 0 for never

  /// Runs the body of a task as the scheduler would.
  void run(unsigned id) {
    try {
      tasks_.at(id)->body(*tasks_.at(id));
    } catch (const kernel::TaskExit&) {
      calls.push_back(tasks_.at(id)->name + " exits");
    }
  }

  std::vector<kernel::UserData> regions;  ///< of all processes, in order of their creation
  std::uint64_t word = 0;                 ///< what every word of data holds

  using Kernel::spawn_process;
  Task& spawn_process(const std::string& name, Body body, const std::vector<kernel::UserData>& data,
                      const std::vector<unsigned>& allowed) override {
    for (const unsigned cpu : allowed) note(name + " may run on", {cpu});
    for (kernel::UserData region : data) {
      region.va = 0x20000 + 0x1000 * regions.size() + region.offset;
      regions.push_back(region);
    }
    return make(name, std::move(body));
  }
  base::Address data(const Task&, const std::string& name) const override {
    for (const kernel::UserData& region : regions)
      if (region.name == name) return region.va;
    throw std::logic_error("no data " + name);
  }
  std::uint64_t peek(const Task&, base::Address, unsigned bytes) const override {
    return kernel::low_bytes(word, bytes);
  }
  Task& spawn_thread(Task& parent, const std::string& name, int pin, Body body) override {
    calls.push_back(parent.name + " spawns " + name + " on " + std::to_string(pin));
    return make(name, std::move(body));
  }
  Task& fork(Task& parent, const std::string& name, Body body) override {
    calls.push_back(parent.name + " forks " + name);
    ++children;
    return make(name, std::move(body));
  }
  bool wait_for_child(Task& task) override {
    calls.push_back(task.name + " waits for a child");
    return children != 0 && children-- != 0;
  }
  void exec(Task& task, const std::string& name) override { calls.push_back(task.name + " becomes " + name); }
  void madvise_dontneed(Task&, base::Address va, std::uint64_t size) override { note("dontneed", {va, size}); }
  base::Address mmap(Task&, std::uint64_t size, kernel::MapKind kind) override {
    calls.push_back((kind == kernel::MapKind::private_anonymous ? "mmap private " : "mmap ") + std::to_string(size));
    return 0x100000 * (++maps_);
  }
  void munmap(Task&, base::Address va, std::uint64_t size) override { note("munmap", {va, size}); }
  void madvise_pageout(Task&, base::Address va, std::uint64_t size) override { note("pageout", {va, size}); }
  unsigned open_files(Task&, const std::string& name, unsigned count) override {
    note("open " + name, {count});
    return 3;
  }
  void open_channel(std::vector<kernel::ChannelUser>& users, const std::string& name, kernel::ChannelKind) override {
    for (kernel::ChannelUser& user : users) {
      note("channel " + name + " of", {user.first->id, user.holds[0], user.holds[1]});
      user.descriptor = {10 * (user.first->id + 1), 10 * (user.first->id + 1) + 1};
    }
  }
  /// Descriptors 100 and 101, then 102 and 103, and so on.
  std::array<unsigned, 2> make_channel(Task& task, const std::string& name, kernel::ChannelKind kind) override {
    const unsigned first = 100 + 2 * made_++;
    note(task.name + (kind == kernel::ChannelKind::pipe ? " makes pipe " : " makes socketpair ") + name, {first});
    return {first, first + 1};
  }
  void close(Task& task, unsigned descriptor) override { note(task.name + " closes", {descriptor}); }
  void poll(Task& task, const kernel::PollSet& set) override {
    std::string text = task.name + " polls";
    for (unsigned i = 0; i < set.count; ++i)
      text += " " + std::to_string(set.files[i].descriptor) +
              (set.files[i].events == kernel::kPollIn ? " to read" : " to write");
    calls.push_back(std::move(text));
  }
  void read(Task& task, unsigned descriptor, std::uint64_t bytes) override {
    note(task.name + " reads", {descriptor, bytes});
  }
  void write(Task& task, unsigned descriptor, std::uint64_t bytes) override {
    note(task.name + " writes", {descriptor, bytes});
  }
  void nanosleep(Task&, std::uint64_t ps) override { note("sleep", {ps}); }
  void sched_yield(Task&) override { note("yield", {}); }
  void pin(Task&, unsigned cpu) override { note("pin", {cpu}); }
  [[noreturn]] void exit(Task&) override { throw kernel::TaskExit{}; }
  void join(Task& task, Task& other) override { note(task.name + " joins", {other.id}); }
  void wait_for_completion(Task& task, kernel::Completion& event) override {
    note(task.name + " waits for " + event.name, {});
  }
  void complete_all(Task& task, kernel::Completion& event) override {
    event.done = true;
    note(task.name + " wakes all", {});
  }
  void cancel(Task& task, Task& other) override { note(task.name + " cancels", {other.id}); }
  void touch(Task&, base::Address va, std::uint64_t size, std::uint64_t stride, cpu::Access access) override {
    note(access == cpu::Access::store ? "write" : "read", {va, size, stride});
  }
  void compute(Task&, std::uint64_t instructions) override { note("compute", {instructions}); }
  std::uint64_t atomic_add(Task& task, base::Address va, std::int64_t delta, unsigned bytes) override {
    calls.push_back(task.name + " adds " + std::to_string(delta) + " to " + std::to_string(bytes) + " bytes at " +
                    std::to_string(va));
    return 0;
  }
  void user_checkpoint(Task&) override {
    if (++checkpoints == cancel_at_checkpoint) throw kernel::TaskExit{};
  }

  const std::vector<std::unique_ptr<Task>>& tasks() const override { return tasks_; }
  const std::vector<kernel::Symbol>& symbols() const override { return symbols_; }
  const base::StatGroup& stats() const override { throw std::logic_error("not recorded"); }
  bool all_ended() const override { return false; }
  sc_core::sc_event& all_ended_event() override { throw std::logic_error("not recorded"); }

 private:
  Task& make(const std::string& name, Body body) {
    tasks_.push_back(std::make_unique<Task>());
    tasks_.back()->name = name;
    tasks_.back()->id = static_cast<unsigned>(tasks_.size() - 1);
    tasks_.back()->body = std::move(body);
    return *tasks_.back();
  }
  void note(std::string text, std::initializer_list<std::uint64_t> values) {
    for (const std::uint64_t value : values) text += " " + std::to_string(value);
    calls.push_back(std::move(text));
  }

  std::vector<std::unique_ptr<Task>> tasks_;
  std::vector<kernel::Symbol> symbols_;
  std::uint64_t maps_ = 0;
  unsigned made_ = 0;
};

}  // namespace switchyard::test

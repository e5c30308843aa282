// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "kernel/address_space.h"

namespace switchyard::kernel {

/// Kernel stacks, in vmalloc space, and the task_structs that were placed with the machine or by clone. Those of tasks
/// that are gone are used again: each CPU keeps two stacks (Linux v4.14 kernel/fork.c, NR_CACHED_STACKS), and gives
/// them up before a new one is made, so that there are no more than tasks at one time.
class TaskMemory {
 public:
  explicit TaskMemory(Layout& layout) : layout_(layout), cached_(layout.cpus()) {}

  /// The end of a stack. `cpu` asks for it.
  Address stack(unsigned cpu, const std::string& task) {
    if (!cached_[cpu].empty()) return take(cached_[cpu]);
    if (!stacks_.empty()) return take(stacks_);
    for (std::vector<Address>& others : cached_)
      if (!others.empty()) return take(others);
    return layout_.add_stack(task + ".stack");
  }
  void free_stack(unsigned cpu, Address end) {
    std::vector<Address>& own = cached_[cpu];
    (own.size() < kCached ? own : stacks_).push_back(end);
  }
  Address task_struct(const std::string& task) {
    return structs_.empty() ? layout_.add_slab(task + ".task_struct", Thread::kBytes, 64) : take(structs_);
  }
  void free_task_struct(Address task_struct) { structs_.push_back(task_struct); }

 private:
  static constexpr std::size_t kCached = 2;

  static Address take(std::vector<Address>& from) {
    const Address last = from.back();
    from.pop_back();
    return last;
  }

  Layout& layout_;
  std::vector<std::vector<Address>> cached_;  ///< cached_[cpu]: ends of stacks
  std::vector<Address> stacks_, structs_;
};

}  // namespace switchyard::kernel

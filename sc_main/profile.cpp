// SPDX-License-Identifier: Apache-2.0
#include "sc_main/profile.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "base/errors.h"

namespace switchyard::cli {
namespace {

using cpu::Domain;
using platforms::CallRecord;
using platforms::TaskRecord;

void add(CauseCycles& to, const CauseCycles& from) {
  for (std::size_t cause = 0; cause < to.size(); ++cause) to[cause] += from[cause];
}

const CallRecord* parent_of(const TaskRecord& task, const CallRecord& call) {
  return call.parent < 0 ? nullptr : &task.calls[static_cast<std::size_t>(call.parent)];
}

/// The functions from `call` outwards, itself first; see fold_stacks.
std::vector<const CallRecord*> call_chain(const TaskRecord& task, const CallRecord& call) {
  std::vector<const CallRecord*> chain;
  for (const CallRecord* at = &call; at != nullptr; at = parent_of(task, *at)) {
    if (!chain.empty() && chain.back()->domain == Domain::user && at->domain != Domain::user) break;
    chain.push_back(at);
  }
  return chain;
}

/// Collects the rows of a profile.
class ProfileTable {
 public:
  void add(const TaskRecord& task, const std::string& group, const CallRecord& call) {
    const std::uint64_t cycles = busy_cycles(call.cycles);
    if (cycles == 0) return;
    total_ += cycles;
    row(group, call).self += cycles;
    std::vector<std::size_t> counted;
    for (const CallRecord* at : call_chain(task, call)) {
      const std::size_t index = index_of(group, *at);
      if (std::find(counted.begin(), counted.end(), index) != counted.end()) continue;
      counted.push_back(index);
      rows_[index].children += cycles;
    }
  }

  Profile take() {
    std::sort(rows_.begin(), rows_.end(), [](const FunctionCycles& a, const FunctionCycles& b) {
      return std::tie(b.children, b.self, a.function, a.group, a.domain) <
             std::tie(a.children, a.self, b.function, b.group, b.domain);
    });
    return {total_, std::move(rows_)};
  }

 private:
  std::size_t index_of(const std::string& group, const CallRecord& call) {
    const auto [at, is_new] = index_.try_emplace({group, call.function, call.domain}, rows_.size());
    if (is_new) rows_.push_back({group, call.function, call.domain, 0, 0});
    return at->second;
  }
  FunctionCycles& row(const std::string& group, const CallRecord& call) { return rows_[index_of(group, call)]; }

  std::uint64_t total_ = 0;
  std::vector<FunctionCycles> rows_;
  std::map<std::tuple<std::string, std::string, Domain>, std::size_t> index_;
};

}  // namespace

std::uint64_t busy_cycles(const CauseCycles& cycles) {
  return std::accumulate(cycles.begin(), cycles.end(), std::uint64_t{0}) -
         cycles[static_cast<std::size_t>(cpu::Cause::idle)];
}

std::vector<TaskRecord> attribute_firmware(const std::vector<TaskRecord>& tasks) {
  std::vector<TaskRecord> result;
  for (const TaskRecord& task : tasks) {
    TaskRecord& seen = result.emplace_back(TaskRecord{task.name, task.id, task.idle, {}});
    std::vector<int> index;  // [record of task] the record of `seen` that has its cycles
    for (const CallRecord& call : task.calls) {
      SWITCHYARD_ASSERT(call.parent < static_cast<int>(index.size()), "records come parents first");
      const int parent = call.parent < 0 ? -1 : index[static_cast<std::size_t>(call.parent)];
      if (call.domain == Domain::firmware && parent >= 0) {
        add(seen.calls[static_cast<std::size_t>(parent)].cycles, call.cycles);
        index.push_back(parent);
      } else {
        index.push_back(static_cast<int>(seen.calls.size()));
        seen.calls.push_back(call);
        seen.calls.back().parent = parent;
      }
    }
  }
  return result;
}

std::vector<TaskRecord> process_tasks(const std::vector<TaskRecord>& tasks) {
  std::vector<TaskRecord> result;
  std::copy_if(tasks.begin(), tasks.end(), std::back_inserter(result), [](const TaskRecord& t) { return !t.idle; });
  return result;
}

std::string task_group(const TaskRecord& task) { return task.idle ? "swapper" : task.name; }

Profile profile(const std::vector<TaskRecord>& tasks) {
  ProfileTable table;
  for (const TaskRecord& task : tasks)
    for (const CallRecord& call : task.calls) table.add(task, task_group(task), call);
  return table.take();
}

std::vector<FoldedStack> fold_stacks(const std::vector<TaskRecord>& tasks) {
  std::map<std::string, std::uint64_t> stacks;
  for (const TaskRecord& task : tasks) {
    for (const CallRecord& call : task.calls) {
      const std::uint64_t cycles = busy_cycles(call.cycles);
      if (cycles == 0) continue;
      const auto chain = call_chain(task, call);
      std::string stack = task_group(task);
      for (auto at = chain.rbegin(); at != chain.rend(); ++at) stack += ';' + (*at)->function;
      stacks[stack] += cycles;
    }
  }
  std::vector<FoldedStack> result;
  for (const auto& [stack, cycles] : stacks) result.push_back({stack, cycles});
  return result;
}

std::vector<GroupCauses> causes_by_group(const std::vector<TaskRecord>& tasks) {
  std::vector<GroupCauses> result;
  for (const TaskRecord& task : tasks) {
    const std::string group = task_group(task);
    auto at = std::find_if(result.begin(), result.end(), [&](const GroupCauses& g) { return g.group == group; });
    if (at == result.end()) at = result.insert(result.end(), GroupCauses{group, {}});
    for (const CallRecord& call : task.calls) add(at->cycles, call.cycles);
  }
  return result;
}

DomainCycles domain_cycles(const std::vector<TaskRecord>& tasks) {
  DomainCycles result;
  for (const TaskRecord& task : tasks) {
    for (const CallRecord& call : task.calls) {
      const std::uint64_t cycles = busy_cycles(call.cycles);
      if (call.domain == Domain::user) result.user += cycles;
      if (call.domain == Domain::kernel) result.kernel += cycles;
      if (call.domain == Domain::firmware) result.firmware += cycles;
    }
  }
  return result;
}

}  // namespace switchyard::cli

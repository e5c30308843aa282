// SPDX-License-Identifier: Apache-2.0
#include "kernel/wait_graph.h"

#include <algorithm>

#include "base/errors.h"

namespace switchyard::kernel {

using base::Address;
using cpu::CpuOps;

WaitGraph::Wait::Wait(WaitGraph& graph, CpuOps& cpu, Address lock, Order order)
    : graph_(graph),
      cpu_(cpu),
      interrupts_(cpu.interrupts_enabled()),
      function_(cpu.context().node->function),
      lock_(lock),
      order_(order) {
  begin();
}

WaitGraph::Wait::Wait(WaitGraph& graph, CpuOps& cpu, unsigned target, const bool& outstanding, const char* what)
    : graph_(graph),
      cpu_(cpu),
      interrupts_(cpu.interrupts_enabled()),
      function_(cpu.context().node->function),
      target_(target),
      outstanding_(&outstanding),
      what_(what) {
  begin();
}

/// Nobody can wait for a CPU that holds nothing, waits for nothing else and lets interrupts in.
void WaitGraph::Wait::begin() {
  std::vector<Step>& own = graph_.steps(cpu_.id());
  const bool is_free = own.empty() && interrupts_;
  own.push_back({0, this});
  number_ = ++graph_.waits_;
  if (is_free) return;
  graph_.way_.clear();
  if (!graph_.reaches(*this, *this)) return;
  own.pop_back();
  graph_.report();
}

WaitGraph::Wait::~Wait() { graph_.steps(cpu_.id()).pop_back(); }

void WaitGraph::release_out_of_order(std::vector<Step>& own, Address lock) {
  const auto found = std::find_if(own.rbegin(), own.rend(),
                                  [&](const Step& step) { return step.wait == nullptr && step.lock == lock; });
  if (found != own.rend()) own.erase(std::next(found).base());
}

/// Whether `goal` has to end before `from` can.
bool WaitGraph::reaches(Wait& from, const Wait& goal) {
  way_.push_back(&from);
  const bool found = from.outstanding_ != nullptr ? target_reaches(from, goal)
                                                  : lock_reaches(from, goal, false) ||
                                                        (from.order_ == Order::fifo && lock_reaches(from, goal, true));
  if (!found) way_.pop_back();
  return found;
}

/// A lock comes free when its holder gets on with everything that it waits for since it took it. So does a place in the
/// queue before `from`.
bool WaitGraph::lock_reaches(Wait& from, const Wait& goal, bool behind) {
  const auto blocks = [&](const Step& step) {
    if (!behind) return step.wait == nullptr && step.lock == from.lock_;
    return step.wait != nullptr && step.wait->outstanding_ == nullptr && step.wait->lock_ == from.lock_ &&
           step.wait->number_ < from.number_;
  };
  for (unsigned c = 0; c < steps_.size(); ++c) {
    const auto since = std::find_if(steps_[c].begin(), steps_[c].end(), blocks);
    if (since == steps_[c].end()) continue;
    for (auto step = std::next(since); step != steps_[c].end(); ++step)
      if (step->wait != nullptr && step_reaches(from, *step->wait, goal, c, behind)) return true;
  }
  return false;
}

/// The target answers as soon as it lets interrupts in.
bool WaitGraph::target_reaches(Wait& from, const Wait& goal) {
  if (!*from.outstanding_ || from.target_ >= steps_.size()) return false;
  const std::vector<Step>& steps = steps_[from.target_];
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    if (step->wait == nullptr) continue;
    if (step->wait->interrupts_) return false;
    if (step_reaches(from, *step->wait, goal, from.target_, false)) return true;
  }
  return false;
}

bool WaitGraph::step_reaches(Wait& from, Wait& next, const Wait& goal, unsigned blocker, bool behind) {
  if (&next != &goal) {
    if (next.search_ == goal.number_) return false;
    next.search_ = goal.number_;
    if (!reaches(next, goal)) return false;
  }
  from.blocker_ = blocker;
  from.is_behind_ = behind;
  return true;
}

void WaitGraph::report() const {
  std::string all;
  for (const Wait* wait : way_) all += (all.empty() ? "" : "; ") + text(*wait);
  throw base::CheckError("deadlock: " + all);
}

std::string WaitGraph::text(const Wait& wait) const {
  const auto cpu_name = [](unsigned cpu) { return "cpu" + std::to_string(cpu); };
  const unsigned self = wait.cpu_.id();
  std::string text = cpu_name(self);
  if (names_.task) text += " (task " + names_.task(self) + ")";
  text += " in " + wait.cpu_.functions()[wait.function_].name;
  if (!wait.interrupts_) text += " with interrupts off";
  text += " waits for ";
  if (wait.outstanding_ != nullptr) return text + cpu_name(wait.target_) + "'s " + wait.what_;
  text += "lock " + (names_.lock ? names_.lock(wait.lock_) : std::to_string(wait.lock_));
  return text + (wait.is_behind_ ? " behind " : " held by ") +
         (wait.blocker_ == self ? "itself" : cpu_name(wait.blocker_));
}

}  // namespace switchyard::kernel

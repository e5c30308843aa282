// SPDX-License-Identifier: Apache-2.0
#include "platforms/trace_merger.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/errors.h"

namespace switchyard::platforms {

namespace {

constexpr std::size_t kBatch = 4096;
// A CPU's time is that of the simulation rounded down to a cycle of its clock. 1 us: a cycle at 1 MHz.
constexpr std::uint64_t kSlackPs = 1'000'000;

bool before(const kernel::TraceEvent& a, const kernel::TraceEvent& b) {
  return std::tie(a.time_ps, a.cpu) < std::tie(b.time_ps, b.cpu);
}

}  // namespace

TraceMerger::TraceMerger(TraceSink* sink, std::function<std::uint64_t()> now_ps)
    : sink_(sink), now_ps_(std::move(now_ps)), full_(kBatch) {}

void TraceMerger::record(const kernel::TraceEvent& event) {
  SWITCHYARD_ASSERT(event.time_ps >= released_ps_, "no CPU is further behind the simulation than a cycle");
  held_.push_back(event);
  if (held_.size() < full_) return;
  const std::uint64_t now = now_ps_();
  release(now > kSlackPs ? now - kSlackPs : 0);
  full_ = held_.size() + kBatch;
}

void TraceMerger::finish() { release(~std::uint64_t{0}); }

void TraceMerger::release(std::uint64_t before_ps) {
  const auto ready = std::stable_partition(
      held_.begin(), held_.end(), [before_ps](const kernel::TraceEvent& event) { return event.time_ps < before_ps; });
  std::stable_sort(held_.begin(), ready, before);
  std::for_each(held_.begin(), ready, [this](const kernel::TraceEvent& event) { sink_->event(event); });
  held_.erase(held_.begin(), ready);
  released_ps_ = std::max(released_ps_, before_ps);
}

}  // namespace switchyard::platforms

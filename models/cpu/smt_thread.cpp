// SPDX-License-Identifier: Apache-2.0
#include "cpu/smt_thread.h"

#include <algorithm>

#include "base/int128.h"

namespace switchyard::cpu {

namespace {

/// a * b / c without overflow, rounded to the nearest.
std::uint64_t scale(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  return static_cast<std::uint64_t>((static_cast<base::Uint128>(a) * b + c / 2) / c);
}

}  // namespace

SmtThread::SmtThread(const SmtParams& params, std::uint64_t cpi_scaled, const std::uint64_t& cycle)
    : throughput_(params.throughput), alone_scaled_(cpi_scaled), cycle_(cycle), cpi_scaled_(cpi_scaled) {}

void SmtThread::join(const std::vector<SmtThread*>& core) {
  core_ = core;
  shares_ = core.size() > 1 && !throughput_.empty();
}

void SmtThread::set_active(bool active, std::uint64_t at) {
  if (active == active_) return;
  active_ = active;
  if (!shares_) return;
  const auto count = static_cast<unsigned>(
      std::count_if(core_.begin(), core_.end(), [](const SmtThread* thread) { return thread->active_; }));
  for (SmtThread* thread : core_) thread->change_speed(count, at);
}

void SmtThread::change_speed(unsigned active, std::uint64_t at) {
  const std::uint64_t before = cpi_scaled_;
  active = std::max(active, 1u);
  cpi_scaled_ = scale(alone_scaled_, 100 * std::uint64_t{active}, throughput_[active - 1]);
  if (!active_) return;
  const std::uint64_t late = executed_after(at);
  if (late == 0) return;
  const std::uint64_t right = scale(late, cpi_scaled_, before);
  owed_ += static_cast<std::int64_t>(right) - static_cast<std::int64_t>(late);
  ahead_ = right;
  from_ = std::max(from_, at);
}

std::uint64_t SmtThread::executed_after(std::uint64_t at) const {
  const std::uint64_t end = cycle_ + static_cast<std::uint64_t>(owed_);
  if (end <= at || end <= from_) return 0;
  return scale(ahead_, end - std::max(at, from_), end - from_);
}

std::uint64_t SmtThread::execute(std::uint64_t cycles) {
  const std::uint64_t credit = std::min(cycles, credit_);
  credit_ -= credit;
  cycles -= credit;
  ahead_ += cycles;
  if (owed_ >= 0) return cycles + pay();
  const auto saved = std::min(cycles, static_cast<std::uint64_t>(-owed_));
  owed_ += static_cast<std::int64_t>(saved);
  return cycles - saved;
}

std::uint64_t SmtThread::pay() {
  if (owed_ <= 0) return 0;
  const auto cycles = static_cast<std::uint64_t>(owed_);
  owed_ = 0;
  return cycles;
}

void SmtThread::settled() {
  if (owed_ < 0) credit_ += static_cast<std::uint64_t>(-owed_);
  owed_ = 0;
  from_ = cycle_;
  ahead_ = 0;
}

std::uint64_t SmtThread::suspend(std::uint64_t at) {
  const std::uint64_t late = executed_after(at);
  ahead_ -= late;
  return late;
}

}  // namespace switchyard::cpu

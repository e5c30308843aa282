// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "cpu/cpu_ops.h"
#include "kernel/costs/mm_costs.h"

namespace switchyard::kernel {

/// Functions that run exactly once for each page that is reclaimed and mapped again, with or without swap. Each may
/// carry a share of `rest_per_page`.
enum class PageStep : std::uint8_t { pte_range, isolate, shrink, unmap, pageout, set_pte, count };
inline constexpr std::array<std::string_view, static_cast<std::size_t>(PageStep::count)> kPageSteps{
    "madvise_cold_or_pageout_pte_range",
    "folio_isolate_lru",
    "shrink_folio_list",
    "try_to_unmap_one",
    "pageout",
    "set_pte_range"};

/// The work of a page that no access of the model stands for, divided over functions.
class RestCosts {
 public:
  /// `clock_hz` of each CPU, to turn a time into cycles.
  RestCosts(const MmCosts& costs, const std::vector<std::uint64_t>& clock_hz);
  /// No such work.
  explicit RestCosts(unsigned cpus) : cycles_(cpus) {}
  /// Spends the share of `step`; called inside its function.
  void spend(cpu::CpuOps& cpu, PageStep step) const {
    const std::uint64_t cycles = cycles_[cpu.id()][static_cast<std::size_t>(step)];
    if (cycles != 0) cpu.spend(cycles, cpu::Cause::instructions);
  }

 private:
  using Shares = std::array<std::uint64_t, kPageSteps.size()>;
  std::vector<Shares> cycles_;
};

}  // namespace switchyard::kernel

// SPDX-License-Identifier: Apache-2.0
#include "kernel/rest_costs.h"

#include <algorithm>
#include <cmath>

#include "base/errors.h"

namespace switchyard::kernel {

namespace {

std::size_t step_index(const std::string& function) {
  const auto it = std::find(kPageSteps.begin(), kPageSteps.end(), function);
  if (it != kPageSteps.end()) return static_cast<std::size_t>(it - kPageSteps.begin());
  std::string allowed;
  for (const auto name : kPageSteps) allowed += (allowed.empty() ? "" : ", ") + std::string(name);
  throw base::ConfigError("kernel.costs.rest_shares",
                          "'" + function + "' does not run once per page; allowed: " + allowed);
}

double total_cycles(base::Latency rest, std::uint64_t hz) {
  if (rest.unit == base::Latency::Unit::cycles) return static_cast<double>(rest.value);
  return std::round(static_cast<double>(rest.value) * 1e-12 * static_cast<double>(hz));
}

}  // namespace

// Shares are rounded as differences of the running sum, so that they add up to the whole.
RestCosts::RestCosts(const MmCosts& costs, const std::vector<std::uint64_t>& clock_hz) {
  for (const std::uint64_t hz : clock_hz) {
    const double total = total_cycles(costs.rest_per_page, hz);
    Shares shares{};
    double sum = 0;
    double given = 0;
    for (const auto& share : costs.rest_shares) {
      sum += share.share.value;
      const double part = std::round(std::min(sum, 1.0) * total) - given;
      given += part;
      shares[step_index(share.function)] += static_cast<std::uint64_t>(part);
    }
    cycles_.push_back(shares);
  }
}

}  // namespace switchyard::kernel

// SPDX-License-Identifier: Apache-2.0
#include "cpu/broadcast.h"

#include <algorithm>

namespace switchyard::cpu {

std::uint64_t BroadcastDomain::serve(std::uint64_t now_ps, std::uint64_t hold_ps) {
  const std::uint64_t start = std::max(now_ps, free_at_ps_);
  free_at_ps_ = start + hold_ps;
  return start;
}

void join_broadcast_domain(const std::vector<LogicalCpu*>& cpus) {
  const auto domain = std::make_shared<BroadcastDomain>(cpus);
  for (LogicalCpu* cpu : cpus) cpu->set_broadcast_domain(domain);
}

std::uint64_t BroadcastIssuer::issue(const TlbFlush& flush) {
  issued_.push_back(flush);
  return issue_cycles_;
}

std::uint64_t BroadcastIssuer::complete(LogicalCpu& self) {
  for (const TlbFlush& flush : issued_) {
    if (domain_ != nullptr)
      domain_->deliver(flush);
    else
      self.receive_tlb_flush(flush);
  }
  issued_.clear();
  const std::uint64_t now = self.now_ps();
  const std::uint64_t start = domain_ != nullptr ? domain_->serve(now, hold_ps_) : now;
  return clock_.cycle_at(start - now) + complete_cycles_;
}

}  // namespace switchyard::cpu

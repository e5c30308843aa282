// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "cpu/cpu_params.h"
#include "cpu/logical_cpu.h"
#include "sim/clock.h"

namespace switchyard::cpu {

/// The CPUs that take each other's broadcast TLB invalidations, and the interconnect between them, which works on one
/// completion at a time: the latency grows almost linearly with the number of CPUs that issue at once, on a 32-CPU
/// Arm server (kernel tree andrea/aa, commit 78e8089e340e).
class BroadcastDomain {
 public:
  explicit BroadcastDomain(const std::vector<LogicalCpu*>& cpus) : cpus_(cpus) {}

  void deliver(const TlbFlush& flush) const {
    for (LogicalCpu* cpu : cpus_) cpu->receive_tlb_flush(flush);
  }
  /// When the interconnect starts on a completion that is asked for at `now_ps`, and is busy with for `hold_ps` from
  /// then on. Callers come in the order of their times.
  std::uint64_t serve(std::uint64_t now_ps, std::uint64_t hold_ps);

 private:
  const std::vector<LogicalCpu*> cpus_;
  std::uint64_t free_at_ps_ = 0;
};

/// Makes one domain of these CPUs.
void join_broadcast_domain(const std::vector<LogicalCpu*>& cpus);

/// The broadcasts of one CPU between the instruction and its completion.
class BroadcastIssuer {
 public:
  BroadcastIssuer(const FenceParams& params, const sim::Clock& clock)
      : clock_(clock),
        issue_cycles_(clock.cycles(params.broadcast_issue)),
        complete_cycles_(clock.cycles(params.broadcast)),
        hold_ps_(clock.ps(params.broadcast_hold)) {}

  void join(std::shared_ptr<BroadcastDomain> domain) { domain_ = std::move(domain); }
  /// Takes note of a broadcast; returns the cycles of the instruction.
  std::uint64_t issue(const TlbFlush& flush);
  bool outstanding() const { return !issued_.empty(); }
  /// All that was issued reaches the TLBs now; returns the cycles until `self` knows. `self` is settled.
  std::uint64_t complete(LogicalCpu& self);

 private:
  const sim::Clock clock_;
  const std::uint64_t issue_cycles_, complete_cycles_, hold_ps_;
  std::shared_ptr<BroadcastDomain> domain_;
  std::vector<TlbFlush> issued_;
};

}  // namespace switchyard::cpu

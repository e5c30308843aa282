// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

#include "base/cpu_mask.h"
#include "base/params.h"

namespace switchyard::kernel {

/// How logical CPUs are numbered: the first threads of all cores, then the second ones (Linux on x86 PCs), or thread
/// after thread of each core (POWER).
enum class CpuNumbering : std::uint8_t { cores_first, threads_first };
inline constexpr std::array<std::string_view, 2> kCpuNumberings{"cores-first", "threads-first"};

/// Which CPUs share a core and which a last-level cache, as firmware tells the kernel.
struct TopologyParams : base::ParamSet {
  std::uint64_t threads_per_core = 1;
  std::uint64_t cores_per_llc = 0;
  CpuNumbering numbering = CpuNumbering::cores_first;
  void visit(base::ParamVisitor& v) override {
    v.value({.key = "threads_per_core", .text = "Logical CPUs of a core", .unit = "CPUs"}, threads_per_core, {1, 8});
    v.value({.key = "cores_per_llc", .text = "Cores that share a last-level cache; 0 means all", .unit = "cores"},
            cores_per_llc, {0, base::kMaxCpus});
    v.choice({.key = "numbering", .text = "Order of logical CPUs"}, numbering, kCpuNumberings);
  }
};

/// Scheduling domains of a machine: SMT and MC of Linux. Domains above the last-level cache are all CPUs.
class Topology {
 public:
  Topology(const TopologyParams& params, unsigned cpus)
      : cpus_(cpus),
        threads_(static_cast<unsigned>(params.threads_per_core)),
        cores_((cpus + threads_ - 1) / threads_),
        cores_per_llc_(params.cores_per_llc == 0 ? cores_ : static_cast<unsigned>(params.cores_per_llc)),
        numbering_(params.numbering) {}

  unsigned cpus() const { return cpus_; }
  unsigned threads_per_core() const { return threads_; }
  unsigned core(unsigned cpu) const { return numbering_ == CpuNumbering::cores_first ? cpu % cores_ : cpu / threads_; }
  unsigned llc(unsigned cpu) const { return core(cpu) / cores_per_llc_; }
  unsigned llcs() const { return (cores_ + cores_per_llc_ - 1) / cores_per_llc_; }
  bool share_cache(unsigned a, unsigned b) const { return llc(a) == llc(b); }
  /// CPUs of one last-level cache (sd_llc_size).
  unsigned llc_size() const { return cores_per_llc_ * threads_; }

 private:
  unsigned cpus_, threads_, cores_, cores_per_llc_;
  CpuNumbering numbering_;
};

}  // namespace switchyard::kernel

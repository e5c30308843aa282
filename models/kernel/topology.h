// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>
#include <vector>

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

/// Which CPUs share a core and which a last-level cache, and which of them are online.
class Topology {
 public:
  Topology(const TopologyParams& params, unsigned cpus, const base::CpuMask& offline = {})
      : cpus_(cpus),
        offline_(offline),
        threads_(static_cast<unsigned>(params.threads_per_core)),
        cores_((cpus + threads_ - 1) / threads_),
        cores_per_llc_(params.cores_per_llc == 0 ? cores_ : static_cast<unsigned>(params.cores_per_llc)),
        numbering_(params.numbering),
        llc_online_(llcs()) {
    for (unsigned c = 0; c < cpus; ++c)
      if (online(c)) ++llc_online_[llc(c)];
  }

  unsigned cpus() const { return cpus_; }
  const base::CpuMask& offline() const { return offline_; }
  bool online(unsigned cpu) const { return !offline_.test(cpu); }
  unsigned threads_per_core() const { return threads_; }
  unsigned core(unsigned cpu) const { return numbering_ == CpuNumbering::cores_first ? cpu % cores_ : cpu / threads_; }
  unsigned llc(unsigned cpu) const { return core(cpu) / cores_per_llc_; }
  unsigned llcs() const { return (cores_ + cores_per_llc_ - 1) / cores_per_llc_; }
  bool share_cache(unsigned a, unsigned b) const { return llc(a) == llc(b); }
  /// CPUs of a last-level cache.
  unsigned llc_size() const { return cores_per_llc_ * threads_; }
  /// Those that are online on that of `cpu` (sd_llc_size).
  unsigned llc_weight(unsigned cpu) const { return llc_online_[llc(cpu)]; }

 private:
  unsigned cpus_;
  base::CpuMask offline_;
  unsigned threads_, cores_, cores_per_llc_;
  CpuNumbering numbering_;
  std::vector<unsigned> llc_online_;  ///< CPUs, by cache
};

}  // namespace switchyard::kernel

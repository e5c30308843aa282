// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "base/params.h"
#include "cpu/cpu_ops.h"
#include "kernel/kernel_stats.h"
#include "kernel/layout.h"

namespace switchyard::kernel::riscv {

using Asid = std::optional<std::uint16_t>;

/// How fences reach other harts.
enum class RemoteFenceKind : std::uint8_t { sbi, ipi };

/// Parameters of TLB maintenance.
struct TlbParams : base::ParamSet {
  std::uint64_t tlb_flush_all_threshold = 64;
  bool cip_1200 = false;
  bool svvptc = false;
  RemoteFenceKind remote = RemoteFenceKind::sbi;

  void visit(base::ParamVisitor& v) override {
    static constexpr std::string_view kKinds[] = {"sbi", "ipi"};
    v.value({.key = "tlb_flush_all_threshold",
             .text = "Local ranges of more entries become one full flush; 64 from Linux 6.7 on, 1 in 6.1",
             .unit = "entries"},
            tlb_flush_all_threshold, {0, 1e9});
    v.value({.key = "cip_1200", .text = "SiFive erratum: a fence by address is replaced by a full one"}, cip_1200);
    v.value({.key = "svvptc", .text = "Hardware sees new valid entries without a fence"}, svvptc);
    v.choice({.key = "remote", .text = "Remote fences by firmware call or by interrupts between kernels"}, remote,
             kKinds);
  }
};

/// Invalidation of this CPU's TLB. Sources: Linux v6.7 arch/riscv/include/asm/tlbflush.h and arch/riscv/mm/tlbflush.c;
/// erratum: arch/riscv/errata/sifive.
class LocalTlb {
 public:
  LocalTlb(const TlbParams& params, cpu::FunctionTable& functions, KernelStats& stats)
      : params_(params), stats_(stats), page_(functions.add("local_flush_tlb_page", cpu::Domain::kernel)) {}

  void page(cpu::CpuOps& cpu, Address va, Asid asid) {
    ++stats_.local_fences;
    if (params_.cip_1200) return cpu.flush_tlb({});
    cpu.flush_tlb({cpu::TlbFlush::Scope::page, va, asid.value_or(0), !asid.has_value()});
  }
  /// All translations of an id, or all there are.
  void all(cpu::CpuOps& cpu, Asid asid) {
    ++stats_.local_fences;
    if (!asid) return cpu.flush_tlb({});
    cpu.flush_tlb({cpu::TlbFlush::Scope::asid, 0, *asid, false});
  }
  void range(cpu::CpuOps& cpu, Address start, std::uint64_t size, std::uint64_t stride, Asid asid) {
    const std::uint64_t entries = size / stride + (size % stride != 0 ? 1 : 0);
    if (size > stride && entries > params_.tlb_flush_all_threshold) return all(cpu, asid);
    for (std::uint64_t i = 0; i < entries; ++i) page(cpu, start + i * stride, asid);
  }
  /// One fence per entry that became valid, unless hardware does not need it.
  void update_mmu_cache_range(cpu::CpuOps& cpu, Address va, unsigned pages) {
    if (params_.svvptc) return;
    const auto scope = cpu.function(page_);
    for (unsigned i = 0; i < pages; ++i) page(cpu, va + i * kPageSize, {});
  }

 private:
  const TlbParams params_;
  KernelStats& stats_;
  const cpu::FunctionId page_;
};

}  // namespace switchyard::kernel::riscv

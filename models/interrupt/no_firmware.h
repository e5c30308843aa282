// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "interrupt/firmware.h"

namespace switchyard::interrupt {

/// Parameters of NoFirmware: none.
struct NoFirmwareParams : base::ParamSet {
  void visit(base::ParamVisitor&) override {}
};

/// A machine whose kernel needs no machine mode: the timer behaves as with the Sstc extension (no trap), fences and
/// IPIs go through an S-mode fabric. SBI fences and IPIs are refused as an error of the configuration.
class NoFirmware : public Firmware {
 public:
  using Params = NoFirmwareParams;
  NoFirmware(const FirmwareContext& context, const Params& params);

  void remote_sfence_vma(cpu::CpuOps& cpu, const base::CpuMask& targets, const FenceRange& range) override;
  void send_ipi(cpu::CpuOps& cpu, const base::CpuMask& targets) override;
  void set_timer(cpu::CpuOps& cpu, std::uint64_t deadline_ps) override;
  void interrupt(cpu::CpuOps& cpu, std::uint32_t pending) override;
  const base::StatGroup& stats() const override { return stats_; }
  bool offers_ipi() const override { return false; }

 private:
  const base::Address clint_;
  const base::Frequency timebase_;
  base::StatGroup stats_;
};

}  // namespace switchyard::interrupt

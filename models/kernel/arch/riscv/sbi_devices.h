// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "interrupt/sbi.h"
#include "kernel/ipi_sender.h"
#include "kernel/timer_device.h"

namespace switchyard::kernel::riscv {

/// Timer of each hart by firmware call (SBI TIME).
class SbiTimer : public TimerDevice {
 public:
  explicit SbiTimer(interrupt::Sbi& sbi) : sbi_(sbi) {}
  void set_timer(cpu::CpuOps& cpu, std::uint64_t deadline_ps) override { sbi_.set_timer(cpu, deadline_ps); }

 private:
  interrupt::Sbi& sbi_;
};

/// Interrupts between harts by firmware call (SBI IPI).
class SbiIpiSender : public IpiSender {
 public:
  explicit SbiIpiSender(interrupt::Sbi& sbi) : sbi_(sbi) {}
  void send_ipi(cpu::CpuOps& cpu, const base::CpuMask& targets) override { sbi_.send_ipi(cpu, targets); }

 private:
  interrupt::Sbi& sbi_;
};

}  // namespace switchyard::kernel::riscv

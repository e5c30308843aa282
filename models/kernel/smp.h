// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "kernel/ipi_sender.h"
#include "kernel/kernel_services.h"

namespace switchyard::kernel {

/// Inter-processor interrupts and cross calls. Sources: Linux v6.7 kernel/irq/ipi-mux.c (one bit per message and
/// target, the interrupt is sent if no bit was set), kernel/smp.c (call queue of the target, one call structure per
/// pair of CPUs, the sender waits until each is unlocked).
class Smp {
 public:
  using Message = IpiReason;

  /// What an architecture calls sending and receiving, and whether each message has an interrupt vector of its own
  /// instead of a bit in memory.
  struct Names {
    std::string_view send = "ipi_mux_send_mask";
    std::string_view handle = "ipi_mux_process";
    bool vectors = false;
  };

  Smp(const KernelServices& services, IpiSender& sender, const Names& names);

  /// CPUs that calls leave out. Before the simulation starts.
  void set_offline(const base::CpuMask& cpus) { offline_ = cpus; }
  void send(cpu::CpuOps& cpu, const base::CpuMask& targets, Message message);
  /// Runs `call` on each CPU of the mask that is online, this one included if it is a member, and waits for all of
  /// them.
  void on_each_cpu_mask(cpu::CpuOps& cpu, const base::CpuMask& mask, const std::function<void(cpu::CpuOps&)>& call);
  /// The same for those CPUs of the mask that `condition` accepts. It is asked on this CPU, before any call, about each
  /// member in ascending order (Linux v5.0 kernel/smp.c).
  void on_each_cpu_cond_mask(cpu::CpuOps& cpu, const base::CpuMask& mask,
                             const std::function<bool(unsigned)>& condition,
                             const std::function<void(cpu::CpuOps&)>& call);
  /// The interrupt: takes the messages of this CPU and runs its call queue. True if it is to reschedule.
  bool handle(cpu::CpuOps& cpu);

  Address call_queue(unsigned cpu) const { return services_.layout.per_cpu(call_queue_, cpu); }
  Address message_bits(unsigned cpu) const { return services_.layout.per_cpu(bits_, cpu); }
  /// The call structure that `from` uses for `to`.
  Address call_data(unsigned from, unsigned to) const { return services_.layout.per_cpu(call_data_, from) + 64 * to; }

 private:
  struct Stats {
    explicit Stats(base::StatGroup& group)
        : calls(group, "cross_calls", "count", "Calls queued for other CPUs"),
          sent(group, "cross_call_ipis", "count", "Interrupts sent for calls: to CPUs whose queue was empty"),
          handled(group, "cross_call_interrupts", "count", "Interrupts taken for calls"),
          acknowledged(group, "cross_call_acknowledgements", "count", "Calls done for other CPUs") {}
    base::Counter calls, sent, handled, acknowledged;
  };
  struct Pending {
    Address data = 0;
    const std::function<void(cpu::CpuOps&)>* call = nullptr;
    bool* outstanding = nullptr;
  };
  static constexpr std::uint64_t kLocked = 1;

  bool calls(const cpu::CpuOps& cpu, unsigned target) const { return target != cpu.id() && !offline_.test(target); }
  void queue(cpu::CpuOps& cpu, unsigned target, const std::function<void(cpu::CpuOps&)>& call, base::CpuMask& to_kick);
  void csd_lock_wait(cpu::CpuOps& cpu, unsigned target, cpu::Cause cause);
  void flush_call_queue(cpu::CpuOps& cpu);
  /// From the time that `from` has queued a call for `to` until that is done.
  bool& outstanding(unsigned from, unsigned to) { return outstanding_[from * queues_.size() + to]; }

  const KernelServices services_;
  IpiSender& sender_;
  const bool vectors_;
  base::CpuMask offline_;
  const Address call_queue_, bits_, call_data_;
  std::vector<std::uint8_t> requested_;        ///< vectors: the messages on their way to each CPU, as bits
  std::vector<std::deque<Pending>> queues_;    ///< what the call queues in simulated memory stand for
  const std::unique_ptr<bool[]> outstanding_;  ///< [sender * CPUs + target]
  Stats stats_;
  const cpu::FunctionId send_, many_, handle_, flush_;
};

}  // namespace switchyard::kernel

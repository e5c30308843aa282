// SPDX-License-Identifier: Apache-2.0
#include "kernel/smp.h"

#include <utility>

#include "base/errors.h"

namespace switchyard::kernel {

using cpu::CpuOps;

Smp::Smp(const KernelServices& services, IpiSender& sender, const Names& names)
    : services_(services),
      sender_(sender),
      vectors_(names.vectors),
      call_queue_(services.layout.add_per_cpu("call_single_queue", 8, 64)),
      bits_(services.layout.add_per_cpu("ipi_mux_pcpu", 8, 64)),
      call_data_(services.layout.add_per_cpu("cfd_data", 64 * std::uint64_t{services.layout.cpus()}, 64)),
      requested_(services.layout.cpus()),
      queues_(services.layout.cpus()),
      outstanding_(std::make_unique<bool[]>(queues_.size() * queues_.size())),
      stats_(services.stats),
      send_(services.functions.add(names.send, cpu::Domain::kernel)),
      many_(services.functions.add("smp_call_function_many_cond", cpu::Domain::kernel)),
      handle_(services.functions.add(names.handle, cpu::Domain::kernel)),
      flush_(services.functions.add("__flush_smp_call_function_queue", cpu::Domain::kernel)) {}

void Smp::send(CpuOps& cpu, const base::CpuMask& targets, Message message) {
  const auto scope = cpu.function(send_);
  cpu.execute(services_.costs.call);
  services_.trace.ipi_raise(cpu, targets, message);
  const unsigned bit = 1u << static_cast<unsigned>(message);
  if (vectors_) {
    targets.for_each([&](unsigned target) { requested_[target] |= static_cast<std::uint8_t>(bit); });
    return sender_.send_ipi(cpu, targets);
  }
  base::CpuMask kicked;
  targets.for_each([&](unsigned target) {
    if (services_.atomics.fetch_or(cpu, message_bits(target), bit, 4) == 0) kicked.set(target);
  });
  if (kicked.empty()) return;
  sender_.send_ipi(cpu, kicked);
}

void Smp::queue(CpuOps& cpu, unsigned target, const std::function<void(CpuOps&)>& call, base::CpuMask& to_kick) {
  csd_lock_wait(cpu, target, cpu::Cause::lock_spin);
  bool& called = outstanding(cpu.id(), target);
  SWITCHYARD_ASSERT(!called, "csd_lock_wait() has seen the acknowledgement, and handlers make no calls");
  const Address data = call_data(cpu.id(), target);
  cpu.store(data, kLocked, 4);
  cpu.store(data + 16, 1);  // function and argument
  called = true;
  ++stats_.calls;
  queues_[target].push_back({data, &call, &called});
  if (services_.atomics.xchg(cpu, call_queue(target), data) == 0) to_kick.set(target);
}

void Smp::csd_lock_wait(CpuOps& cpu, unsigned target, cpu::Cause cause) {
  const Address data = call_data(cpu.id(), target);
  const WaitGraph::Wait wait(services_.locks.waits(), cpu, target, outstanding(cpu.id(), target), "acknowledgement");
  cpu.spin_until(
      {data}, [&] { return cpu.load(data, 4) == 0; }, cause);
}

void Smp::on_each_cpu_mask(CpuOps& cpu, const base::CpuMask& mask, const std::function<void(CpuOps&)>& call) {
  const auto scope = cpu.function(many_);
  cpu.execute(services_.costs.call);
  base::CpuMask to_kick;
  mask.for_each([&](unsigned target) {
    if (calls(cpu, target)) queue(cpu, target, call, to_kick);
  });
  stats_.sent += to_kick.count();
  if (!to_kick.empty()) send(cpu, to_kick, Message::call_function);
  if (mask.test(cpu.id())) {
    const bool before = cpu.set_interrupts(false);
    call(cpu);
    cpu.set_interrupts(before);
  }
  mask.for_each([&](unsigned target) {
    if (calls(cpu, target)) csd_lock_wait(cpu, target, cpu::Cause::ack_wait);
  });
}

void Smp::on_each_cpu_cond_mask(CpuOps& cpu, const base::CpuMask& mask, const std::function<bool(unsigned)>& condition,
                                const std::function<void(CpuOps&)>& call) {
  base::CpuMask chosen;
  mask.for_each([&](unsigned target) {
    if (condition(target)) chosen.set(target);
  });
  if (!chosen.empty()) on_each_cpu_mask(cpu, chosen, call);
}

bool Smp::handle(CpuOps& cpu) {
  const auto scope = cpu.function(handle_);
  cpu.execute(services_.costs.call);
  sender_.acknowledge(cpu);
  const std::uint64_t bits = vectors_ ? std::exchange(requested_[cpu.id()], std::uint8_t{0})
                                      : services_.atomics.xchg(cpu, message_bits(cpu.id()), 0, 4);
  if ((bits & (1u << static_cast<unsigned>(Message::call_function))) != 0) flush_call_queue(cpu);
  return (bits & (1u << static_cast<unsigned>(Message::reschedule))) != 0;
}

void Smp::flush_call_queue(CpuOps& cpu) {
  const auto scope = cpu.function(flush_);
  ++stats_.handled;
  cpu.execute(services_.costs.call);
  services_.trace.ipi_entry(cpu, Message::call_function);
  services_.atomics.xchg(cpu, call_queue(cpu.id()), 0);
  std::deque<Pending>& queue = queues_[cpu.id()];
  for (std::size_t left = queue.size(); left != 0; --left) {
    const Pending item = queue.front();
    queue.pop_front();
    cpu.load(item.data + 16);
    (*item.call)(cpu);
    cpu.store(item.data, 0, 4);
    *item.outstanding = false;
    ++stats_.acknowledged;
  }
  services_.trace.ipi_exit(cpu, Message::call_function);
}

}  // namespace switchyard::kernel

// SPDX-License-Identifier: Apache-2.0
// Time, interrupts and waiting of Cpu.
#include <algorithm>

#include "cpu/cpu.h"
#include "cpu/fixed_point.h"

namespace switchyard::cpu {

void Cpu::start_of_simulation() {
  quantum_cycles_ = clock_.cycle_at(sim::to_ps(tlm::tlm_global_quantum::instance().get()));
  if (cache_ != nullptr) join_core();
}

void Cpu::execute(std::uint64_t instructions) {
  const CallNode& node = *context_->node;
  if (node.text >> 12 != fetch_page_ && node.text != 0 && mmu_.enabled() && context_->privilege != Privilege::machine)
      [[unlikely]]
    fetch(node);
  std::uint64_t time = instructions * smt_.cpi_scaled();
  if (jitter_ != 0) [[unlikely]]
    time += (time >> kCpiShift) * jitters_.below(2 * jitter_ + 1) - (time >> kCpiShift) * jitter_;
  const std::uint64_t sum = time + cpi_rest_;
  cpi_rest_ = sum & ((1u << kCpiShift) - 1);
  const std::uint64_t cycles = sum >> kCpiShift;
  spend(smt_.shares() ? smt_.execute(cycles) : cycles, Cause::instructions);
}

void Cpu::spend(std::uint64_t cycles, Cause cause) {
  if (cause == Cause::instructions && context_->privilege == Privilege::machine) cause = Cause::firmware;
  charge(cause, cycles);
  if (cycle_ >= limit_) settle();
}

bool Cpu::set_interrupts(bool enabled) {
  const bool before = interrupts_enabled_;
  interrupts_enabled_ = enabled;
  if (enabled && !before) {
    enabled_at_ = cycle_;
    if (deliverable() != 0) settle();
  }
  return before;
}

/// What a mode kept away while this CPU ran ahead in it is taken when the mode ends, not at an earlier time.
void Cpu::set_privilege(Privilege privilege) {
  const Privilege before = context_->privilege;
  context_->privilege = privilege;
  if (privilege >= before) return;
  if (before == Privilege::machine)
    settled_ = cycle_;
  else if (!interrupts_enabled_)
    enabled_at_ = cycle_;
}

void Cpu::set_pending(std::uint32_t bits, bool level) {
  const std::uint32_t before = pending_;
  pending_ = level ? pending_ | bits : pending_ & ~bits;
  if ((pending_ & ~before) != 0) wake_.notify();
}

std::uint32_t Cpu::deliverable() const {
  std::uint32_t bits = 0;
  const Privilege privilege = context_->privilege;
  if (machine_handler_ != nullptr && privilege != Privilege::machine) bits |= pending_ & kMachineInterrupts;
  if (supervisor_handler_ != nullptr &&
      (privilege == Privilege::user || (privilege == Privilege::supervisor && interrupts_enabled_)))
    bits |= pending_ & kSupervisorInterrupts;
  return bits;
}

bool Cpu::interruptible() const {
  return context_->privilege != Privilege::machine && (machine_handler_ != nullptr || supervisor_handler_ != nullptr);
}

/// Nothing else in the simulation happens from `now`, the SystemC time, up to and including `ps`. May say false without
/// asking: after a no, the next few answers are most likely no as well, and asking costs as much as a miss.
bool Cpu::quiet_until(std::uint64_t now, std::uint64_t ps) {
  if (asks_to_skip_ != 0) {
    --asks_to_skip_;
    return false;
  }
  if (!sc_core::sc_pending_activity_at_current_time() && sim::to_ps(sc_core::sc_time_to_pending_activity()) > ps - now)
    return true;
  asks_to_skip_ = 7;
  return false;
}

/// Waits until SystemC time is this CPU's time, and takes the interrupts that come up to then. A handler runs at the
/// time of its interrupt; what the interrupted code was ahead of it is owed and waited for afterwards. Where nobody
/// else would run in between, the wait is left out (unless `strictly`): what follows is annotated from the older time.
void Cpu::settle(bool strictly) {
  for (;;) {
    const std::uint64_t now = sim::to_ps(sc_now_);
    const std::uint64_t mine = clock_.ps_at(cycle_);
    if (const std::uint32_t bits = deliverable(); bits != 0) {
      const bool machine = (bits & kMachineInterrupts) != 0;
      const std::uint64_t earliest = machine ? settled_ : std::max(settled_, enabled_at_);
      const std::uint64_t at = std::min(cycle_, std::max(clock_.cycle_at(now), earliest));
      const std::uint64_t owed = cycle_ - at;
      const std::uint64_t executed = smt_.shares() ? smt_.suspend(at) : 0;
      cycle_ = at;
      take_interrupts();
      if (smt_.shares()) smt_.resume(executed);
      cycle_ += owed;
      continue;
    }
    if (const std::uint64_t owed = smt_.pay(); owed != 0) [[unlikely]] {
      charge(Cause::instructions, owed);
      continue;
    }
    if (mine <= now || (!strictly && quiet_until(now, mine))) break;
    ++stats_.syncs;
    if (interruptible())
      sc_core::wait(sim::from_ps(mine - now), wake_);
    else
      sc_core::wait(sim::from_ps(mine - now));
  }
  settled_ = cycle_;
  if (smt_.shares()) smt_.settled();
  limit_ = cycle_ + std::max<std::uint64_t>(quantum_cycles_, 1);
}

void Cpu::take_interrupts() {
  while (const std::uint32_t bits = deliverable()) {
    ++stats_.interrupts;
    if (const std::uint32_t machine = bits & kMachineInterrupts) {
      const PrivilegeScope scope(*this, Privilege::machine);
      machine_handler_->interrupt(*this, machine);
    } else {
      const PrivilegeScope scope(*this, Privilege::supervisor);
      const bool enabled = interrupts_enabled_;
      interrupts_enabled_ = false;
      supervisor_handler_->interrupt(*this, bits);
      interrupts_enabled_ = enabled;
      enabled_at_ = cycle_;
    }
  }
}

/// Waits for wake_ and charges the time to `cause`. This CPU is settled before and after.
void Cpu::sleep(Cause cause, Slots slots) {
  if (slots == Slots::released) smt_.set_active(false, cycle_);
  asleep_ = true;
  sleeps_for_ = cause;
  charged_ = cycle_;
  sc_core::wait(wake_);
  const std::uint64_t now_ps = sim::to_ps(sc_now_);
  charge_wait(now_ps);
  cycle_ = std::max(cycle_, clock_.cycle_at(now_ps));
  asleep_ = false;
  smt_.set_active(true, cycle_);
}

// cycle_ stays where it is: a reader that is ahead of SystemC time must not delay this CPU.
void Cpu::charge_wait(std::uint64_t now_ps) {
  const std::uint64_t now = clock_.cycle_at(now_ps);
  if (!asleep_ || now <= charged_) return;
  context_->node->cycles[static_cast<std::size_t>(sleeps_for_)] += now - charged_;
  charged_ = now;
}

void Cpu::wait_for_interrupt() {
  settle();
  const bool slept = pending_ == 0;
  while (pending_ == 0) sleep(Cause::idle, Slots::released);
  if (slept) {
    charge(Cause::idle, wfi_cycles_);
    settled_ = cycle_;  // the handler starts after the wake-up
  }
  settle();
}

/// Whether the line of `va` has not changed since the last look; if so a change will notify wake_.
bool Cpu::watch(Address va) {
  if (!physical_quickly(va, Access::load)) return false;
  const std::size_t slot = l1_->find(pa_);
  if (slot == memory::CacheArray::kNone) return false;
  const bool is_armed = thread_lines_ == nullptr || thread_lines_->watches(slot, thread_);
  cache_->watch_line(slot, thread_);
  return is_armed;
}

/// Whether all lines are watched and none has changed since the last look. A line that another CPU takes is gone. One
/// that another thread on the same cache writes stays: there, a look counts only after the line is watched.
bool Cpu::arm(std::initializer_list<Address> watched) {
  if (thread_lines_ == nullptr)
    return std::all_of(watched.begin(), watched.end(), [&](Address va) { return watch(va); });
  return std::count_if(watched.begin(), watched.end(), [&](Address va) { return watch(va); }) ==
         static_cast<std::ptrdiff_t>(watched.size());
}

void Cpu::wait_until(std::initializer_list<Address> watched, const Condition& done, Cause cause, Slots slots) {
  const std::uint64_t poll = std::max<std::uint64_t>(quantum_cycles_, 1);
  while (!done()) {
    if (l1_ == nullptr) {  // no cache whose lines could be watched: look again after a while
      spend(poll, cause);
      continue;
    }
    settle();
    const std::uint32_t ending = slots == Slots::released ? pending_ : deliverable();
    if (arm(watched) && ending == 0) sleep(cause, slots);
    settle();
  }
}

void Cpu::dispatch(ExecContext& next) {
  smt_.set_active(true, std::max(cycle_, clock_.cycle_at(sim::to_ps(sc_now_))));
  context_->cpu = nullptr;
  context_ = &next;
  next.cpu = this;
}

}  // namespace switchyard::cpu

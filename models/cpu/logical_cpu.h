// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cpu/cpu_ops.h"

namespace switchyard::cpu {

/// Untimed physical memory access for building the initial state and for looking at it: sees the newest copy wherever
/// it is cached. Writing is for the time before the simulation starts.
class DebugMemory {
 public:
  virtual ~DebugMemory() = default;
  virtual std::uint64_t peek(Address pa, unsigned bytes = 8) = 0;
  virtual void poke(Address pa, std::uint64_t value, unsigned bytes = 8) = 0;
};

class BroadcastDomain;

/// A logical CPU as the software that owns it sees it: what CpuOps gives to running code, plus who runs on it.
class LogicalCpu : public CpuOps {
 public:
  /// Runs `next` from now on: cycles go to its call tree, its privilege holds. The caller then hands the host thread
  /// over (a context that leaves gets `cpu` null). No simulated cost.
  virtual void dispatch(ExecContext& next) = 0;
  /// Waits for SystemC time to reach this CPU's local time. Called before a thread sleeps or signals another one.
  virtual void synchronise() = 0;
  virtual void set_machine_handler(TrapHandler* handler) = 0;
  virtual void set_supervisor_handler(TrapHandler* handler) = 0;
  virtual void set_fault_handler(FaultHandler* handler) = 0;
  virtual void set_functions(const FunctionTable* functions) = 0;
  /// Position in the machine, once, before the simulation starts.
  virtual void set_id(unsigned id) = 0;
  /// The CPUs that broadcast_flush_tlb() reaches, once, before the simulation starts; without it, only this one.
  virtual void set_broadcast_domain(std::shared_ptr<BroadcastDomain> domain) = 0;
  /// Takes a broadcast of another CPU: costs no time here.
  virtual void receive_tlb_flush(const TlbFlush& flush) = 0;
  /// Memory as this CPU's data port sees it.
  virtual DebugMemory& debug_memory() = 0;
  /// For the translation check: a flush is owed of the entries of `page` (4 KiB units) that were read from the table at
  /// `root` until now; `debt` is a number for it, above 0.
  virtual void mark_owed(Address root, std::uint64_t page, std::uint64_t debt) = 0;
  /// From now on the entries of that debt that are still there must not be used; `owner` should have flushed them.
  virtual void mark_stale(std::uint64_t page, FunctionId owner, std::uint64_t debt) = 0;
  /// The same for all entries that the current address-space id reaches although they belong to another root.
  virtual void mark_foreign(FunctionId owner) = 0;
  /// Charges what this CPU has waited so far, up to `now_ps`, to what it waits for. For readers of cycle counts: a wait
  /// is otherwise charged when it ends.
  virtual void charge_wait(std::uint64_t /*now_ps*/) {}
  /// Clock of this CPU, in hertz.
  virtual std::uint64_t clock_hz() const = 0;
  /// Cycles spent in wait_for_interrupt plus all others since the start; for utilisation.
  virtual std::uint64_t cycle() const = 0;
};

}  // namespace switchyard::cpu

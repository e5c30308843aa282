// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>

#include "base/quantity.h"
#include "cpu/accounting.h"
#include "cpu/condition.h"

namespace switchyard::cpu {

using base::Address;

enum class Privilege : std::uint8_t { user, supervisor, machine };

enum class AtomicOp : std::uint8_t { swap, add, bit_or, bit_and, compare_swap };

/// A local TLB invalidation (sfence.vma and its kin).
struct TlbFlush {
  enum class Scope : std::uint8_t { all, asid, page };
  Scope scope = Scope::all;
  Address va = 0;          ///< page: any address in the page
  std::uint16_t asid = 0;  ///< asid; page when tagged
  bool any_asid = true;    ///< page: whatever the id
  bool tables = false;     ///< page: the walker's non-leaf entries go as well, because page tables are freed
};

/// Pending-interrupt bits of a logical CPU.
enum Interrupt : std::uint32_t {
  kMachineSoftware = 1u << 0,
  kMachineTimer = 1u << 1,
  kSupervisorSoftware = 1u << 2,
  kSupervisorTimer = 1u << 3,
  kSupervisorExternal = 1u << 4,
};
inline constexpr std::uint32_t kMachineInterrupts = kMachineSoftware | kMachineTimer;
inline constexpr std::uint32_t kSupervisorInterrupts = kSupervisorSoftware | kSupervisorTimer | kSupervisorExternal;

class CpuOps;

/// A flow of control with a stack of its own (a task, or the code of a test): where its cycles are charged, which CPU
/// it is on. Lives in its owner; a CPU points to the one that it runs.
struct ExecContext {
  CallNode* node = nullptr;  ///< innermost running function
  CpuOps* cpu = nullptr;     ///< null while not on a CPU
  Privilege privilege = Privilege::supervisor;
};

/// Names the running function for cycle accounting as long as it lives. Follows its context across CPUs.
class FunctionScope {
 public:
  FunctionScope(ExecContext& context, CallNode& node) : context_(context) { context.node = &node; }
  ~FunctionScope() { context_.node = context_.node->parent; }
  FunctionScope(const FunctionScope&) = delete;
  FunctionScope& operator=(const FunctionScope&) = delete;

 private:
  ExecContext& context_;
};

/// What kernel, firmware and workload code may do to the machine. Every call costs simulated time on this CPU, may wait
/// for it, and may run interrupt handlers as nested calls before it returns. Code that can block must not keep the
/// reference across the block: it takes it anew from its task.
class CpuOps {
 public:
  virtual ~CpuOps() = default;

  virtual unsigned id() const = 0;
  /// Local time of this CPU since the start, in picoseconds. Never goes back.
  virtual std::uint64_t now_ps() const = 0;
  /// The context that this CPU runs.
  virtual ExecContext& context() = 0;
  virtual const FunctionTable& functions() const = 0;

  /// Runs `instructions` of the current function (charged to instructions, or firmware in machine mode).
  virtual void execute(std::uint64_t instructions) = 0;
  /// Spends `cycles` on `cause`.
  virtual void spend(std::uint64_t cycles, Cause cause) = 0;

  /// Memory through TLB and caches. 1, 2, 4 or 8 bytes, any alignment; machine mode addresses are physical.
  /// In user mode a missing translation enters the page-fault handler and tries again.
  virtual std::uint64_t load(Address va, unsigned bytes = 8) = 0;
  virtual void store(Address va, std::uint64_t value, unsigned bytes = 8) = 0;
  /// Clears or copies `bytes`, a multiple of 8 at a multiple of it: one access, or one at each side, for each line that
  /// they are in (wide or string instructions).
  virtual void store_zeros(Address va, unsigned bytes) = 0;
  virtual void copy(Address to, Address from, unsigned bytes) = 0;
  /// Returns the old value. compare_swap stores `operand` if the old value equals `expected`; a failed one still
  /// takes the line exclusively.
  virtual std::uint64_t atomic(AtomicOp op, Address va, std::uint64_t operand, unsigned bytes = 8,
                               std::uint64_t expected = 0) = 0;
  /// Device registers: physical address, 4 or 8 bytes, never cached.
  virtual std::uint64_t mmio_read(Address pa, unsigned bytes) = 0;
  virtual void mmio_write(Address pa, std::uint64_t value, unsigned bytes) = 0;
  virtual void barrier() = 0;

  /// Sets the page-table root (physical address, 4 KiB aligned) and the address-space id. `flush` drops the entries of
  /// that id, except global ones, as part of the instruction (CR3 without its bit 63).
  virtual void write_translation_base(Address root, std::uint16_t asid, bool flush = false) = 0;
  /// Writes any other system register whose value the model does not keep, with the synchronisation that has to follow.
  virtual void write_system_register() = 0;
  virtual void flush_tlb(const TlbFlush& flush) = 0;
  /// Invalidates in the TLBs of all CPUs, this one included, by a hardware broadcast (pdtlb, TLBI and their kin). The
  /// time is that of this CPU alone. Without `wait` it is only issued: the entries may be used until
  /// wait_for_broadcasts().
  virtual void broadcast_flush_tlb(const TlbFlush& flush, bool wait = true) = 0;
  /// A barrier that also waits for the broadcasts that this CPU has issued (DSB).
  virtual void wait_for_broadcasts() = 0;

  virtual Privilege privilege() const = 0;
  virtual void set_privilege(Privilege privilege) = 0;
  /// Supervisor interrupts on or off; returns the former setting. Machine interrupts are taken in every lower mode.
  virtual bool set_interrupts(bool enabled) = 0;
  virtual bool interrupts_enabled() const = 0;
  virtual std::uint32_t pending_interrupts() const = 0;
  /// Raises or clears supervisor-level pending bits of this CPU (as firmware does with sip).
  virtual void set_pending(std::uint32_t bits, bool level) = 0;
  /// Sleeps until an interrupt is pending, whether enabled or not; the time is idle.
  virtual void wait_for_interrupt() = 0;

  /// A spin loop: evaluates `done` (which makes its own accesses) until it returns true. Between two evaluations
  /// time passes until another agent takes one of the `watched` lines away or an interrupt becomes deliverable; it
  /// is charged to `cause`. `watched` are addresses as load() takes them, last read by `done`.
  virtual void spin_until(std::initializer_list<Address> watched, const Condition& done, Cause cause) = 0;

  /// spin_until for an idle CPU that monitors the lines in hardware (MONITOR and MWAIT): meanwhile the other threads of
  /// its core have its issue slots. An interrupt that becomes pending ends a wait even where it is not deliverable;
  /// `done` has to look for one.
  virtual void monitor_until(std::initializer_list<Address> watched, const Condition& done, Cause cause) {
    spin_until(watched, done, cause);
  }

  /// Names the function that runs until the result goes out of scope.
  FunctionScope function(FunctionId id) {
    ExecContext& running = context();
    CallNode& node = running.node->child(id, functions());
    ++node.calls;
    return FunctionScope(running, node);
  }
};

/// Entered by a CPU as a nested call on the running context, in the mode it handles, with deeper interrupts of its own
/// level off; leaves in the same state.
class TrapHandler {
 public:
  virtual ~TrapHandler() = default;
  virtual void interrupt(CpuOps& cpu, std::uint32_t pending) = 0;
};

enum class Access : std::uint8_t { load, store, fetch };

class FaultHandler {
 public:
  virtual ~FaultHandler() = default;
  /// Makes `va` accessible, or throws. Called in supervisor mode on the faulting context.
  virtual void page_fault(CpuOps& cpu, Address va, Access access) = 0;
  /// No TLB of a CPU that software refills holds `va`; the walk that follows stands for the insertion. Called in
  /// supervisor mode on the context that missed, with interrupts off. Must not touch addresses that it would serve.
  virtual void tlb_miss(CpuOps&, Address /*va*/) {}
};

/// Switches the privilege and back.
class PrivilegeScope {
 public:
  PrivilegeScope(CpuOps& cpu, Privilege to) : context_(cpu.context()), before_(cpu.privilege()) {
    context_.privilege = to;
  }
  ~PrivilegeScope() {
    if (context_.cpu != nullptr)
      context_.cpu->set_privilege(before_);
    else
      context_.privilege = before_;
  }
  PrivilegeScope(const PrivilegeScope&) = delete;
  PrivilegeScope& operator=(const PrivilegeScope&) = delete;

 private:
  ExecContext& context_;
  Privilege before_;
};

/// Told by kernel code about translations that must be gone. Reports a later use of one as a violation.
class TranslationObserver {
 public:
  virtual ~TranslationObserver() = default;
  /// `by` has just cleared the entry for `va` in the table at `root`, or taken rights from it; `owner` is the function
  /// that owes the flush. Translations that are read from the entry later are not meant.
  virtual void unmapped(const ExecContext& by, Address root, Address va, FunctionId owner) = 0;
  /// The caller relies from now on that no CPU holds a translation that `by` (null: anybody) reported for `root` before
  /// this call.
  virtual void flush_relied_on(const ExecContext* by, Address root) = 0;
  /// `cpu` runs in the address space at `root` from now on: entries of others with its id must not be used.
  virtual void switched(CpuOps& cpu, Address root) = 0;
};

}  // namespace switchyard::cpu

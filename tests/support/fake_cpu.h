// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iosfwd>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "cpu/logical_cpu.h"

namespace switchyard::test {

using base::Address;

/// One thing that code did to the machine, as FakeCpu saw it. Made by the functions below.
struct TraceEntry {
  enum class Kind : std::uint8_t {
    load,
    store,
    atomic,
    mmio_read,
    mmio_write,
    flush,
    broadcast_flush,
    broadcast_wait,
    sysreg,
    system_register,
    sip,
    barrier,
    spin,
    wfi
  };
  Kind kind = Kind::load;
  Address address = 0;      ///< of the access; root of a sysreg; page of a flush
  std::uint64_t value = 0;  ///< stored value; asid of a sysreg or flush; bits of a sip write
  cpu::AtomicOp op = cpu::AtomicOp::swap;
  cpu::TlbFlush::Scope scope = cpu::TlbFlush::Scope::all;
  bool flag = false;  ///< flush: any asid; sip: level; sysreg: flush
  bool operator==(const TraceEntry&) const = default;
};
std::ostream& operator<<(std::ostream& out, const TraceEntry& entry);

/// Entries in order of time. Not iterable itself: a failing BOOST_TEST then prints both sides.
class Trace {
 public:
  Trace() = default;
  Trace(std::initializer_list<TraceEntry> entries) : entries_(entries) {}
  void push_back(const TraceEntry& entry) { entries_.push_back(entry); }
  void clear() { entries_.clear(); }
  std::size_t size() const { return entries_.size(); }
  const TraceEntry& operator[](std::size_t index) const { return entries_[index]; }
  const std::vector<TraceEntry>& entries() const { return entries_; }
  bool operator==(const Trace&) const = default;

 private:
  std::vector<TraceEntry> entries_;
};
std::ostream& operator<<(std::ostream& out, const Trace& trace);

TraceEntry load(Address address);
TraceEntry store(Address address, std::uint64_t value);
TraceEntry atomic(cpu::AtomicOp op, Address address);
TraceEntry mmio_read(Address address);
TraceEntry mmio_write(Address address, std::uint64_t value);
/// Fields that the scope does not use are left out, pages are rounded down.
TraceEntry flush(const cpu::TlbFlush& flush);
TraceEntry flush_all();
TraceEntry flush_asid(std::uint16_t asid);
TraceEntry flush_page(Address va);
TraceEntry flush_page(Address va, std::uint16_t asid);
/// A broadcast_flush_tlb() of a page.
TraceEntry broadcast_flush_page(Address va, std::uint16_t asid);
TraceEntry broadcast_flush_asid(std::uint16_t asid);
/// A wait_for_broadcasts().
TraceEntry broadcast_wait();
TraceEntry sysreg(Address root, std::uint16_t asid);
/// A write_system_register().
TraceEntry system_register();
/// One that drops the entries of the id as well.
TraceEntry sysreg_flush(Address root, std::uint16_t asid);
/// A set_pending() call.
TraceEntry sip(std::uint32_t bits, bool level);
TraceEntry barrier();
/// A spin_until() that had to wait; the first watched address.
TraceEntry spin(Address address);
TraceEntry wfi();

/// Sparse memory, zero where nothing was written; several FakeCpus may share one. Device registers are plain memory
/// here: a hook on the address plays the device.
class FakeMemory : public cpu::DebugMemory {
 public:
  std::uint64_t peek(Address pa, unsigned bytes = 8) override;
  void poke(Address pa, std::uint64_t value, unsigned bytes = 8) override;

 private:
  std::unordered_map<Address, std::uint8_t> bytes_;
};

/// A recording LogicalCpu without hardware behind it. Virtual addresses equal physical ones, every instruction and
/// access takes one cycle, and hooks on addresses play the other CPUs and the devices. Interrupts raised with raise()
/// enter the handlers before the next operation, as on the real CPU.
class FakeCpu : public cpu::LogicalCpu {
 public:
  using Hook = std::function<void(FakeCpu&)>;

  /// With memory of its own.
  explicit FakeCpu(unsigned id = 0, std::uint64_t ps_per_cycle = 1);
  FakeCpu(FakeMemory& memory, unsigned id, std::uint64_t ps_per_cycle = 1);
  FakeCpu(const FakeCpu&) = delete;
  FakeCpu& operator=(const FakeCpu&) = delete;

  // What a test sees and does.
  const Trace& trace() const { return trace_; }
  void clear_trace() { trace_.clear(); }
  /// The recorded entries of one kind, in order.
  Trace trace(TraceEntry::Kind kind) const;
  FakeMemory& memory() { return memory_; }
  std::uint64_t instructions() const { return instructions_; }
  /// Cycles charged to `cause`, whatever the function.
  std::uint64_t cycles(cpu::Cause cause) const { return by_cause_[static_cast<std::size_t>(cause)]; }
  /// Root of the call tree of the context that the CPU starts with.
  cpu::CallNode& root() { return root_; }
  cpu::TrapHandler* machine_handler() const { return machine_handler_; }
  bool interrupts_enabled() const override { return interrupts_; }

  /// Runs `hook` at every access of exactly this address by this CPU: before a load reads, after a store or atomic
  /// has written. Replaces an earlier hook.
  void on_access(Address address, Hook hook) { hooks_[address] = std::move(hook); }
  /// Runs each time a spin loop finds its condition false.
  void on_spin(Hook hook) { spin_hook_ = std::move(hook); }
  /// Runs in wait_for_interrupt, which returns after it even when nothing is pending.
  void on_wfi(Hook hook) { wfi_hook_ = std::move(hook); }
  /// Runs at every TLB flush.
  void on_flush(Hook hook) { flush_hook_ = std::move(hook); }

  /// Sets or clears pending bits as interrupt lines do.
  void raise(std::uint32_t bits) { pending_ |= bits; }
  void lower(std::uint32_t bits) { pending_ &= ~bits; }
  /// Enters handlers of deliverable interrupts now.
  void take_interrupts();

  /// A page that faults at the next user access. The fault handler's return makes it present.
  void mark_absent(Address va) { marked_pages_[page(va)] = false; }
  void mark_present(Address va) { marked_pages_[page(va)] = true; }
  /// Every page that was not marked faults.
  void all_absent() { present_by_default_ = false; }
  void advance(std::uint64_t cycles) { cycle_ += cycles; }

  // CpuOps
  unsigned id() const override { return id_; }
  std::uint64_t now_ps() const override { return cycle_ * ps_per_cycle_; }
  cpu::ExecContext& context() override { return *context_; }
  const cpu::FunctionTable& functions() const override { return *functions_; }
  void execute(std::uint64_t instructions) override;
  void spend(std::uint64_t cycles, cpu::Cause cause) override;
  std::uint64_t load(Address va, unsigned bytes = 8) override;
  void store(Address va, std::uint64_t value, unsigned bytes = 8) override;
  /// Recorded as accesses of the first word of each 64 bytes.
  void store_zeros(Address va, unsigned bytes) override;
  void copy(Address to, Address from, unsigned bytes) override;
  std::uint64_t atomic(cpu::AtomicOp op, Address va, std::uint64_t operand, unsigned bytes = 8,
                       std::uint64_t expected = 0) override;
  std::uint64_t mmio_read(Address pa, unsigned bytes) override;
  void mmio_write(Address pa, std::uint64_t value, unsigned bytes) override;
  void barrier() override;
  void write_translation_base(Address root, std::uint16_t asid, bool flush = false) override;
  void flush_tlb(const cpu::TlbFlush& flush) override;
  void write_system_register() override;
  /// Only recorded, in the same way with `wait` and without: other FakeCpus hold no translations.
  void broadcast_flush_tlb(const cpu::TlbFlush& flush, bool wait = true) override;
  void wait_for_broadcasts() override;
  cpu::Privilege privilege() const override { return context_->privilege; }
  void set_privilege(cpu::Privilege privilege) override { context_->privilege = privilege; }
  bool set_interrupts(bool enabled) override;
  std::uint32_t pending_interrupts() const override { return pending_; }
  void set_pending(std::uint32_t bits, bool level) override;
  void wait_for_interrupt() override;
  /// Throws std::runtime_error when the condition is still false after a thousand evaluations.
  void spin_until(std::initializer_list<Address> watched, const cpu::Condition& done, cpu::Cause cause) override;

  // LogicalCpu
  void dispatch(cpu::ExecContext& next) override;
  void synchronise() override {}
  void set_machine_handler(cpu::TrapHandler* handler) override { machine_handler_ = handler; }
  void set_supervisor_handler(cpu::TrapHandler* handler) override { supervisor_handler_ = handler; }
  void set_fault_handler(cpu::FaultHandler* handler) override { fault_handler_ = handler; }
  void set_id(unsigned) override {}
  void set_broadcast_domain(std::shared_ptr<cpu::BroadcastDomain>) override {}
  void receive_tlb_flush(const cpu::TlbFlush&) override {}
  cpu::DebugMemory& debug_memory() override { return memory_; }
  void mark_owed(Address, std::uint64_t, std::uint64_t) override {}
  void mark_stale(std::uint64_t, cpu::FunctionId, std::uint64_t) override {}
  void mark_foreign(cpu::FunctionId) override {}
  void set_functions(const cpu::FunctionTable* functions) override { functions_ = functions; }
  std::uint64_t clock_hz() const override { return 1'000'000'000'000 / ps_per_cycle_; }
  std::uint64_t cycle() const override { return cycle_; }

 private:
  void start(const TraceEntry& entry);
  void run_hook(Address address);
  void require_page(Address va, cpu::Access access);
  static Address page(Address va) { return va & ~Address{4095}; }
  bool present(Address va) const;

  std::unique_ptr<FakeMemory> own_memory_;
  FakeMemory& memory_;
  const unsigned id_;
  const std::uint64_t ps_per_cycle_;
  std::uint64_t cycle_ = 0;
  std::uint64_t instructions_ = 0;
  std::array<std::uint64_t, cpu::kCauses> by_cause_{};
  Trace trace_;
  std::map<Address, Hook> hooks_;
  Hook spin_hook_, wfi_hook_, flush_hook_;
  std::uint32_t pending_ = 0;
  bool interrupts_ = true;
  bool present_by_default_ = true;
  std::map<Address, bool> marked_pages_;
  cpu::CallNode root_;
  cpu::ExecContext own_context_{&root_, this, cpu::Privilege::supervisor};
  cpu::ExecContext* context_ = &own_context_;
  const cpu::FunctionTable no_functions_;
  const cpu::FunctionTable* functions_ = &no_functions_;
  cpu::TrapHandler* machine_handler_ = nullptr;
  cpu::TrapHandler* supervisor_handler_ = nullptr;
  cpu::FaultHandler* fault_handler_ = nullptr;
};

}  // namespace switchyard::test

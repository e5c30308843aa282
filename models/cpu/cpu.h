// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <systemc>
#include <tlm>
#include <vector>

#include "base/random.h"
#include "base/stats.h"
#include "cpu/broadcast.h"
#include "cpu/cpu_params.h"
#include "cpu/logical_cpu.h"
#include "cpu/mmu.h"
#include "cpu/smt_thread.h"
#include "memory/cache.h"
#include "sim/clock.h"
#include "switchyard/coherence.h"
#include "switchyard/module.h"

namespace switchyard::cpu {

/// A logical CPU. It has no process of its own: it advances when a context that it runs calls CpuOps.
///
/// Time: the CPU counts its own cycles and may be ahead of SystemC time by the global quantum while it hits in its
/// first level cache and TLB. Everything else first waits for SystemC time to catch up (settle), so that misses, device
/// accesses and signals of all CPUs happen in the order of time; what follows within the same access is annotated.
/// Interrupts are taken when the CPU settles; a handler starts at the time of the interrupt, and work that the
/// interrupted code had done ahead of that time is paid for afterwards.
///
/// CPUs on one first-level cache are the threads of a core. Each runs ahead in the lines that it alone writes and in
/// those that all only read; a line that another thread has used otherwise is taken over in the order of time.
///
/// Port `data`: the first-level cache, or anything else that answers (then every access is a transaction).
/// Ports `msip`, `mtip`, `ssip`, `seip`: interrupt inputs.
class Cpu : public Module,
            public LogicalCpu,
            public memory::CoherenceChecked,
            public memory::LineWatcher,
            private PageTableReader {
 public:
  using Params = CpuParams;

  Cpu(const sc_core::sc_module_name& name, const Params& params);
  ~Cpu() override;

  std::vector<PortInfo> ports() const override;
  Initiator initiator(const std::string&) override { return {&data_, nullptr}; }
  InterruptLine& interrupt_in(const std::string& port) override;
  std::string check_wiring() const override;
  const base::StatGroup& stats() const override { return stats_; }

  void set_check(memory::CoherenceCheck* check) override { check_ = check; }

  // CpuOps
  unsigned id() const override { return id_; }
  std::uint64_t now_ps() const override { return clock_.ps_at(cycle_); }
  ExecContext& context() override { return *context_; }
  const FunctionTable& functions() const override { return *functions_; }
  void execute(std::uint64_t instructions) override;
  void spend(std::uint64_t cycles, Cause cause) override;
  std::uint64_t load(Address va, unsigned bytes = 8) override;
  void store(Address va, std::uint64_t value, unsigned bytes = 8) override;
  void store_zeros(Address va, unsigned bytes) override;
  void copy(Address to, Address from, unsigned bytes) override;
  std::uint64_t atomic(AtomicOp op, Address va, std::uint64_t operand, unsigned bytes = 8,
                       std::uint64_t expected = 0) override;
  std::uint64_t mmio_read(Address pa, unsigned bytes) override;
  void mmio_write(Address pa, std::uint64_t value, unsigned bytes) override;
  void barrier() override { charge(Cause::instructions, barrier_cycles_); }
  void write_translation_base(Address root, std::uint16_t asid, bool flush = false) override;
  void flush_tlb(const TlbFlush& flush) override;
  void write_system_register() override { charge(Cause::system_register, system_register_cycles_); }
  void broadcast_flush_tlb(const TlbFlush& flush, bool wait = true) override;
  void wait_for_broadcasts() override;
  Privilege privilege() const override { return context_->privilege; }
  void set_privilege(Privilege privilege) override;
  bool set_interrupts(bool enabled) override;
  bool interrupts_enabled() const override { return interrupts_enabled_; }
  std::uint32_t pending_interrupts() const override { return pending_; }
  void set_pending(std::uint32_t bits, bool level) override;
  void wait_for_interrupt() override;
  void spin_until(std::initializer_list<Address> watched, const Condition& done, Cause cause) override {
    wait_until(watched, done, cause, Slots::kept);
  }
  void monitor_until(std::initializer_list<Address> watched, const Condition& done, Cause cause) override {
    wait_until(watched, done, cause, Slots::released);
  }

  // LogicalCpu
  void dispatch(ExecContext& next) override;
  void synchronise() override { settle(true); }
  void set_machine_handler(TrapHandler* handler) override { machine_handler_ = handler; }
  void set_supervisor_handler(TrapHandler* handler) override { supervisor_handler_ = handler; }
  void set_fault_handler(FaultHandler* handler) override { fault_handler_ = handler; }
  void set_functions(const FunctionTable* functions) override { functions_ = functions; }
  void charge_wait(std::uint64_t now_ps) override;
  std::uint64_t clock_hz() const override { return clock_.hz(); }
  std::uint64_t cycle() const override { return cycle_; }
  void set_id(unsigned id) override { id_ = id; }
  void set_broadcast_domain(std::shared_ptr<BroadcastDomain> domain) override { broadcasts_.join(std::move(domain)); }
  void receive_tlb_flush(const TlbFlush& flush) override;
  DebugMemory& debug_memory() override { return debug_; }
  void mark_owed(Address root, std::uint64_t page, std::uint64_t debt) override { mmu_.mark_owed(root, page, debt); }
  void mark_stale(std::uint64_t page, FunctionId owner, std::uint64_t debt) override {
    mmu_.mark_stale(page, owner, debt);
  }
  void mark_foreign(FunctionId owner) override { mmu_.mark_foreign(owner); }

 private:
  struct Stats : base::StatGroup {
    base::Counter accesses{*this, "accesses", "count", "Loads, stores and atomics, split ones counted per line"};
    base::Counter l1_misses{*this, "l1_misses", "count", "Accesses that asked the first-level cache for a line"};
    base::Counter interrupts{*this, "interrupts", "count", "Interrupts taken"};
    base::Counter syncs{*this, "syncs", "count", "Waits for SystemC time"};
  };
  struct Pin : InterruptLine {
    Pin(Cpu& owner, std::uint32_t mask) : cpu(owner), bit(mask) {}
    void set(bool level) override { cpu.set_pending(bit, level); }
    Cpu& cpu;
    std::uint32_t bit;
  };
  struct SocketDebug : DebugMemory {
    explicit SocketDebug(InitiatorSocket& to) : socket(to) {}
    std::uint64_t peek(Address pa, unsigned bytes) override;
    void poke(Address pa, std::uint64_t value, unsigned bytes) override;
    void transport(Address pa, std::uint8_t* data, unsigned bytes, tlm::tlm_command command);
    InitiatorSocket& socket;
  };
  struct Backward : tlm::tlm_bw_transport_if<> {
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) override {
      return tlm::TLM_ACCEPTED;
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
  };

  void end_of_elaboration() override;
  void start_of_simulation() override;

  void charge(Cause cause, std::uint64_t cycles) {
    cycle_ += cycles;
    context_->node->cycles[static_cast<std::size_t>(cause)] += cycles;
  }
  std::uint8_t* reach(Address va, Access access, memory::LineState need);
  void find_page(Address va, Access access);
  std::uint8_t* reach_slowly(Address va, Access access, memory::LineState need);
  std::uint8_t* reach_shared(Address va, Access access, memory::LineState need);
  std::size_t line_of_thread(memory::LineState need);
  void join_core();
  bool physical(Address va, Access access);
  /// Sets pa_ without a TLB look-up where no translation is on, or the page was used recently.
  bool physical_quickly(Address va, Access access) {
    if (!mmu_.enabled() || context_->privilege == Privilege::machine) {
      pa_ = va;
      return true;
    }
    const Translation* entry = mmu_.quick(va >> 12);
    if (entry == nullptr || (access == Access::store && !entry->writable)) return false;
    pa_ = entry->physical_page(va >> 12) << 12 | (va & 4095);
    return true;
  }
  void transport(tlm::tlm_generic_payload& tx);
  void fill(Address pa, memory::LineState need, bool walking);
  void charge_miss(std::uint64_t before, bool walking);
  void fetch(const CallNode& node);
  void fault(Address va, Access access);
  [[noreturn]] void report_stale(Address va, const Translation& entry) const;
  [[noreturn]] void throw_bus_error(Address pa, const char* what) const;
  std::uint64_t read_entry(Address pa) override;
  void refill(Address va, Access access);
  void charge_translation(const Mmu::Cost& cost);
  std::uint64_t transact(Address pa, std::uint64_t value, unsigned bytes, bool write, Cause cause);
  /// How many of `bytes` at `va` lie in its line.
  unsigned in_line(Address va, unsigned bytes) const {
    return static_cast<unsigned>(std::min<std::uint64_t>(bytes, line_mask_ + 1 - (va & line_mask_)));
  }
  std::uint64_t access_split(Address va, std::uint64_t value, unsigned bytes, bool write);
  bool crosses(Address va, unsigned bytes) const { return (va & line_mask_) + bytes > line_mask_ + 1; }

  void settle(bool strictly = false);
  bool quiet_until(std::uint64_t now, std::uint64_t ps);
  void take_interrupts();
  bool interruptible() const;
  std::uint32_t deliverable() const;
  /// Whether a CPU that waits goes on using the issue slots of its core.
  enum class Slots : std::uint8_t { kept, released };
  void sleep(Cause cause, Slots slots);
  void wait_until(std::initializer_list<Address> watched, const Condition& done, Cause cause, Slots slots);
  void line_lost(const sc_core::sc_time& delay) override {
    if (delay == sc_core::SC_ZERO_TIME)
      wake_.notify();
    else
      wake_.notify(delay);
  }
  bool watch(Address va);
  bool arm(std::initializer_list<Address> watched);

  // Hot first.
  std::uint64_t cycle_ = 0;
  std::uint64_t limit_ = 0;    ///< settle when cycle_ gets here
  std::uint64_t settled_ = 0;  ///< up to here the order with other CPUs is decided; no interrupt starts earlier
  ExecContext* context_ = nullptr;
  memory::CacheArray* own_l1_ = nullptr;  ///< the first-level cache where no other CPU is on it
  std::uint64_t l1_cycles_ = 0;
  std::uint64_t line_mask_ = 7;
  std::uint64_t fetch_page_ = ~std::uint64_t{0};
  Address pa_ = 0;  ///< of the access under way
  memory::CoherenceCheck* check_ = nullptr;
  Stats stats_;  // before mmu_, which adds to it
  Mmu mmu_;

  memory::CacheArray* l1_ = nullptr;             ///< the first-level cache
  memory::ThreadLines* thread_lines_ = nullptr;  ///< of the first-level cache where others are on it
  unsigned thread_ = 0;                          ///< number on it
  const std::size_t threads_wanted_;             ///< that share issue slots; zero: none does
  unsigned id_ = 0;
  bool asleep_ = false;
  Cause sleeps_for_ = Cause::idle;
  std::uint64_t charged_ = 0;  ///< up to here the wait under way is charged
  const sim::Clock clock_;
  SmtThread smt_;
  std::uint64_t cpi_rest_ = 0;
  const std::uint64_t jitter_;  ///< share of one times 2^16
  base::RandomStream jitters_;
  const std::uint64_t l2_tlb_cycles_, walk_start_cycles_, walk_step_cycles_;
  const std::array<std::uint64_t, 3> fence_cycles_;  ///< by TlbFlush::Scope
  BroadcastIssuer broadcasts_;
  const bool refills_by_software_, atomics_in_memory_;
  const std::uint64_t translation_write_cycles_, system_register_cycles_, barrier_cycles_, atomic_cycles_, wfi_cycles_;
  std::uint64_t quantum_cycles_ = 0;
  std::uint32_t pending_ = 0;
  bool interrupts_enabled_ = false;
  std::uint64_t enabled_at_ = 0;  ///< since when supervisor interrupts are on; none starts earlier
  TrapHandler* machine_handler_ = nullptr;
  TrapHandler* supervisor_handler_ = nullptr;
  FaultHandler* fault_handler_ = nullptr;
  const FunctionTable* functions_ = nullptr;
  const sc_core::sc_time& sc_now_ = sc_core::sc_time_stamp();  ///< SystemC time, without a call
  unsigned asks_to_skip_ = 0;                                  ///< see quiet_until
  memory::Cache* cache_ = nullptr;
  sc_core::sc_event wake_;
  CallNode boot_node_;  ///< before the first dispatch
  ExecContext boot_context_;
  InitiatorSocket data_;
  Backward backward_;
  SocketDebug debug_;
  Pin msip_, mtip_, ssip_, seip_;
  tlm::tlm_generic_payload tx_;
  CoherenceExtension ext_;
  tlm::tlm_generic_payload plain_;
};

}  // namespace switchyard::cpu

// SPDX-License-Identifier: Apache-2.0
// Memory accesses of Cpu; transactions are in cpu_bus.cpp, time and interrupts in cpu_time.cpp.
#include "cpu/cpu.h"

#include <algorithm>
#include <sstream>

#include "base/errors.h"
#include "cpu/bytes.h"
#include "cpu/fixed_point.h"

namespace switchyard::cpu {

using memory::CacheArray;
using memory::LineState;

namespace {

std::uint64_t apply(AtomicOp op, std::uint64_t old, std::uint64_t operand, std::uint64_t expected) {
  switch (op) {
    case AtomicOp::swap:
      return operand;
    case AtomicOp::add:
      return old + operand;
    case AtomicOp::bit_or:
      return old | operand;
    case AtomicOp::bit_and:
      return old & operand;
    case AtomicOp::compare_swap:
      return old == expected ? operand : old;
  }
  return old;
}

}  // namespace

Cpu::Cpu(const sc_core::sc_module_name& name, const Params& params)
    : Module(name),
      mmu_(params, stats_),
      threads_wanted_(params.smt.throughput.size()),
      clock_(params.clock),
      smt_(params.smt, scaled(params.cpi), cycle_),
      jitter_(scaled(params.jitter.value)),
      jitters_(params.seed, this->name()),
      l2_tlb_cycles_(clock_.cycles(params.l2_tlb_latency)),
      walk_start_cycles_(clock_.cycles(params.page_walk.start)),
      walk_step_cycles_(clock_.cycles(params.page_walk.step)),
      fence_cycles_{clock_.cycles(params.fence.all), clock_.cycles(params.fence.asid),
                    clock_.cycles(params.fence.page)},
      broadcasts_(params.fence, clock_),
      refills_by_software_(params.page_walk.software),
      atomics_in_memory_(params.atomic_in == AtomicPlace::memory),
      translation_write_cycles_(clock_.cycles(params.translation_write)),
      system_register_cycles_(clock_.cycles(params.system_register)),
      barrier_cycles_(clock_.cycles(params.barrier)),
      atomic_cycles_(clock_.cycles(params.atomic)),
      wfi_cycles_(clock_.cycles(params.wfi_wake)),
      data_("data"),
      debug_(data_),
      msip_(*this, kMachineSoftware),
      mtip_(*this, kMachineTimer),
      ssip_(*this, kSupervisorSoftware),
      seip_(*this, kSupervisorExternal) {
  data_.bind(backward_);
  tx_.set_extension(&ext_);
  boot_context_ = {&boot_node_, this, Privilege::machine};
  context_ = &boot_context_;
}

Cpu::~Cpu() { tx_.clear_extension(&ext_); }

std::vector<PortInfo> Cpu::ports() const {
  return {{"data", PortKind::initiator},
          {"msip", PortKind::interrupt_in, false, false},
          {"mtip", PortKind::interrupt_in, false, false},
          {"ssip", PortKind::interrupt_in, false, false},
          {"seip", PortKind::interrupt_in, false, false}};
}

InterruptLine& Cpu::interrupt_in(const std::string& port) {
  if (port == "msip") return msip_;
  if (port == "mtip") return mtip_;
  if (port == "ssip") return ssip_;
  if (port == "seip") return seip_;
  return Module::interrupt_in(port);
}

void Cpu::end_of_elaboration() {
  auto* port = data_.size() > 0 ? dynamic_cast<memory::UpstreamPort*>(data_.get_interface(0)) : nullptr;
  cache_ = port != nullptr ? dynamic_cast<memory::Cache*>(&port->owner()) : nullptr;
  if (cache_ == nullptr) return;
  thread_ = cache_->add_watcher(*this);
  l1_ = &cache_->array();
  line_mask_ = l1_->line_size() - 1;
  l1_cycles_ = cache_->latency().unit == base::Latency::Unit::cycles && cache_->clock().hz() == clock_.hz()
                   ? cache_->latency().value
                   : clock_.cycle_at(cache_->clock().ps(cache_->latency()));
}

/// The bytes of `va` in the first-level cache, with the rights of `need`; nullptr where there is no such cache. Sets
/// pa_. Everything that is not a hit in both TLB and cache goes the slow way.
inline std::uint8_t* Cpu::reach(Address va, Access access, LineState need) {
  ++stats_.accesses;
  if (cycle_ < limit_ && own_l1_ != nullptr) [[likely]] {
    if (physical_quickly(va, access)) [[likely]] {
      const std::size_t slot = own_l1_->hit(pa_, need);
      if (slot != CacheArray::kNone) [[likely]] {
        charge(Cause::l1_hit, l1_cycles_);
        if (need == LineState::exclusive) own_l1_->set_state(slot, LineState::modified);
        return own_l1_->byte(slot, pa_);
      }
    }
  }
  return reach_slowly(va, access, need);
}

std::uint64_t Cpu::load(Address va, unsigned bytes) {
  if (crosses(va, bytes)) [[unlikely]]
    return access_split(va, 0, bytes, false);
  const std::uint8_t* at = reach(va, Access::load, LineState::shared);
  const std::uint64_t value = at != nullptr ? read_bytes(at, bytes) : transact(pa_, 0, bytes, false, Cause::memory);
  if (check_ != nullptr) [[unlikely]]
    check_->read(id_, pa_, value, bytes);
  return value;
}

void Cpu::store(Address va, std::uint64_t value, unsigned bytes) {
  if (crosses(va, bytes)) [[unlikely]] {
    access_split(va, value, bytes, true);
    return;
  }
  if (std::uint8_t* at = reach(va, Access::store, LineState::exclusive))
    write_bytes(at, value, bytes);
  else
    transact(pa_, value, bytes, true, Cause::memory);
  if (check_ != nullptr) [[unlikely]]
    check_->wrote(pa_, value, bytes);
}

void Cpu::store_zeros(Address va, unsigned bytes) {
  for (unsigned done = 0; done < bytes;) {
    const unsigned part = in_line(va + done, bytes - done);
    if (std::uint8_t* at = reach(va + done, Access::store, LineState::exclusive))
      std::memset(at, 0, part);
    else
      for (unsigned i = 0; i < part; i += 8) transact(pa_ + i, 0, 8, true, Cause::memory);
    for (unsigned i = 0; check_ != nullptr && i < part; i += 8) check_->wrote(pa_ + i, 0, 8);
    done += part;
  }
}

void Cpu::copy(Address to, Address from, unsigned bytes) {
  std::array<std::uint64_t, 8> words;
  for (unsigned done = 0; done < bytes;) {
    const unsigned part = std::min(in_line(to + done, bytes - done), in_line(from + done, sizeof words));
    const std::uint8_t* source = reach(from + done, Access::load, LineState::shared);
    for (unsigned i = 0; i < part; i += 8) {
      words[i / 8] = source != nullptr ? read_bytes(source + i, 8) : transact(pa_ + i, 0, 8, false, Cause::memory);
      if (check_ != nullptr) check_->read(id_, pa_ + i, words[i / 8], 8);
    }
    std::uint8_t* target = reach(to + done, Access::store, LineState::exclusive);
    for (unsigned i = 0; i < part; i += 8) {
      if (target != nullptr)
        write_bytes(target + i, words[i / 8], 8);
      else
        transact(pa_ + i, words[i / 8], 8, true, Cause::memory);
      if (check_ != nullptr) check_->wrote(pa_ + i, words[i / 8], 8);
    }
    done += part;
  }
}

std::uint64_t Cpu::atomic(AtomicOp op, Address va, std::uint64_t operand, unsigned bytes, std::uint64_t expected) {
  SWITCHYARD_ASSERT(!crosses(va, bytes), "atomics are naturally aligned");
  std::uint8_t* at = nullptr;
  if (atomics_in_memory_) [[unlikely]]
    find_page(va, Access::store);
  else
    at = reach(va, Access::store, LineState::exclusive);
  const std::uint64_t old = at != nullptr ? read_bytes(at, bytes) : transact(pa_, 0, bytes, false, Cause::memory);
  const std::uint64_t next = truncated(apply(op, old, operand, truncated(expected, bytes)), bytes);
  if (check_ != nullptr) [[unlikely]]
    check_->read(id_, pa_, old, bytes);
  if (at != nullptr)
    write_bytes(at, next, bytes);
  else
    transact(pa_, next, bytes, true, Cause::memory);
  if (check_ != nullptr) [[unlikely]]
    check_->wrote(pa_, next, bytes);
  charge(Cause::instructions, atomic_cycles_);
  // It waits for somebody: the next access has to happen in the order of time.
  if (op == AtomicOp::compare_swap && old != truncated(expected, bytes)) limit_ = 0;
  return old;
}

/// Settles and sets pa_, with whatever page faults that takes.
void Cpu::find_page(Address va, Access access) {
  for (;;) {
    settle();
    if (refills_by_software_) [[unlikely]]
      refill(va, access);
    if (physical(va, access)) return;
    fault(va, access);
  }
}

/// Runs the kernel's miss handler if no TLB holds `va`. This CPU is settled before and after.
void Cpu::refill(Address va, Access access) {
  if (fault_handler_ == nullptr || !mmu_.enabled() || context_->privilege == Privilege::machine) return;
  if (!mmu_.misses(va >> 12, access)) return;
  {
    const PrivilegeScope supervisor(*this, Privilege::supervisor);
    const bool enabled = set_interrupts(false);
    fault_handler_->tlb_miss(*this, va);
    set_interrupts(enabled);
  }
  settle();
}

/// Nothing waits between the end of settle() and the return, so that the line is still there when it is used.
std::uint8_t* Cpu::reach_slowly(Address va, Access access, LineState need) {
  if (thread_lines_ != nullptr)
    if (std::uint8_t* at = reach_shared(va, access, need)) return at;
  for (;;) {
    find_page(va, access);
    if (l1_ == nullptr) return nullptr;
    if (thread_lines_ != nullptr) {
      const std::size_t slot = line_of_thread(need);
      if (slot == CacheArray::kNone) continue;
      return l1_->byte(slot, pa_);
    }
    std::size_t slot = l1_->settled_hit(pa_, need);
    if (slot == CacheArray::kNone) {
      fill(pa_, need, false);
      slot = l1_->settled_hit(pa_, need);
      if (slot == CacheArray::kNone) continue;  // a target below waited, and another CPU took the line meanwhile
    }
    charge(Cause::l1_hit, l1_cycles_);
    if (need == LineState::exclusive) l1_->set_state(slot, LineState::modified);
    return l1_->byte(slot, pa_);
  }
}

/// Translates into pa_; false when there is no translation for `access`.
bool Cpu::physical(Address va, Access access) {
  if (physical_quickly(va, access)) return true;
  Mmu::Cost cost;
  const Translation* entry = mmu_.translate(va >> 12, access, *this, cost);
  charge_translation(cost);
  if (entry == nullptr) return false;
  if (entry->stale) report_stale(va, *entry);
  pa_ = entry->physical_page(va >> 12) << 12 | (va & 4095);
  return true;
}

void Cpu::charge_translation(const Mmu::Cost& cost) {
  if (cost.second_level) charge(Cause::tlb_walk, l2_tlb_cycles_);
  if (cost.walked) charge(Cause::tlb_walk, walk_start_cycles_ + cost.steps * walk_step_cycles_);
}

std::uint64_t Cpu::read_entry(Address pa) {
  if (l1_ == nullptr) return transact(pa, 0, 8, false, Cause::tlb_walk);
  std::size_t slot = l1_->settled_hit(pa, LineState::shared);
  while (slot == CacheArray::kNone) {
    fill(pa, LineState::shared, true);
    slot = l1_->settled_hit(pa, LineState::shared);
  }
  charge(Cause::tlb_walk, l1_cycles_);
  const std::uint64_t entry = read_bytes(l1_->byte(slot, pa), 8);
  if (check_ != nullptr) check_->read(id_, pa, entry, 8);
  return entry;
}

/// Asks the first-level cache for the line of `pa`.
void Cpu::fill(Address pa, LineState need, bool walking) {
  ++stats_.l1_misses;
  tx_.set_command(tlm::TLM_IGNORE_COMMAND);
  tx_.set_address(pa);
  tx_.set_data_length(1);
  tx_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  ext_.request = need == LineState::shared ? Coherence::read_shared : Coherence::read_unique;
  ext_.spent = {};
  const std::uint64_t before = cycle_;
  transport(tx_);
  if (!tx_.is_response_ok()) throw_bus_error(pa, need == LineState::shared ? "read" : "write");
  charge_miss(before, walking);
}

/// Divides the time of a miss among its causes; what no target claimed counts as the second level.
void Cpu::charge_miss(std::uint64_t before, bool walking) {
  std::uint64_t rest = cycle_ - before;
  auto& cells = context_->node->cycles;
  const auto give = [&](Cause cause, std::uint64_t ps) {
    const std::uint64_t part = std::min(rest, clock_.cycle_at(ps));
    cells[static_cast<std::size_t>(cause)] += part;
    rest -= part;
  };
  if (walking) {
    cells[static_cast<std::size_t>(Cause::tlb_walk)] += rest;
    return;
  }
  give(Cause::coherence, ext_.spent.coherence);
  give(Cause::memory, ext_.spent.memory);
  give(Cause::llc_hit, ext_.spent.last_level);
  cells[static_cast<std::size_t>(Cause::l2_hit)] += rest;
}

std::uint64_t Cpu::access_split(Address va, std::uint64_t value, unsigned bytes, bool write) {
  const auto first = static_cast<unsigned>(line_mask_ + 1 - (va & line_mask_));
  std::uint64_t result = 0;
  for (unsigned done = 0; done < bytes;) {
    const unsigned part = done == 0 ? first : bytes - done;
    if (write)
      store(va + done, truncated(value >> (8 * done), part), part);
    else
      result |= load(va + done, part) << (8 * done);
    done += part;
  }
  return result;
}

void Cpu::fault(Address va, Access access) {
  if (fault_handler_ == nullptr) {
    std::ostringstream text;
    text << "CPU " << id_ << ": no translation for 0x" << std::hex << va << " and no page-fault handler";
    throw base::CheckError(text.str());
  }
  const PrivilegeScope supervisor(*this, Privilege::supervisor);
  const bool enabled = interrupts_enabled_;
  fault_handler_->page_fault(*this, va, access);
  interrupts_enabled_ = enabled;
}

void Cpu::report_stale(Address va, const Translation& entry) const {
  std::ostringstream text;
  text << "stale translation: CPU " << id_ << " used 0x" << std::hex << va << std::dec << " at " << now_ps()
       << " ps in " << (*functions_)[context_->node->function].name << "; " << (*functions_)[entry.owed_by].name
       << " owed the flush";
  throw base::CheckError(text.str());
}

void Cpu::fetch(const CallNode& node) {
  const std::uint64_t page = node.text >> 12;
  while (true) {
    settle();
    if (refills_by_software_) [[unlikely]]
      refill(node.text, Access::fetch);
    Mmu::Cost cost;
    const Translation* entry = mmu_.translate(page, Access::fetch, *this, cost);
    charge_translation(cost);
    if (entry != nullptr) {
      if (entry->stale) report_stale(node.text, *entry);
      break;
    }
    fault(node.text, Access::fetch);
  }
  fetch_page_ = page;
}

void Cpu::write_translation_base(Address root, std::uint16_t asid, bool flush) {
  charge(Cause::system_register, translation_write_cycles_);
  mmu_.set_root(root, asid);
  if (flush) mmu_.flush({.scope = TlbFlush::Scope::asid, .asid = asid});
  fetch_page_ = ~std::uint64_t{0};
}

void Cpu::flush_tlb(const TlbFlush& flush) {
  charge(Cause::fence, fence_cycles_[static_cast<std::size_t>(mmu_.flush(flush))]);
  fetch_page_ = ~std::uint64_t{0};
}

void Cpu::receive_tlb_flush(const TlbFlush& flush) {
  mmu_.flush(flush);
  fetch_page_ = ~std::uint64_t{0};
}

/// Takes place at this CPU's time, in order with what the others do.
void Cpu::broadcast_flush_tlb(const TlbFlush& flush, bool wait) {
  charge(Cause::fence, broadcasts_.issue(flush));
  if (wait) wait_for_broadcasts();
}

void Cpu::wait_for_broadcasts() {
  if (!broadcasts_.outstanding()) return barrier();
  settle();
  charge(Cause::fence, broadcasts_.complete(*this));
}

}  // namespace switchyard::cpu

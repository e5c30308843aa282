// SPDX-License-Identifier: Apache-2.0
#include "support/fake_cpu.h"

#include <ostream>
#include <stdexcept>
#include <string>
#include <utility>

namespace switchyard::test {

using Kind = TraceEntry::Kind;

namespace {

constexpr Address kPageMask = ~Address{4095};
constexpr unsigned kMostSpins = 1000;

const char* name(cpu::AtomicOp op) {
  static constexpr std::array<const char*, 5> kNames{"swap", "add", "or", "and", "cas"};
  return kNames[static_cast<std::size_t>(op)];
}

std::string hex(std::uint64_t value) {
  static constexpr const char* kDigits = "0123456789abcdef";
  std::string digits;
  do digits.insert(digits.begin(), kDigits[value & 15]);
  while ((value >>= 4) != 0);
  return "0x" + digits;
}

std::string flush_text(const TraceEntry& entry) {
  switch (entry.scope) {
    case cpu::TlbFlush::Scope::all:
      return "flush_all()";
    case cpu::TlbFlush::Scope::asid:
      return "flush_asid(" + std::to_string(entry.value) + ")";
    case cpu::TlbFlush::Scope::page:
      break;
  }
  return "flush_page(" + hex(entry.address) + (entry.flag ? "" : ", " + std::to_string(entry.value)) + ")";
}

std::string text(const TraceEntry& entry) {
  switch (entry.kind) {
    case Kind::load:
      return "load(" + hex(entry.address) + ")";
    case Kind::store:
      return "store(" + hex(entry.address) + ", " + hex(entry.value) + ")";
    case Kind::atomic:
      return std::string("atomic(") + name(entry.op) + ", " + hex(entry.address) + ")";
    case Kind::mmio_read:
      return "mmio_read(" + hex(entry.address) + ")";
    case Kind::mmio_write:
      return "mmio_write(" + hex(entry.address) + ", " + hex(entry.value) + ")";
    case Kind::flush:
      return flush_text(entry);
    case Kind::broadcast_flush:
      return "broadcast_" + flush_text(entry);
    case Kind::broadcast_wait:
      return "broadcast_wait()";
    case Kind::system_register:
      return "system_register()";
    case Kind::sysreg:
      return "sysreg(" + hex(entry.address) + ", " + std::to_string(entry.value) + (entry.flag ? ", flush)" : ")");
    case Kind::sip:
      return "sip(" + hex(entry.value) + (entry.flag ? ", set)" : ", clear)");
    case Kind::barrier:
      return "barrier()";
    case Kind::spin:
      return "spin(" + hex(entry.address) + ")";
    case Kind::wfi:
      return "wfi()";
  }
  return "?";
}

TraceEntry plain(Kind kind, Address address = 0, std::uint64_t value = 0) {
  TraceEntry entry;
  entry.kind = kind;
  entry.address = address;
  entry.value = value;
  return entry;
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const TraceEntry& entry) { return out << text(entry); }

std::ostream& operator<<(std::ostream& out, const Trace& trace) {
  out << "{";
  for (const auto& entry : trace.entries()) out << "\n  " << entry;
  return out << "}";
}

TraceEntry load(Address address) { return plain(Kind::load, address); }
TraceEntry store(Address address, std::uint64_t value) { return plain(Kind::store, address, value); }
TraceEntry atomic(cpu::AtomicOp op, Address address) {
  TraceEntry entry = plain(Kind::atomic, address);
  entry.op = op;
  return entry;
}
TraceEntry mmio_read(Address address) { return plain(Kind::mmio_read, address); }
TraceEntry mmio_write(Address address, std::uint64_t value) { return plain(Kind::mmio_write, address, value); }
TraceEntry flush(const cpu::TlbFlush& flush) {
  using Scope = cpu::TlbFlush::Scope;
  TraceEntry entry = plain(Kind::flush);
  entry.scope = flush.scope;
  if (flush.scope == Scope::page) {
    entry.address = flush.va & kPageMask;
    entry.flag = flush.any_asid;
  }
  if (flush.scope == Scope::asid || (flush.scope == Scope::page && !flush.any_asid)) entry.value = flush.asid;
  return entry;
}
TraceEntry broadcast_flush_page(Address va, std::uint16_t asid) {
  TraceEntry entry = flush_page(va, asid);
  entry.kind = Kind::broadcast_flush;
  return entry;
}
TraceEntry broadcast_flush_asid(std::uint16_t asid) {
  TraceEntry entry = flush_asid(asid);
  entry.kind = Kind::broadcast_flush;
  return entry;
}
TraceEntry broadcast_wait() { return plain(Kind::broadcast_wait); }
TraceEntry system_register() { return plain(Kind::system_register); }
TraceEntry flush_all() { return flush(cpu::TlbFlush{}); }
TraceEntry flush_asid(std::uint16_t asid) { return flush({cpu::TlbFlush::Scope::asid, 0, asid, false}); }
TraceEntry flush_page(Address va) { return flush({cpu::TlbFlush::Scope::page, va, 0, true}); }
TraceEntry flush_page(Address va, std::uint16_t asid) { return flush({cpu::TlbFlush::Scope::page, va, asid, false}); }
TraceEntry sysreg(Address root, std::uint16_t asid) { return plain(Kind::sysreg, root, asid); }
TraceEntry sysreg_flush(Address root, std::uint16_t asid) {
  TraceEntry entry = sysreg(root, asid);
  entry.flag = true;
  return entry;
}
TraceEntry sip(std::uint32_t bits, bool level) {
  TraceEntry entry = plain(Kind::sip, 0, bits);
  entry.flag = level;
  return entry;
}
TraceEntry barrier() { return plain(Kind::barrier); }
TraceEntry spin(Address address) { return plain(Kind::spin, address); }
TraceEntry wfi() { return plain(Kind::wfi); }

std::uint64_t FakeMemory::peek(Address pa, unsigned bytes) {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < bytes; ++i)
    if (const auto it = bytes_.find(pa + i); it != bytes_.end()) value |= std::uint64_t{it->second} << (8 * i);
  return value;
}

void FakeMemory::poke(Address pa, std::uint64_t value, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i) bytes_[pa + i] = static_cast<std::uint8_t>(value >> (8 * i));
}

FakeCpu::FakeCpu(unsigned id, std::uint64_t ps_per_cycle)
    : own_memory_(std::make_unique<FakeMemory>()), memory_(*own_memory_), id_(id), ps_per_cycle_(ps_per_cycle) {}

FakeCpu::FakeCpu(FakeMemory& memory, unsigned id, std::uint64_t ps_per_cycle)
    : memory_(memory), id_(id), ps_per_cycle_(ps_per_cycle) {}

Trace FakeCpu::trace(TraceEntry::Kind kind) const {
  Trace result;
  for (const auto& entry : trace_.entries())
    if (entry.kind == kind) result.push_back(entry);
  return result;
}

void FakeCpu::take_interrupts() {
  if (machine_handler_ != nullptr && privilege() != cpu::Privilege::machine &&
      (pending_ & cpu::kMachineInterrupts) != 0) {
    const cpu::PrivilegeScope scope(*this, cpu::Privilege::machine);
    machine_handler_->interrupt(*this, pending_ & cpu::kMachineInterrupts);
  }
  const bool open = privilege() == cpu::Privilege::user || (privilege() == cpu::Privilege::supervisor && interrupts_);
  if (supervisor_handler_ != nullptr && open && (pending_ & cpu::kSupervisorInterrupts) != 0) {
    const bool before = std::exchange(interrupts_, false);
    {
      const cpu::PrivilegeScope scope(*this, cpu::Privilege::supervisor);
      supervisor_handler_->interrupt(*this, pending_ & cpu::kSupervisorInterrupts);
    }
    interrupts_ = before;
  }
}

void FakeCpu::execute(std::uint64_t instructions) {
  take_interrupts();
  instructions_ += instructions;
  spend(instructions, privilege() == cpu::Privilege::machine ? cpu::Cause::firmware : cpu::Cause::instructions);
}

void FakeCpu::spend(std::uint64_t cycles, cpu::Cause cause) {
  cycle_ += cycles;
  const auto index = static_cast<std::size_t>(cause);
  by_cause_[index] += cycles;
  context_->node->cycles[index] += cycles;
}

std::uint64_t FakeCpu::load(Address va, unsigned bytes) {
  take_interrupts();
  require_page(va, cpu::Access::load);
  start(test::load(va));
  run_hook(va);
  return memory_.peek(va, bytes);
}

void FakeCpu::store(Address va, std::uint64_t value, unsigned bytes) {
  take_interrupts();
  require_page(va, cpu::Access::store);
  start(test::store(va, value));
  memory_.poke(va, value, bytes);
  run_hook(va);
}

void FakeCpu::store_zeros(Address va, unsigned bytes) {
  for (unsigned i = 0; i < bytes; i += 8) i % 64 == 0 ? store(va + i, 0) : memory_.poke(va + i, 0, 8);
}

void FakeCpu::copy(Address to, Address from, unsigned bytes) {
  for (unsigned i = 0; i < bytes; i += 8) {
    const std::uint64_t word = i % 64 == 0 ? load(from + i) : memory_.peek(from + i, 8);
    i % 64 == 0 ? store(to + i, word) : memory_.poke(to + i, word, 8);
  }
}

std::uint64_t FakeCpu::atomic(cpu::AtomicOp op, Address va, std::uint64_t operand, unsigned bytes,
                              std::uint64_t expected) {
  take_interrupts();
  require_page(va, cpu::Access::store);
  start(test::atomic(op, va));
  const std::uint64_t old = memory_.peek(va, bytes);
  switch (op) {
    case cpu::AtomicOp::swap:
      memory_.poke(va, operand, bytes);
      break;
    case cpu::AtomicOp::add:
      memory_.poke(va, old + operand, bytes);
      break;
    case cpu::AtomicOp::bit_or:
      memory_.poke(va, old | operand, bytes);
      break;
    case cpu::AtomicOp::bit_and:
      memory_.poke(va, old & operand, bytes);
      break;
    case cpu::AtomicOp::compare_swap:
      if (old == expected) memory_.poke(va, operand, bytes);
      break;
  }
  run_hook(va);
  return old;
}

std::uint64_t FakeCpu::mmio_read(Address pa, unsigned bytes) {
  take_interrupts();
  start(test::mmio_read(pa));
  run_hook(pa);
  return memory_.peek(pa, bytes);
}

void FakeCpu::mmio_write(Address pa, std::uint64_t value, unsigned bytes) {
  take_interrupts();
  start(test::mmio_write(pa, value));
  memory_.poke(pa, value, bytes);
  run_hook(pa);
}

void FakeCpu::barrier() {
  take_interrupts();
  start(test::barrier());
}

void FakeCpu::write_translation_base(Address root, std::uint16_t asid, bool flush) {
  take_interrupts();
  start(flush ? test::sysreg_flush(root, asid) : test::sysreg(root, asid));
}

void FakeCpu::flush_tlb(const cpu::TlbFlush& flush) {
  take_interrupts();
  start(test::flush(flush));
  if (flush_hook_) flush_hook_(*this);
}

void FakeCpu::write_system_register() {
  take_interrupts();
  start(test::system_register());
}

void FakeCpu::wait_for_broadcasts() {
  take_interrupts();
  start(test::broadcast_wait());
}

void FakeCpu::broadcast_flush_tlb(const cpu::TlbFlush& flush, bool) {
  take_interrupts();
  TraceEntry entry = test::flush(flush);
  entry.kind = Kind::broadcast_flush;
  start(entry);
}

bool FakeCpu::set_interrupts(bool enabled) {
  const bool before = std::exchange(interrupts_, enabled);
  take_interrupts();
  return before;
}

void FakeCpu::set_pending(std::uint32_t bits, bool level) {
  start(test::sip(bits, level));
  level ? raise(bits) : lower(bits);
}

void FakeCpu::wait_for_interrupt() {
  start(test::wfi());
  if (wfi_hook_) wfi_hook_(*this);
  take_interrupts();
}

void FakeCpu::spin_until(std::initializer_list<Address> watched, const cpu::Condition& done, cpu::Cause cause) {
  take_interrupts();
  if (done()) return;
  start(test::spin(watched.size() == 0 ? 0 : *watched.begin()));
  for (unsigned i = 0; i < kMostSpins; ++i) {
    spend(1, cause);
    if (spin_hook_) spin_hook_(*this);
    take_interrupts();
    if (done()) return;
  }
  throw std::runtime_error("FakeCpu " + std::to_string(id_) + ": nobody ends the spin loop on " +
                           hex(watched.size() == 0 ? 0 : *watched.begin()));
}

void FakeCpu::dispatch(cpu::ExecContext& next) {
  context_->cpu = nullptr;
  next.cpu = this;
  context_ = &next;
}

void FakeCpu::start(const TraceEntry& entry) {
  trace_.push_back(entry);
  spend(1, privilege() == cpu::Privilege::machine ? cpu::Cause::firmware : cpu::Cause::instructions);
}

void FakeCpu::run_hook(Address address) {
  if (const auto it = hooks_.find(address); it != hooks_.end()) it->second(*this);
}

void FakeCpu::require_page(Address va, cpu::Access access) {
  if (privilege() != cpu::Privilege::user || present(va) || fault_handler_ == nullptr) return;
  {
    const cpu::PrivilegeScope scope(*this, cpu::Privilege::supervisor);
    fault_handler_->page_fault(*this, va, access);
  }
  mark_present(va);
}

bool FakeCpu::present(Address va) const {
  const auto it = marked_pages_.find(page(va));
  return it == marked_pages_.end() ? present_by_default_ : it->second;
}

}  // namespace switchyard::test

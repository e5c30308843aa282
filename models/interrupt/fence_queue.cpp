// SPDX-License-Identifier: Apache-2.0
#include "interrupt/fence_queue.h"

#include <algorithm>

namespace switchyard::interrupt {

using base::Address;
using cpu::AtomicOp;
using cpu::CpuOps;

namespace {

constexpr std::uint64_t kAsidPresent = std::uint64_t{1} << 16;

std::uint64_t asid_word(const FenceRange& range) { return range.asid ? kAsidPresent | *range.asid : 0; }

bool overlap(const FenceRange& a, const FenceRange& b) {
  return a.start <= b.start ? b.start - a.start < a.size : a.start - b.start < b.size;
}

/// One range that covers both; they overlap or one is everything.
FenceRange join(const FenceRange& a, const FenceRange& b) {
  if (a.size == FenceRange::kWholeSpace || b.size == FenceRange::kWholeSpace)
    return {0, FenceRange::kWholeSpace, a.asid};
  const Address start = std::min(a.start, b.start);
  return {start, std::max(a.start + a.size, b.start + b.size) - start, a.asid};
}

}  // namespace

ScratchLayout::ScratchLayout(const OpenSbiParams& params, unsigned harts)
    : base_(params.memory),
      stride_(params.stride.value),
      align_(params.field_align.value),
      mask_words_((harts + 63) / 64) {}

class FenceQueue::Guard {
 public:
  Guard(CpuOps& cpu, Address lock) : cpu_(cpu), lock_(lock) {
    const std::uint64_t before = cpu.atomic(AtomicOp::add, lock, 0x10000, 4);
    ticket_ = before >> 16;
    if ((before & 0xffff) == ticket_) return;
    cpu.spin_until(
        {lock}, [this] { return (cpu_.load(lock_, 4) & 0xffff) == ticket_; }, cpu::Cause::lock_spin);
  }
  ~Guard() { cpu_.store(lock_, ticket_ + 1, 2); }
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

 private:
  CpuOps& cpu_;
  const Address lock_;
  std::uint64_t ticket_;
};

FenceQueue::FenceQueue(const ScratchLayout& layout, const OpenSbiParams& params, const FirmwarePace& pace,
                       cpu::FunctionTable& functions)
    : layout_(layout),
      entries_(static_cast<unsigned>(params.fifo_entries)),
      costs_(params.costs),
      pace_(pace),
      update_(functions.add("sbi_fifo_inplace_update", cpu::Domain::firmware)),
      enqueue_(functions.add("sbi_fifo_enqueue", cpu::Domain::firmware)),
      dequeue_(functions.add("sbi_fifo_dequeue", cpu::Domain::firmware)) {}

bool FenceQueue::merge(CpuOps& cpu, unsigned owner, const FenceRequest& request) {
  const auto scope = cpu.function(update_);
  pace_.run(cpu, costs_.queue_update);
  const Guard guard(cpu, layout_.queue_lock(owner));
  const Ring ring = load_ring(cpu, owner);
  for (unsigned i = 0; i < ring.used; ++i)
    if (merge_into(cpu, slot(owner, ring, i), request)) return true;
  return false;
}

bool FenceQueue::merge_into(CpuOps& cpu, Address entry, const FenceRequest& request) const {
  pace_.run(cpu, costs_.queue_compare);
  const FenceRange there = load_range(cpu, entry);
  if (there.asid != request.range.asid || !overlap(there, request.range)) return false;
  const FenceRange both = join(there, request.range);
  if (both.start != there.start) cpu.store(entry, both.start);
  if (both.size != there.size) cpu.store(entry + 8, both.size);
  for (unsigned w = 0; w < layout_.mask_words(); ++w) {
    if (request.sources.word(w) == 0) continue;
    const Address word = entry + 24 + 8 * w;
    cpu.store(word, cpu.load(word) | request.sources.word(w));
  }
  return true;
}

bool FenceQueue::push(CpuOps& cpu, unsigned owner, const FenceRequest& request) {
  const auto scope = cpu.function(enqueue_);
  pace_.run(cpu, costs_.queue_update);
  const Guard guard(cpu, layout_.queue_lock(owner));
  Ring ring = load_ring(cpu, owner);
  if (ring.used == entries_) return false;
  const Address entry = slot(owner, ring, ring.used);
  cpu.store(entry, request.range.start);
  cpu.store(entry + 8, request.range.size);
  cpu.store(entry + 16, asid_word(request.range));
  for (unsigned w = 0; w < layout_.mask_words(); ++w) cpu.store(entry + 24 + 8 * w, request.sources.word(w));
  ++ring.used;
  store_ring(cpu, owner, ring);
  return true;
}

std::optional<FenceRequest> FenceQueue::pop(CpuOps& cpu, unsigned owner) {
  const auto scope = cpu.function(dequeue_);
  pace_.run(cpu, costs_.queue_update);
  const Guard guard(cpu, layout_.queue_lock(owner));
  Ring ring = load_ring(cpu, owner);
  if (ring.used == 0) return std::nullopt;
  const Address entry = slot(owner, ring, 0);
  FenceRequest request{load_range(cpu, entry), {}};
  for (unsigned w = 0; w < layout_.mask_words(); ++w) request.sources.set_word(w, cpu.load(entry + 24 + 8 * w));
  ring = {(ring.first + 1) % entries_, ring.used - 1};
  store_ring(cpu, owner, ring);
  return request;
}

FenceQueue::Ring FenceQueue::load_ring(CpuOps& cpu, unsigned owner) const {
  const auto word = static_cast<unsigned>(cpu.load(layout_.queue_ring(owner), 4));
  return {word & 0xffff, word >> 16};
}

void FenceQueue::store_ring(CpuOps& cpu, unsigned owner, Ring ring) const {
  cpu.store(layout_.queue_ring(owner), ring.first | ring.used << 16, 4);
}

Address FenceQueue::slot(unsigned owner, Ring ring, unsigned index) const {
  return layout_.entry(owner, (ring.first + index) % entries_);
}

FenceRange FenceQueue::load_range(CpuOps& cpu, Address entry) const {
  FenceRange range{cpu.load(entry), cpu.load(entry + 8), std::nullopt};
  const std::uint64_t asid = cpu.load(entry + 16);
  if ((asid & kAsidPresent) != 0) range.asid = static_cast<std::uint16_t>(asid);
  return range;
}

}  // namespace switchyard::interrupt

// SPDX-License-Identifier: Apache-2.0
#include "kernel/mmu_gather.h"

#include <algorithm>

namespace switchyard::kernel {

using cpu::CpuOps;

MmuGather::MmuGather(const MmServices& services, UserMm& arch, const Thread& current, const AddressSpace& mm)
    : MmuGather(services, arch, current, mm, 0, ~Address{0}) {
  unmapped_.fullmm = true;
}

MmuGather::MmuGather(const MmServices& services, UserMm& arch, const Thread& current, const AddressSpace& mm,
                     Address start, Address end)
    : services_(services), arch_(arch), mm_(mm), start_(start), end_(end), bundle_(current.frame(kFrame)) {}

void MmuGather::begin(CpuOps& cpu) { services_.atomics.atomic_add(cpu, mm_.fields.tlb_flush_pending(), 1); }

void MmuGather::add(CpuOps& cpu, Address va, cpu::FunctionId owner) {
  unmapped_.start = std::min(unmapped_.start, va);
  unmapped_.end = std::max(unmapped_.end, va + kPageSize);
  if (services_.observer != nullptr) services_.observer->unmapped(cpu.context(), mm_.root, va, owner);
}

bool MmuGather::remove_page(CpuOps& cpu, Folio folio) {
  cpu.store(words(current_) + 8 * used_, folio.page);
  ++used_;
  return used_ < (current_ == 0 ? kBundle : kBatch) || next_batch(cpu);
}

bool MmuGather::remove_table(CpuOps& cpu, Address va, Folio table) {
  unmapped_.start = std::min(unmapped_.start, va);
  unmapped_.end = std::max(unmapped_.end, va + kPageSize);
  unmapped_.freed_tables = true;
  return remove_page(cpu, table);
}

/// A batch that an earlier flush has emptied, or a new one while there are not too many.
bool MmuGather::next_batch(CpuOps& cpu) {
  Address next = following(cpu, current_);
  if (next == 0) {
    if (batches_ == kMostBatches) return false;
    ++batches_;
    next = services_.node.contents(services_.node.alloc_folio(cpu));
    cpu.store(next, 0);
    if (current_ == 0)
      first_ = next;
    else
      cpu.store(current_, next);
  }
  current_ = next;
  used_ = 0;
  return true;
}

void MmuGather::flush_mmu(CpuOps& cpu) {
  if (unmapped_.end != 0) {
    arch_.tlb_flush(cpu, mm_, unmapped_);
    if (services_.observer != nullptr) services_.observer->flush_relied_on(&cpu.context(), mm_.root);
    unmapped_ = {.fullmm = unmapped_.fullmm};
  }
  for (Address batch = 0;; batch = following(cpu, batch)) {
    const unsigned full = batch == 0 ? kBundle : kBatch;
    services_.node.release_pages(cpu, words(batch), batch == current_ ? used_ : full);
    if (batch == current_) break;
  }
  current_ = 0;
  used_ = 0;
}

// Another CPU may have cleared entries here and not flushed them yet: who finds them empty must not go on before that.
void MmuGather::finish(CpuOps& cpu) {
  if (cpu.load(mm_.fields.tlb_flush_pending(), 4) > 1) {
    unmapped_.start = start_;
    unmapped_.end = end_;
    if (arch_.nested_flushes_all()) unmapped_.fullmm = unmapped_.freed_tables = true;
  }
  flush_mmu(cpu);
  for (Address batch = first_; batch != 0;) {
    const Address next = cpu.load(batch);
    services_.node.free_unref_page(cpu, services_.node.folio_of(services_.layout.from_linear(batch)));
    batch = next;
  }
  services_.atomics.atomic_add(cpu, mm_.fields.tlb_flush_pending(), -1);
}

}  // namespace switchyard::kernel

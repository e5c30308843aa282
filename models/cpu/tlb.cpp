// SPDX-License-Identifier: Apache-2.0
#include "cpu/tlb.h"

namespace switchyard::cpu {

Tlb::Tlb(const TlbParams& params)
    : ways_(params.ways),
      sets_(params.entries / params.ways),
      superpages_(params.superpages),
      entries_(params.entries) {}

Translation* Tlb::lookup(std::uint64_t page, std::uint16_t asid) {
  if (entries_.empty()) return nullptr;
  for (unsigned span = 0; span < 3; ++span) {
    if ((spans_seen_ >> span & 1) == 0) continue;
    const std::size_t first = set(page, span * 9) * ways_;
    for (std::size_t i = first; i < first + ways_; ++i) {
      Translation& entry = entries_[i];
      if (valid(entry) && entry.covers(page, asid)) {
        touch(entry);
        return &entry;
      }
    }
    if (sets_ == 1) break;  // every size is in the one set
  }
  return nullptr;
}

Translation* Tlb::insert(const Translation& translation) {
  if (entries_.empty() || (translation.span_bits != 0 && !superpages_)) return nullptr;
  const std::size_t first = set(translation.vpn, translation.span_bits) * ways_;
  std::size_t victim = first;
  for (std::size_t i = first; i < first + ways_; ++i) {
    if (!valid(entries_[i])) {
      victim = i;
      break;
    }
    if (entries_[i].age < entries_[victim].age) victim = i;
  }
  spans_seen_ |= 1u << (translation.span_bits / 9);
  Translation& entry = entries_[victim];
  entry = translation;
  entry.generation = generation_;
  touch(entry);
  return &entry;
}

void Tlb::flush(const TlbFlush& flush) {
  if (flush.scope == TlbFlush::Scope::all) {
    ++generation_;
    return;
  }
  const std::uint64_t page = flush.va >> 12;
  for (Translation& entry : entries_) {
    if (!valid(entry)) continue;
    if (flush.scope == TlbFlush::Scope::asid) {
      if (!entry.global && entry.asid == flush.asid) entry.generation = 0;
    } else if ((entry.vpn ^ page) >> entry.span_bits == 0 &&
               (flush.any_asid || (!entry.global && entry.asid == flush.asid))) {
      entry.generation = 0;
    }
  }
}

}  // namespace switchyard::cpu

// SPDX-License-Identifier: Apache-2.0
#include "kernel/page_allocator.h"

#include "base/errors.h"

namespace switchyard::kernel {

PageAllocator::PageAllocator(base::Address start, std::uint64_t size, Placement placement, std::uint64_t seed)
    : start_(round_up(start, kPageSize)),
      end_((start + size) / kPageSize * kPageSize),
      placement_(placement),
      random_(seed, "kernel.page_allocator"),
      boot_end_(start_) {}

base::Address PageAllocator::boot_memory(std::uint64_t size, std::uint64_t alignment) {
  SWITCHYARD_ASSERT(taken_ == 0, "boot objects are placed before pages are handed out");
  const base::Address at = round_up(boot_end_, alignment);
  if (at + size > end_)
    throw base::ConfigError("kernel", "the memory of the machine (" + std::to_string(end_ - start_) +
                                          " bytes after firmware) cannot hold the kernel's own objects");
  boot_end_ = round_up(at + size, kPageSize);
  return at;
}

std::uint64_t PageAllocator::number_at(std::uint64_t position) const {
  const auto it = moved_.find(position);
  return it == moved_.end() ? position : it->second;
}

std::uint64_t PageAllocator::position_of(std::uint64_t number) const {
  if (number < free_pages() && moved_.count(number) == 0) return number;
  for (const auto& [position, moved] : moved_)
    if (moved == number) return position;
  return free_pages();
}

void PageAllocator::take(std::uint64_t position) {
  const std::uint64_t last = free_pages() - 1;
  moved_[position] = number_at(last);
  moved_.erase(last);
  ++taken_;
}

/// One step of a Fisher-Yates shuffle that stores only the displaced numbers (Knuth, TAOCP vol. 2, 3.4.2).
std::uint64_t PageAllocator::draw() {
  if (placement_ == Placement::contiguous) return taken_++;
  const std::uint64_t pick = random_.below(free_pages());
  const std::uint64_t number = number_at(pick);
  take(pick);
  return number;
}

base::Address PageAllocator::allocate() {
  if (!freed_.empty()) {
    const base::Address page = freed_.back();
    freed_.pop_back();
    return page;
  }
  return allocate_fresh();
}

base::Address PageAllocator::allocate_fresh() {
  if (taken_ >= (end_ - boot_end_) / kPageSize)
    throw base::ConfigError("kernel", "out of memory: all " + std::to_string(taken_) + " free pages are in use");
  return boot_end_ + draw() * kPageSize;
}

bool PageAllocator::all_free(std::uint64_t first, std::uint64_t count) const {
  for (std::uint64_t i = 0; i < count; ++i)
    if (position_of(first + i) == free_pages()) return false;
  return true;
}

base::Address PageAllocator::allocate_run(std::uint64_t count) {
  const std::uint64_t total = (end_ - boot_end_) / kPageSize;
  const auto none = [count] {
    return base::ConfigError("kernel", "out of memory: no " + std::to_string(count) + " free pages in a row");
  };
  if (count > free_pages()) throw none();
  if (placement_ == Placement::contiguous) {
    taken_ += count;
    return boot_end_ + (taken_ - count) * kPageSize;
  }
  for (unsigned attempt = 0; attempt < kRunAttempts; ++attempt) {
    const std::uint64_t first = random_.below(total - count + 1);
    if (!all_free(first, count)) continue;
    for (std::uint64_t i = 0; i < count; ++i) take(position_of(first + i));
    return boot_end_ + first * kPageSize;
  }
  throw none();
}

}  // namespace switchyard::kernel

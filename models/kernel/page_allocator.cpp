// SPDX-License-Identifier: Apache-2.0
#include "kernel/page_allocator.h"

#include "base/errors.h"

namespace switchyard::kernel {

namespace {

std::uint64_t round_up(std::uint64_t value, std::uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

}  // namespace

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

/// One step of a Fisher-Yates shuffle that stores only the displaced numbers (Knuth, TAOCP vol. 2, 3.4.2).
std::uint64_t PageAllocator::draw() {
  const std::uint64_t left = (end_ - boot_end_) / kPageSize - taken_;
  const std::uint64_t pick = placement_ == Placement::random ? random_.below(left) : 0;
  if (placement_ == Placement::contiguous) return taken_;
  const auto value = [this](std::uint64_t index) {
    const auto it = moved_.find(index);
    return it == moved_.end() ? index : it->second;
  };
  const std::uint64_t result = value(pick);
  moved_[pick] = value(left - 1);
  moved_.erase(left - 1);
  return result;
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
  const base::Address page = boot_end_ + draw() * kPageSize;
  ++taken_;
  return page;
}

}  // namespace switchyard::kernel

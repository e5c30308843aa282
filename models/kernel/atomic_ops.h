// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/stats.h"
#include "cpu/cpu_ops.h"

namespace switchyard::kernel {

/// atomic_t and atomic bit operations of kernel code. Most architectures have instructions for them; others take a lock
/// that the address is hashed to. Lock words and page-table entries are not accessed through it.
class AtomicOps {
 public:
  virtual ~AtomicOps() = default;
  /// Puts what it counts into a kernel's statistics; called at most once, before the first operation.
  virtual void add_stats(base::StatGroup&) {}
  /// Adds and returns the new value (atomic_add_return).
  virtual std::uint64_t atomic_add(cpu::CpuOps& cpu, base::Address v, std::int64_t delta, unsigned bytes = 4) = 0;
  /// The others return the old value.
  virtual std::uint64_t xchg(cpu::CpuOps& cpu, base::Address v, std::uint64_t value, unsigned bytes = 8) = 0;
  virtual std::uint64_t cmpxchg(cpu::CpuOps& cpu, base::Address v, std::uint64_t expected, std::uint64_t value,
                                unsigned bytes = 8) = 0;
  virtual std::uint64_t fetch_or(cpu::CpuOps& cpu, base::Address v, std::uint64_t bits, unsigned bytes = 8) = 0;
  virtual std::uint64_t fetch_and(cpu::CpuOps& cpu, base::Address v, std::uint64_t bits, unsigned bytes = 8) = 0;
};

/// `value` cut to `bytes` bytes.
constexpr std::uint64_t low_bytes(std::uint64_t value, unsigned bytes) {
  return bytes >= 8 ? value : value & ((std::uint64_t{1} << (8 * bytes)) - 1);
}

/// One atomic instruction each.
class NativeAtomics : public AtomicOps {
 public:
  std::uint64_t atomic_add(cpu::CpuOps& cpu, base::Address v, std::int64_t delta, unsigned bytes) override {
    const std::uint64_t operand = low_bytes(static_cast<std::uint64_t>(delta), bytes);
    return low_bytes(cpu.atomic(cpu::AtomicOp::add, v, operand, bytes) + operand, bytes);
  }
  std::uint64_t xchg(cpu::CpuOps& cpu, base::Address v, std::uint64_t value, unsigned bytes) override {
    return cpu.atomic(cpu::AtomicOp::swap, v, value, bytes);
  }
  std::uint64_t cmpxchg(cpu::CpuOps& cpu, base::Address v, std::uint64_t expected, std::uint64_t value,
                        unsigned bytes) override {
    return cpu.atomic(cpu::AtomicOp::compare_swap, v, value, bytes, expected);
  }
  std::uint64_t fetch_or(cpu::CpuOps& cpu, base::Address v, std::uint64_t bits, unsigned bytes) override {
    return cpu.atomic(cpu::AtomicOp::bit_or, v, bits, bytes);
  }
  std::uint64_t fetch_and(cpu::CpuOps& cpu, base::Address v, std::uint64_t bits, unsigned bytes) override {
    return cpu.atomic(cpu::AtomicOp::bit_and, v, bits, bytes);
  }
};

}  // namespace switchyard::kernel

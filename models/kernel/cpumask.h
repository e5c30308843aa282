// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cpu_mask.h"
#include "kernel/atomic_ops.h"

namespace switchyard::kernel {

/// Reads a cpumask of `cpus` bits from simulated memory, word by word.
inline base::CpuMask load_mask(cpu::CpuOps& cpu, base::Address mask, unsigned cpus) {
  base::CpuMask result;
  for (unsigned word = 0; word < (cpus + 63) / 64; ++word) result.set_word(word, cpu.load(mask + 8 * word));
  return result;
}

inline void cpumask_set_cpu(AtomicOps& atomics, cpu::CpuOps& cpu, unsigned member, base::Address mask) {
  atomics.fetch_or(cpu, mask + member / 64 * 8, std::uint64_t{1} << (member % 64));
}

inline void cpumask_clear_cpu(AtomicOps& atomics, cpu::CpuOps& cpu, unsigned member, base::Address mask) {
  atomics.fetch_and(cpu, mask + member / 64 * 8, ~(std::uint64_t{1} << (member % 64)));
}

inline bool cpumask_test_and_clear_cpu(AtomicOps& atomics, cpu::CpuOps& cpu, unsigned member, base::Address mask) {
  const std::uint64_t bit = std::uint64_t{1} << (member % 64);
  return (atomics.fetch_and(cpu, mask + member / 64 * 8, ~bit) & bit) != 0;
}

}  // namespace switchyard::kernel

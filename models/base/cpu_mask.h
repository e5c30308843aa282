// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace switchyard::base {

/// The most logical CPUs in one machine.
inline constexpr unsigned kMaxCpus = 1024;

/// A set of logical CPUs, in the layout of the kernel's cpumask: bit c of word c / 64.
class CpuMask {
 public:
  static constexpr unsigned kWords = kMaxCpus / 64;

  void set(unsigned cpu) { words_[cpu / 64] |= bit(cpu); }
  void clear(unsigned cpu) { words_[cpu / 64] &= ~bit(cpu); }
  bool test(unsigned cpu) const { return (words_[cpu / 64] & bit(cpu)) != 0; }
  std::uint64_t word(unsigned index) const { return words_[index]; }
  void set_word(unsigned index, std::uint64_t value) { words_[index] = value; }
  CpuMask& operator|=(const CpuMask& other) {
    for (unsigned i = 0; i < kWords; ++i) words_[i] |= other.words_[i];
    return *this;
  }
  bool operator==(const CpuMask&) const = default;
  bool empty() const { return *this == CpuMask{}; }
  unsigned count() const {
    unsigned n = 0;
    for (const auto word : words_) n += static_cast<unsigned>(std::popcount(word));
    return n;
  }
  /// Calls `f(cpu)` for each member in ascending order.
  template <class F>
  void for_each(F f) const {
    for (unsigned i = 0; i < kWords; ++i)
      for (std::uint64_t rest = words_[i]; rest != 0; rest &= rest - 1)
        f(i * 64 + static_cast<unsigned>(std::countr_zero(rest)));
  }

 private:
  static constexpr std::uint64_t bit(unsigned cpu) { return std::uint64_t{1} << (cpu % 64); }
  std::array<std::uint64_t, kWords> words_{};
};

}  // namespace switchyard::base

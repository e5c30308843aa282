// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "bench/mix.h"

namespace switchyard::bench {

/// What one measurement took, in user CPU time.
struct Result {
  double seconds = 0;
  std::uint64_t operations = 0;
  double checksum = 0;  ///< keeps the work from being optimised away; also hits, misses, ... by benchmark
  double nanoseconds() const { return seconds / static_cast<double>(operations) * 1e9; }
  double millions_per_second() const { return static_cast<double>(operations) / seconds / 1e6; }
};

/// User CPU seconds of this process.
double user_seconds();
/// Peak resident memory of this process, in bytes.
std::uint64_t peak_bytes();

/// A plain C++ MESI model of the same caches, moving real bytes, without a simulation kernel: the ceiling.
Result ceiling(Mix mix, unsigned cpus, std::uint64_t accesses);
/// K SystemC threads that wait with staggered periods: the floor of work that must synchronise.
Result staggered_wait(unsigned threads, std::uint64_t waits);
/// The machine: CPU, TLB, first-level cache, shared second level, bus, memory, time accounting.
Result machine(Mix mix, unsigned cpus, std::uint64_t accesses);
/// Elaboration of a machine of `cpus` CPUs whose tasks sleep; `seconds` is elapsed time to the first instant, checksum
/// the number of SystemC activations in one simulated second afterwards.
Result idle_machine(unsigned cpus);
/// Context switches of two contexts on one CPU.
Result context_switch(std::uint64_t switches);

}  // namespace switchyard::bench

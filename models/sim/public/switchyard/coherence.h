// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <tlm>

namespace switchyard {

/// What an initiator asks for a line, or what a directory asks of a cache above it.
enum class Coherence : std::uint8_t {
  none,          ///< plain access: reads the newest value, writes invalidate every copy
  read_shared,   ///< fill for reading; the response says whether the copy is the only one
  read_unique,   ///< fill for writing; every other copy is gone afterwards
  upgrade,       ///< write permission for a line already held shared; no data
  write_back,    ///< gives a modified line back and drops it
  evict,         ///< drops a clean line; no data
  snoop_shared,  ///< downgrade to shared; data comes back when it was modified
  snoop_invalid  ///< drop; data comes back when it was modified
};

/// Where the time of a transaction went, in picoseconds, for cycle accounting. Sums to no more than the delay.
struct LatencyBreakdown {
  std::uint64_t cache = 0;       ///< hits below the first level
  std::uint64_t last_level = 0;  ///< the last cache before the interconnect
  std::uint64_t coherence = 0;   ///< snoops, transfers between CPUs, waiting for a contended line
  std::uint64_t memory = 0;

  LatencyBreakdown& operator+=(const LatencyBreakdown& other) {
    cache += other.cache;
    last_level += other.last_level;
    coherence += other.coherence;
    memory += other.memory;
    return *this;
  }
};

/// Payload extension that makes a base-protocol transaction coherent. Absent means Coherence::none.
/// Owned by the initiator and reused; the targets fill the response part.
class CoherenceExtension : public tlm::tlm_extension<CoherenceExtension> {
 public:
  Coherence request = Coherence::none;
  unsigned level = 0;      ///< caches passed on the way down; the first level sends 1
  bool exclusive = false;  ///< response to read_shared: no other cache has the line
  bool dirty = false;      ///< write_back, response to a snoop or to read_unique: the data is newer than in memory
  bool present = false;    ///< response to a snoop: there was a copy
  LatencyBreakdown spent;

  tlm::tlm_extension_base* clone() const override { return new CoherenceExtension(*this); }
  void copy_from(const tlm::tlm_extension_base& other) override {
    *this = static_cast<const CoherenceExtension&>(other);
  }
};

}  // namespace switchyard

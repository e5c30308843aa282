// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "cpu/cpu_params.h"

namespace switchyard::cpu {

/// One thread of a core that shares its issue slots by a table: how fast it executes while others are active.
///
/// When a thread becomes active or not, at some time, the others may have executed beyond that time already. Where they
/// were too fast there, the time is owed and paid when they settle; where they were too slow, their next instructions
/// take less. So work is the sum of time and speed, but for what the last instructions before a rest were too slow.
class SmtThread {
 public:
  /// `cycle` is the local time of the thread; `cpi_scaled` what an instruction takes alone.
  SmtThread(const SmtParams& params, std::uint64_t cpi_scaled, const std::uint64_t& cycle);

  /// The threads of the core, this one among them; once, before the simulation starts.
  void join(const std::vector<SmtThread*>& core);
  /// Whether others can make this one slower.
  bool shares() const { return shares_; }
  /// Cycles per instruction now, times kCpiOne.
  std::uint64_t cpi_scaled() const { return cpi_scaled_; }
  /// From `at` on, in cycles of the common clock.
  void set_active(bool active, std::uint64_t at);
  /// Instructions take `cycles`; returns what they take with what is owed.
  std::uint64_t execute(std::uint64_t cycles);
  /// The time that is owed; the caller spends it.
  std::uint64_t pay();
  /// The order of everything up to the local time is decided, and nothing is owed.
  void settled();
  /// Takes off what was executed after `at`; to be given back to resume() when the same stretch begins later.
  std::uint64_t suspend(std::uint64_t at);
  void resume(std::uint64_t executed) {
    from_ = cycle_;
    ahead_ = executed;
  }

 private:
  void change_speed(unsigned active, std::uint64_t at);
  /// Of the cycles of instructions since from_, those after `at`.
  std::uint64_t executed_after(std::uint64_t at) const;

  const std::vector<std::uint64_t> throughput_;  ///< by active threads less one, in percent
  const std::uint64_t alone_scaled_;
  const std::uint64_t& cycle_;
  std::uint64_t cpi_scaled_;
  bool shares_ = false;
  bool active_ = false;
  std::uint64_t from_ = 0;    ///< up to here the speed is decided
  std::uint64_t ahead_ = 0;   ///< cycles of instructions since then, at the present speed
  std::int64_t owed_ = 0;     ///< cycles by which they end later than the local time, or earlier
  std::uint64_t credit_ = 0;  ///< cycles by which those before were too slow
  std::vector<SmtThread*> core_;
};

}  // namespace switchyard::cpu

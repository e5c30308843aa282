// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace switchyard::memory {

/// Which of the threads on a common first-level cache use each of its lines: one that may write, or all as readers.
/// The line's rights are those of the cache; this decides whose accesses have to happen in the order of time. A thread
/// that runs ahead of SystemC time keeps to lines that it `may` use; for any other it waits for its turn and takes the
/// line, as it would from another cache.
class ThreadLines {
 public:
  static constexpr unsigned kMostThreads = 8;

  void resize(std::size_t slots, std::uint64_t hold_ps) {
    lines_.assign(slots, {});
    hold_ps_ = hold_ps;
  }
  /// Whether `thread` may use the line at its own time.
  bool may(std::size_t slot, unsigned thread, bool write) const {
    const unsigned user = lines_[slot].user;
    return user == thread + 1 || (user == kAll && !write);
  }
  /// `thread` brought a line here that was not.
  void brought(std::size_t slot, unsigned thread) { lines_[slot] = {0, static_cast<std::uint8_t>(thread + 1), 0}; }
  /// `thread` may write from now on, or all may read. Returns when it has the line, `at_ps` or later: a thread that has
  /// just taken it keeps it for `hold`.
  std::uint64_t take(std::size_t slot, unsigned thread, bool write, std::uint64_t at_ps) {
    Line& line = lines_[slot];
    if (line.user != thread + 1 && line.user != kAll) at_ps = std::max(at_ps, line.busy_until_ps);
    line.user = write ? static_cast<std::uint8_t>(thread + 1) : kAll;
    if (write) line.busy_until_ps = at_ps + hold_ps_;
    return at_ps;
  }
  /// `thread` wants to hear of stores of the others; until it does, none of them may write at its own time.
  void watch(std::size_t slot, unsigned thread) {
    Line& line = lines_[slot];
    line.watchers |= static_cast<std::uint8_t>(1u << thread);
    if (line.user != thread + 1) line.user = kAll;
  }
  bool watches(std::size_t slot, unsigned thread) const { return (lines_[slot].watchers >> thread & 1) != 0; }
  /// One bit for each thread that watches the line.
  unsigned watchers(std::size_t slot) const { return lines_[slot].watchers; }
  void set_watchers(std::size_t slot, unsigned watchers) {
    lines_[slot].watchers = static_cast<std::uint8_t>(watchers);
  }

 private:
  static constexpr std::uint8_t kAll = 0;
  struct Line {
    std::uint64_t busy_until_ps = 0;  ///< of SystemC time
    std::uint8_t user = kAll;         ///< the only thread that may write, plus one; kAll: nobody, and all may read
    std::uint8_t watchers = 0;
  };
  std::vector<Line> lines_;  // by slot
  std::uint64_t hold_ps_ = 0;
};

}  // namespace switchyard::memory

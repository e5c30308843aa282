// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace switchyard::cli {

/// Work for a child process; returns any bytes. A base::ConfigError or any other exception becomes the error.
using ChildWork = std::function<std::string()>;

/// The bytes of a child, or why there are none.
struct ChildResult {
  std::string document;
  std::string error;
};

/// What a child may use, and where it writes.
struct ChildSetup {
  double time_limit_s = 0;               ///< of host time; 0 is none
  std::uint64_t memory_limit_bytes = 0;  ///< of private memory that it may ask for; 0 is none
  std::string log;                       ///< file for standard output and error; without one output is dropped
};

/// How a child came to its end.
enum class ChildEnd : std::uint8_t {
  finished,  ///< it handed back a document
  refused,   ///< its work threw: the same work will do so again
  crashed,   ///< a signal, or an exit without a result
  time_limit,
  memory_limit,  ///< an allocation failed
  not_started
};

struct EndedChild {
  std::size_t id = 0;
  ChildEnd end = ChildEnd::finished;
  ChildResult result;
  double host_s = 0, cpu_s = 0;
  std::uint64_t peak_bytes = 0;  ///< resident, what it shares with its parent included
};

/// Children that are running, each with a pipe on which its result comes.
/// Use it while the process has one thread and no SystemC objects: children start as copies of the process. They leave
/// without destroying what they copied, and die with the process that started them.
class ChildPool {
 public:
  ChildPool() = default;
  ChildPool(const ChildPool&) = delete;
  ChildPool& operator=(const ChildPool&) = delete;
  ~ChildPool() { kill_all(); }

  /// A child that cannot be started is among those that wait() returns.
  void start(std::size_t id, const ChildWork& work, const ChildSetup& setup);
  std::size_t size() const { return children_.size() + failed_.size(); }
  /// Waits until some have ended, for a second at most or until a signal comes.
  std::vector<EndedChild> wait();
  void kill_all();

 private:
  using Clock = std::chrono::steady_clock;
  struct Child {
    std::size_t id = 0;
    pid_t pid = 0;
    int fd = -1;
    ChildSetup setup;
    Clock::time_point started;
    std::string bytes;
  };

  int patience_ms() const;
  void poll_children(std::vector<EndedChild>& ended);
  void read_from(std::size_t position, std::vector<EndedChild>& ended);
  void kill_overdue(std::vector<EndedChild>& ended);
  Child remove(std::size_t position);

  std::vector<Child> children_;
  std::vector<EndedChild> failed_;
};

}  // namespace switchyard::cli

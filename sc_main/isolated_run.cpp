// SPDX-License-Identifier: Apache-2.0
#include "sc_main/isolated_run.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <new>
#include <optional>
#include <stdexcept>

namespace switchyard::cli {
namespace {

using Clock = std::chrono::steady_clock;

// A message is one kind byte, the number of bytes that follow, and those.
constexpr char kDocument = 'D', kError = 'E';
constexpr std::size_t kHeader = 1 + sizeof(std::uint64_t);

void write_all(int fd, const char* data, std::size_t size) {
  while (size > 0) {
    const ssize_t n = ::write(fd, data, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;  // the parent has gone
    data += n;
    size -= static_cast<std::size_t>(n);
  }
}

void send(int fd, char kind, const std::string& bytes) {
  std::array<char, kHeader> header{kind};
  const std::uint64_t size = bytes.size();
  std::memcpy(header.data() + 1, &size, sizeof size);
  write_all(fd, header.data(), header.size());
  write_all(fd, bytes.data(), bytes.size());
}

/// What an earlier handler would do (print, jump back into the parent's code) makes no sense in a child.
void restore_signals() {
  for (const int number : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGINT, SIGTERM, SIGALRM})
    std::signal(number, SIG_DFL);
  std::signal(SIGPIPE, SIG_IGN);
}

[[noreturn]] void run_child(const ChildWork& work, int fd, pid_t parent) {
  restore_signals();
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  if (const int null = open("/dev/null", O_WRONLY); null >= 0) dup2(null, STDOUT_FILENO);
  try {
    send(fd, kDocument, work());
  } catch (const std::bad_alloc&) {
    send(fd, kError, "the simulation ran out of memory");
  } catch (const std::exception& error) {
    send(fd, kError, error.what());
  } catch (...) {
    send(fd, kError, "the simulation ended with an unknown exception");
  }
  _exit(0);  // nothing of the parent's is flushed or destroyed twice
}

std::string describe_end(int status) {
  if (WIFSIGNALED(status)) {
    const int number = WTERMSIG(status);
    const char* const hint = number == SIGKILL ? "; the system may be out of memory" : "";
    return fmt::format("the simulation was ended by signal {} ({}){}", number, strsignal(number), hint);
  }
  return fmt::format("the simulation ended with exit code {} and without a result", WEXITSTATUS(status));
}

/// What `bytes` from a child that ended with `status` amount to.
ChildResult result_of(const std::string& bytes, int status) {
  if (bytes.size() < kHeader) return {"", describe_end(status)};
  std::uint64_t size = 0;
  std::memcpy(&size, bytes.data() + 1, sizeof size);
  if (bytes.size() - kHeader != size) return {"", describe_end(status) + "; its result is incomplete"};
  const bool is_clean = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  if (!is_clean) return {"", describe_end(status)};
  if (bytes.front() == kDocument) return {bytes.substr(kHeader), ""};
  return {"", bytes.substr(kHeader)};
}

/// A child that is running.
struct Child {
  std::size_t index = 0;
  pid_t pid = 0;
  int fd = -1;
  Clock::time_point deadline;
  std::string bytes;
};

/// Keeps up to `jobs` children running.
class ChildPool {
 public:
  ChildPool(const std::vector<ChildWork>& work, const IsolationOptions& options)
      : work_(work), options_(options), results_(work.size()) {}
  ChildPool(const ChildPool&) = delete;
  ChildPool& operator=(const ChildPool&) = delete;
  ~ChildPool() {
    while (!children_.empty()) kill_child(0, "");
  }

  std::vector<ChildResult> run() {
    const std::size_t most = std::max(1u, options_.jobs);
    while (next_ < work_.size() || !children_.empty()) {
      while (next_ < work_.size() && children_.size() < most) start(next_++);
      wait_for_bytes();
      kill_overdue();
    }
    return std::move(results_);
  }

 private:
  void start(std::size_t index) {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) return finish(index, {"", fmt::format("no pipe for a simulation: {}", reason())});
    std::cout.flush();
    std::fflush(nullptr);
    const pid_t parent = getpid();
    const pid_t pid = fork();
    if (pid == 0) {
      close(ends[0]);
      for (const Child& other : children_) close(other.fd);
      run_child(work_[index], ends[1], parent);
    }
    close(ends[1]);
    if (pid < 0) {
      close(ends[0]);
      return finish(index, {"", fmt::format("no process for a simulation: {}", reason())});
    }
    const auto limit = std::chrono::duration<double>(options_.time_limit_s);
    children_.push_back({index, pid, ends[0], Clock::now() + std::chrono::duration_cast<Clock::duration>(limit), {}});
  }

  static std::string reason() { return std::strerror(errno); }

  void finish(std::size_t index, ChildResult result) {
    results_[index] = std::move(result);
    if (options_.on_done) options_.on_done(index);
  }

  /// Milliseconds until the first deadline, rounded up; -1 without a limit.
  int patience_ms() const {
    if (options_.time_limit_s <= 0) return -1;
    Clock::time_point first = Clock::time_point::max();
    for (const Child& child : children_) first = std::min(first, child.deadline);
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(first - Clock::now()).count();
    return static_cast<int>(std::clamp<std::int64_t>(left, 0, 60'000));
  }

  void wait_for_bytes() {
    if (children_.empty()) return;
    std::vector<pollfd> polled;
    for (const Child& child : children_) polled.push_back({child.fd, POLLIN, 0});
    if (poll(polled.data(), polled.size(), patience_ms()) <= 0) return;
    for (std::size_t i = polled.size(); i-- > 0;)  // from the back: children_ shrinks
      if (polled[i].revents != 0) read_from(i);
  }

  void read_from(std::size_t position) {
    static constexpr std::size_t kChunk = 1 << 16;
    std::array<char, kChunk> chunk{};
    Child& child = children_[position];
    const ssize_t n = read(child.fd, chunk.data(), chunk.size());
    if (n < 0 && errno == EINTR) return;
    if (n > 0) {
      child.bytes.append(chunk.data(), static_cast<std::size_t>(n));
      return;
    }
    const Child ended = remove(position);
    finish(ended.index, result_of(ended.bytes, wait_for(ended.pid)));
  }

  Child remove(std::size_t position) {
    Child child = std::move(children_[position]);
    children_.erase(children_.begin() + static_cast<std::ptrdiff_t>(position));
    close(child.fd);
    return child;
  }

  static int wait_for(pid_t pid) {
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
  }

  void kill_child(std::size_t position, const std::string& why) {
    const Child child = remove(position);
    kill(child.pid, SIGKILL);
    wait_for(child.pid);
    if (!why.empty()) finish(child.index, {"", why});
  }

  void kill_overdue() {
    if (options_.time_limit_s <= 0) return;
    const auto now = Clock::now();
    for (std::size_t i = children_.size(); i-- > 0;)
      if (children_[i].deadline <= now)
        kill_child(i, fmt::format("the simulation took longer than its limit of {} s", options_.time_limit_s));
  }

  const std::vector<ChildWork>& work_;
  const IsolationOptions& options_;
  std::vector<ChildResult> results_;
  std::vector<Child> children_;
  std::size_t next_ = 0;
};

}  // namespace

std::vector<ChildResult> run_isolated(const std::vector<ChildWork>& work, const IsolationOptions& options) {
  return ChildPool(work, options).run();
}

unsigned usable_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return static_cast<unsigned>(std::max(1, CPU_COUNT(&set)));
}

}  // namespace switchyard::cli

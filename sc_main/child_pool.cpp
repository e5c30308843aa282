// SPDX-License-Identifier: Apache-2.0
#include "sc_main/child_pool.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <new>
#include <utility>

#include "platforms/config/value_text.h"

namespace switchyard::cli {
namespace {

// A message is one kind byte, the number of bytes that follow, and those.
constexpr char kDocument = 'D', kError = 'E', kMemory = 'M';
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

void send_header(int fd, char kind, std::uint64_t size) {
  std::array<char, kHeader> header{kind};
  std::memcpy(header.data() + 1, &size, sizeof size);
  write_all(fd, header.data(), header.size());
}

void send(int fd, char kind, const std::string& bytes) {
  send_header(fd, kind, bytes.size());
  write_all(fd, bytes.data(), bytes.size());
}

// All that an allocation handler can reach; set in a child only.
int memory_fd = -1;

/// Leaves at the first allocation that fails: SystemC would make a simulation error of the exception.
[[noreturn]] void out_of_memory() {
  send_header(memory_fd, kMemory, 0);
  _exit(0);
}

/// What an earlier handler would do (print, jump back into the parent's code) makes no sense in a child.
void restore_signals() {
  for (const int number : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGINT, SIGTERM, SIGALRM})
    std::signal(number, SIG_DFL);
  for (const int number : {SIGPIPE, SIGXFSZ}) std::signal(number, SIG_IGN);  // writes fail instead
}

void redirect(const std::string& log) {
  const char* const name = log.empty() ? "/dev/null" : log.c_str();
  const int fd = open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (fd < 0) return;
  dup2(fd, STDOUT_FILENO);
  if (!log.empty()) dup2(fd, STDERR_FILENO);
  close(fd);
}

void limit_memory(std::uint64_t bytes) {
  if (bytes == 0) return;
  const rlimit limit{bytes, bytes};
  setrlimit(RLIMIT_DATA, &limit);
}

[[noreturn]] void run_child(const ChildWork& work, const ChildSetup& setup, int fd, pid_t parent) {
  restore_signals();
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  redirect(setup.log);
  memory_fd = fd;
  std::set_new_handler(&out_of_memory);
  limit_memory(setup.memory_limit_bytes);
  try {
    send(fd, kDocument, work());
  } catch (const std::bad_alloc&) {
    out_of_memory();
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

std::string memory_text(const ChildSetup& setup) {
  if (setup.memory_limit_bytes == 0) return "the simulation ran out of memory";
  return fmt::format("the simulation needs more memory than its limit of {}",
                     platforms::value_text(base::Bytes{setup.memory_limit_bytes}));
}

/// What `bytes` from a child that ended with `status` amount to.
void conclude(const std::string& bytes, int status, const ChildSetup& setup, EndedChild& ended) {
  const auto is = [&](ChildEnd end, ChildResult result) {
    ended.end = end;
    ended.result = std::move(result);
  };
  if (bytes.size() < kHeader) return is(ChildEnd::crashed, {"", describe_end(status)});
  std::uint64_t size = 0;
  std::memcpy(&size, bytes.data() + 1, sizeof size);
  if (bytes.size() - kHeader != size)
    return is(ChildEnd::crashed, {"", describe_end(status) + "; its result is incomplete"});
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return is(ChildEnd::crashed, {"", describe_end(status)});
  if (bytes.front() == kMemory) return is(ChildEnd::memory_limit, {"", memory_text(setup)});
  if (bytes.front() == kDocument) return is(ChildEnd::finished, {bytes.substr(kHeader), ""});
  is(ChildEnd::refused, {"", bytes.substr(kHeader)});
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

/// Reaps the child and notes what it used; gives its status.
int reap(pid_t pid, EndedChild& ended) {
  int status = 0;
  rusage usage{};
  while (wait4(pid, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  ended.cpu_s = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  ended.peak_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) << 10;
  return status;
}

}  // namespace

void ChildPool::start(std::size_t id, const ChildWork& work, const ChildSetup& setup) {
  const auto fail = [&](const char* what) {
    failed_.push_back({id, ChildEnd::not_started, {"", fmt::format("{}: {}", what, std::strerror(errno))}});
  };
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return fail("no pipe for a simulation");
  std::cout.flush();
  std::fflush(nullptr);
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0) {
    close(ends[0]);
    for (const Child& other : children_) close(other.fd);
    run_child(work, setup, ends[1], parent);
  }
  if (pid < 0) fail("no process for a simulation");
  close(ends[1]);
  if (pid < 0)
    close(ends[0]);
  else
    children_.push_back({id, pid, ends[0], setup, Clock::now(), {}});
}

std::vector<EndedChild> ChildPool::wait() {
  std::vector<EndedChild> ended = std::exchange(failed_, {});
  if (!ended.empty() || children_.empty()) return ended;
  poll_children(ended);
  kill_overdue(ended);
  return ended;
}

void ChildPool::kill_all() {
  while (!children_.empty()) {
    const Child child = remove(0);
    EndedChild ignored;
    kill(child.pid, SIGKILL);
    reap(child.pid, ignored);
  }
}

/// Milliseconds until the first child is overdue, rounded up.
int ChildPool::patience_ms() const {
  std::int64_t least = 1000;
  for (const Child& child : children_) {
    if (child.setup.time_limit_s <= 0) continue;
    const std::chrono::duration<double> left =
        child.started + std::chrono::duration<double>(child.setup.time_limit_s) - Clock::now();
    least = std::clamp<std::int64_t>(std::chrono::ceil<std::chrono::milliseconds>(left).count(), 0, least);
  }
  return static_cast<int>(least);
}

void ChildPool::poll_children(std::vector<EndedChild>& ended) {
  std::vector<pollfd> polled;
  for (const Child& child : children_) polled.push_back({child.fd, POLLIN, 0});
  if (poll(polled.data(), polled.size(), patience_ms()) <= 0) return;
  for (std::size_t i = polled.size(); i-- > 0;)  // from the back: children_ shrinks
    if (polled[i].revents != 0) read_from(i, ended);
}

void ChildPool::read_from(std::size_t position, std::vector<EndedChild>& ended) {
  static constexpr std::size_t kChunk = 1 << 16;
  std::array<char, kChunk> chunk{};
  Child& child = children_[position];
  const ssize_t n = read(child.fd, chunk.data(), chunk.size());
  if (n < 0 && errno == EINTR) return;
  if (n > 0) {
    child.bytes.append(chunk.data(), static_cast<std::size_t>(n));
    return;
  }
  const Child gone = remove(position);
  EndedChild& result = ended.emplace_back();
  result.id = gone.id;
  const int status = reap(gone.pid, result);
  result.host_s = std::chrono::duration<double>(Clock::now() - gone.started).count();
  conclude(gone.bytes, status, gone.setup, result);
}

void ChildPool::kill_overdue(std::vector<EndedChild>& ended) {
  const auto now = Clock::now();
  for (std::size_t i = children_.size(); i-- > 0;) {
    const double limit_s = children_[i].setup.time_limit_s;
    const double host_s = std::chrono::duration<double>(now - children_[i].started).count();
    if (limit_s <= 0 || host_s < limit_s) continue;
    const Child child = remove(i);
    EndedChild& result = ended.emplace_back();
    result.id = child.id;
    result.end = ChildEnd::time_limit;
    result.result.error = fmt::format("the simulation took longer than its limit of {} s", limit_s);
    result.host_s = host_s;
    kill(child.pid, SIGKILL);
    reap(child.pid, result);
  }
}

ChildPool::Child ChildPool::remove(std::size_t position) {
  Child child = std::move(children_[position]);
  children_.erase(children_.begin() + static_cast<std::ptrdiff_t>(position));
  close(child.fd);
  return child;
}

}  // namespace switchyard::cli

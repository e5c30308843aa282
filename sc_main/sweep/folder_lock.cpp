// SPDX-License-Identifier: Apache-2.0
#include "sc_main/sweep/folder_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <string>
#include <system_error>
#include <thread>

#include "base/errors.h"

namespace switchyard::cli {
namespace {

constexpr std::chrono::milliseconds kPatience{2000}, kPause{10};

std::string reason() { return std::error_code(errno, std::generic_category()).message(); }

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown host";
}

bool try_lock(int fd) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (flock(fd, LOCK_EX | LOCK_NB) != 0) {
    if (std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(kPause);
  }
  return true;
}

std::string holder(int fd) {
  std::array<char, 400> text{};
  const ssize_t size = pread(fd, text.data(), text.size() - 1, 0);
  return size > 0 ? text.data() : "unknown";
}

}  // namespace

FolderLock::FolderLock(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw base::ConfigError(folder.generic_string(), "cannot make this folder: " + error.message());
  const std::filesystem::path file = folder / "sweep.lock";
  fd_ = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (fd_ < 0) throw base::ConfigError(file.generic_string(), "cannot write: " + reason());
  if (!try_lock(fd_)) {
    const std::string who = holder(fd_);
    close(fd_);
    throw base::ConfigError(folder.generic_string(),
                            fmt::format("another sweep is running here ({}); wait for it, stop it, "
                                        "or give another folder with --out",
                                        who));
  }
  const std::string who = fmt::format("process {} on {}", getpid(), host_name());
  if (ftruncate(fd_, 0) == 0 && pwrite(fd_, who.data(), who.size(), 0) < 0) return;  // it only names the holder
}

FolderLock::~FolderLock() { close(fd_); }

}  // namespace switchyard::cli

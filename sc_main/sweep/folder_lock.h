// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace switchyard::cli {

/// Makes a folder and keeps other processes that ask for it out of it, as long as this process or a child that it
/// forked lives (`flock`). Nothing has to be cleaned up after a kill.
class FolderLock {
 public:
  /// Waits two seconds for the children of a driver that was killed; then throws base::ConfigError with the process
  /// that has the folder.
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int fd_ = -1;
};

}  // namespace switchyard::cli

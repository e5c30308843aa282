// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernel/poll.h"
#include "kernel/task.h"

namespace switchyard::kernel {

/// What is behind an open file: struct file_operations with the object that they work on. `end` tells the two files of
/// an object apart (of a pipe, 0 reads and 1 writes). Called inside vfs_read and vfs_write; both may block.
class FileOps {
 public:
  virtual ~FileOps() = default;
  /// Reads up to `bytes` and returns how many; 0 when nobody can write any more.
  virtual std::uint64_t read(Task& task, unsigned end, std::uint64_t bytes) = 0;
  /// False when nobody can read any more.
  virtual bool write(Task& task, unsigned end, std::uint64_t bytes) = 0;
  /// Hands its wait queue to table.wait() and returns what the file is ready for.
  virtual PollEvents poll(Task& task, unsigned end, PollTable& table) = 0;
  /// The last reference to a file of this end is gone.
  virtual void release(Task& task, unsigned end) = 0;
};

}  // namespace switchyard::kernel

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>

#include "kernel/costs/ipc_costs.h"
#include "kernel/file_ops.h"
#include "kernel/wait_queue.h"

namespace switchyard::kernel {

/// A pipe. Source: Linux v4.14 fs/pipe.c; struct pipe_inode_info in the order of its members, offsets assumed for 64
/// bits without lock debugging. Readers and writers wait in one queue.
class Pipe : public FileOps {
 public:
  static constexpr std::uint64_t kBytes = 192;
  static constexpr unsigned kBuffers = 16;  ///< PIPE_DEF_BUFFERS
  static constexpr std::uint64_t kBufferBytes = 40;

  Pipe(const KernelServices& services, Scheduler& scheduler, const IpcCosts& costs, const std::string& name);

  std::uint64_t read(Task& task, unsigned end, std::uint64_t bytes) override;
  bool write(Task& task, unsigned end, std::uint64_t bytes) override;
  PollEvents poll(Task& task, unsigned end, PollTable& table) override;
  void release(Task& task, unsigned end) override;

  Address mutex() const { return object_; }
  Address wait() const { return object_ + 32; }
  Address nrbufs() const { return object_ + 56; }
  Address curbuf() const { return object_ + 60; }
  Address readers() const { return object_ + 68; }
  Address writers() const { return object_ + 72; }
  Address tmp_page() const { return object_ + 96; }
  Address buffer(unsigned index) const { return buffers_ + kBufferBytes * (index % kBuffers); }

 private:
  /// Takes from the current buffer; true when that has been emptied.
  bool take(cpu::CpuOps& cpu, std::uint64_t& left);
  /// What is beyond whole pages goes to the end of the last buffer, if that has room; returns how much did.
  std::uint64_t merge(cpu::CpuOps& cpu, std::uint64_t bytes);
  void put(cpu::CpuOps& cpu, std::uint64_t bytes);
  Address page_for_write(cpu::CpuOps& cpu);
  void release(cpu::CpuOps& cpu, Address page);
  void pipe_wait(Task& task);

  const KernelServices services_;
  Scheduler& scheduler_;
  const IpcCosts& costs_;
  const Address object_, buffers_;
  const SpinMutex lock_;
  WaitQueue queue_;
  const cpu::FunctionId read_, write_, poll_;

  struct Buffer {
    Address page = 0;
    std::uint64_t offset = 0, length = 0;
  };
  // What the object holds; kept here as well, since the memory may be read late.
  std::array<Buffer, kBuffers> contents_{};
  unsigned first_ = 0, used_ = 0;
  std::array<bool, 2> closed_{};
  std::array<Address, 2> spare_{};
};

}  // namespace switchyard::kernel

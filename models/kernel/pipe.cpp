// SPDX-License-Identifier: Apache-2.0
#include "kernel/pipe.h"

#include <algorithm>
#include <utility>

#include "base/errors.h"

namespace switchyard::kernel {

using cpu::CpuOps;

namespace {

constexpr std::uint64_t kLine = 64;

}  // namespace

Pipe::Pipe(const KernelServices& services, Scheduler& scheduler, const IpcCosts& costs, const std::string& name)
    : services_(services),
      scheduler_(scheduler),
      costs_(costs),
      object_(services.layout.add_slab(name + ".pipe_inode_info", kBytes, 64)),
      buffers_(services.layout.add_slab(name + ".bufs", kBuffers * kBufferBytes, 64)),
      lock_(services, mutex()),
      queue_(services, scheduler, wait(), "pipe " + name),
      read_(services.functions.add("pipe_read", cpu::Domain::kernel)),
      write_(services.functions.add("pipe_write", cpu::Domain::kernel)),
      poll_(services.functions.add("pipe_poll", cpu::Domain::kernel)) {}

std::uint64_t Pipe::read(Task& task, unsigned end, std::uint64_t bytes) {
  if (end != 0) throw base::ConfigError(task.name, "reads from the write end of a pipe");
  const auto scope = task.cpu().function(read_);
  task.cpu().execute(costs_.pipe_read);
  lock_.lock(task);
  std::uint64_t left = bytes;
  bool emptied = false;
  for (;;) {
    CpuOps& cpu = task.cpu();
    while (cpu.load(nrbufs(), 4) != 0 && used_ != 0 && left != 0) emptied |= take(cpu, left);
    if (left != bytes || task.cancelled) break;
    cpu.load(writers(), 4);
    if (closed_[1]) break;
    pipe_wait(task);
  }
  lock_.unlock(task);
  if (emptied) queue_.wake_up_sync(task.cpu(), kPollOut);
  return bytes - left;
}

bool Pipe::take(CpuOps& cpu, std::uint64_t& left) {
  Buffer& buffer = contents_[first_];
  const std::uint64_t bytes = std::min(left, buffer.length);
  cpu.load(curbuf(), 4);
  cpu.load(this->buffer(first_));
  for (std::uint64_t at = 0; at < bytes; at += kLine) {
    cpu.load(buffer.page + (buffer.offset + at) % kPageSize);
    cpu.execute(costs_.copy_line);
  }
  buffer.offset += bytes;
  buffer.length -= bytes;
  left -= bytes;
  cpu.store(this->buffer(first_) + 8, buffer.offset << 32 | buffer.length);
  if (buffer.length != 0) return false;
  cpu.store(this->buffer(first_) + 16, 0);  // ops
  release(cpu, buffer.page);
  first_ = (first_ + 1) % kBuffers;
  --used_;
  cpu.store(curbuf(), first_, 4);
  cpu.store(nrbufs(), used_, 4);
  return true;
}

bool Pipe::write(Task& task, unsigned end, std::uint64_t bytes) {
  if (end != 1) throw base::ConfigError(task.name, "writes to the read end of a pipe");
  const auto scope = task.cpu().function(write_);
  task.cpu().execute(costs_.pipe_write);
  lock_.lock(task);
  std::uint64_t left = bytes - merge(task.cpu(), bytes);
  bool filled = left != bytes;
  while (left != 0) {
    CpuOps& cpu = task.cpu();
    cpu.load(readers(), 4);
    if (closed_[0]) break;
    while (cpu.load(nrbufs(), 4) < kBuffers && used_ < kBuffers && left != 0) {
      const std::uint64_t part = std::min(left, kPageSize);
      put(cpu, part);
      left -= part;
      filled = true;
    }
    if (left == 0 || task.cancelled) break;
    if (filled) queue_.wake_up_sync(cpu, kPollIn);
    filled = false;
    pipe_wait(task);
  }
  lock_.unlock(task);
  if (filled) queue_.wake_up_sync(task.cpu(), kPollIn);
  return left == 0;
}

PollEvents Pipe::poll(Task& task, unsigned end, PollTable& table) {
  CpuOps& cpu = task.cpu();
  const auto scope = cpu.function(poll_);
  cpu.execute(services_.costs.call);
  table.wait(queue_);
  cpu.load(nrbufs(), 4);
  cpu.load(end == 0 ? writers() : readers(), 4);
  if (end == 0) return (used_ != 0 ? kPollIn : 0) | (closed_[1] ? kPollHangup : 0);
  return (used_ < kBuffers ? kPollOut : 0) | (closed_[0] ? kPollError : 0);
}

void Pipe::release(Task& task, unsigned end) {
  lock_.lock(task);
  task.cpu().store(end == 0 ? readers() : writers(), 0, 4);
  closed_[end] = true;
  lock_.unlock(task);
  queue_.wake_up_sync(task.cpu());
}

std::uint64_t Pipe::merge(CpuOps& cpu, std::uint64_t bytes) {
  const std::uint64_t part = bytes % kPageSize;
  if (used_ == 0 || part == 0 || closed_[0]) return 0;
  const unsigned last = (first_ + used_ - 1) % kBuffers;
  Buffer& merged = contents_[last];
  const std::uint64_t end = merged.offset + merged.length;
  cpu.load(readers(), 4);
  cpu.load(nrbufs(), 4);
  cpu.load(buffer(last) + 8);
  if (end + part > kPageSize) return 0;
  for (std::uint64_t at = end / kLine * kLine; at < end + part; at += kLine) {
    cpu.store(merged.page + at, 0);
    cpu.execute(costs_.copy_line);
  }
  merged.length += part;
  cpu.store(buffer(last) + 8, merged.offset << 32 | merged.length);
  return part;
}

void Pipe::put(CpuOps& cpu, std::uint64_t bytes) {
  const unsigned index = (first_ + used_) % kBuffers;
  const Address page = page_for_write(cpu);
  for (std::uint64_t at = 0; at < bytes; at += kLine) {
    cpu.store(page + at, 0);
    cpu.execute(costs_.copy_line);
  }
  contents_[index] = {page, 0, bytes};
  cpu.store(buffer(index), page);
  cpu.store(buffer(index) + 8, bytes);
  cpu.store(buffer(index) + 16, 1);  // ops
  ++used_;
  cpu.store(nrbufs(), used_, 4);
}

// The two pages that readers have put back come before the allocator.
Address Pipe::page_for_write(CpuOps& cpu) {
  for (std::size_t i = 0; i < spare_.size(); ++i) {
    cpu.load(tmp_page() + 8 * i);
    if (spare_[i] == 0) continue;
    cpu.store(tmp_page() + 8 * i, 0);
    return std::exchange(spare_[i], 0);
  }
  cpu.execute(costs_.alloc_page);
  return services_.layout.linear(services_.layout.pages().allocate());
}

void Pipe::release(CpuOps& cpu, Address page) {
  cpu.load(services_.layout.page_struct(services_.layout.from_linear(page)) + 28, 4);  // page_count
  for (std::size_t i = 0; i < spare_.size(); ++i) {
    cpu.load(tmp_page() + 8 * i);
    if (spare_[i] != 0) continue;
    spare_[i] = page;
    return cpu.store(tmp_page() + 8 * i, page);
  }
  cpu.execute(costs_.free_page);
  services_.layout.pages().free(services_.layout.from_linear(page));
}

void Pipe::pipe_wait(Task& task) {
  queue_.prepare_to_wait(task);
  lock_.unlock(task);
  scheduler_.schedule(task);
  queue_.finish_wait(task);
  lock_.lock(task);
}

}  // namespace switchyard::kernel

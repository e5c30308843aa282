// SPDX-License-Identifier: Apache-2.0
#include "base/errors.h"
#include "kernel/linux.h"

/// Files and channels: the system calls on descriptors.
namespace switchyard::kernel {

// Only kernels that a workload opens files on have this part: it places objects and names functions.
unsigned Linux::open_files(Task& task, const std::string& name, unsigned count) {
  SWITCHYARD_ASSERT(sc_core::sc_get_status() != sc_core::SC_RUNNING, "files are opened before the simulation starts");
  return files().open(*task.mm, name, count);
}

Files& Linux::files() {
  if (files_ == nullptr) {
    files_ = std::make_unique<Files>(services_, *context_.memory);
    read_ = functions_.add("sys_read", cpu::Domain::kernel);
    write_ = functions_.add("sys_write", cpu::Domain::kernel);
  }
  return *files_;
}

Channels& Linux::channels(const std::string& user) {
  if (channels_ != nullptr) return *channels_;
  const IpcCosts* const costs = ipc_costs();
  if (costs == nullptr) throw base::ConfigError(user, "this kernel does not model channels between processes");
  channels_ = std::make_unique<Channels>(services_, *scheduler_, *costs);
  return *channels_;
}

void Linux::open_channel(std::vector<ChannelUser>& users, const std::string& name, ChannelKind kind) {
  FileOps& ops = channels(name).make(name, kind);
  for (unsigned end : {0u, 1u}) {
    const File file = files().make_file(name + Channels::ends(kind)[end], &ops, end);
    for (ChannelUser& user : users)
      if (user.holds[end]) user.descriptor[end] = files().install(*user.first->mm, file);
  }
}

std::array<unsigned, 2> Linux::make_channel(Task& task, const std::string& name, ChannelKind kind) {
  Channels& all = channels(task.name);
  if (kind == ChannelKind::tcp) throw base::ConfigError(task.name, "TCP connections exist from the start only");
  if (pipe_ == 0) pipe_ = functions_.add("sys_pipe2", cpu::Domain::kernel);
  if (socketpair_ == 0) socketpair_ = functions_.add("sys_socketpair", cpu::Domain::kernel);
  const auto ends = Channels::ends(kind);
  const std::array<File, 2> pair = files().place_pair({name + ends[0], name + ends[1]}, all.make(name, kind));
  std::array<unsigned, 2> descriptors{};
  system_call(task, kind == ChannelKind::pipe ? pipe_ : socketpair_, [&] {
    task.cpu().execute(all.path(kind));
    descriptors = files_->open_pair(task, pair);
  });
  return descriptors;
}

void Linux::close(Task& task, unsigned descriptor) {
  SWITCHYARD_ASSERT(files_ != nullptr, "who closes a file has opened it");
  if (close_ == 0) close_ = functions_.add("sys_close", cpu::Domain::kernel);
  system_call(task, close_, [&] { files_->close(task, descriptor); });
}

void Linux::poll(Task& task, const PollSet& set) {
  if (poll_ == 0) poll_ = functions_.add("sys_poll", cpu::Domain::kernel);
  Poll& poll = channels(task.name).poll();
  system_call(task, poll_, [&] { poll.do_sys_poll(task, files(), set); });
}

void Linux::read(Task& task, unsigned descriptor, std::uint64_t bytes) {
  SWITCHYARD_ASSERT(files_ != nullptr, "open_files() or open_channel() gave the descriptor");
  bool complete = true;
  system_call(task, read_, [&] { complete = files_->read(task, descriptor, bytes); });
  if (!complete) throw TaskExit{};
}

void Linux::write(Task& task, unsigned descriptor, std::uint64_t bytes) {
  SWITCHYARD_ASSERT(files_ != nullptr, "open_files() or open_channel() gave the descriptor");
  bool complete = true;
  system_call(task, write_, [&] { complete = files_->write(task, descriptor, bytes); });
  if (!complete) throw TaskExit{};
}

}  // namespace switchyard::kernel

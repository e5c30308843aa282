// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "kernel/kernel.h"
#include "kernel/poll.h"
#include "kernel/tcp_loopback.h"
#include "kernel/unix_socket.h"

namespace switchyard::kernel {

/// What processes of a kernel talk through: pipes and sockets, and poll(2) on them.
class Channels {
 public:
  Channels(const KernelServices& services, Scheduler& scheduler, const IpcCosts& costs);

  /// A channel without files; it lives as long as this.
  FileOps& make(const std::string& name, ChannelKind kind);
  /// What names of files say of their end.
  static std::array<const char*, 2> ends(ChannelKind kind);
  Poll& poll() { return poll_; }
  /// Instructions of pipe(2) or socketpair(2).
  std::uint64_t path(ChannelKind kind) const;

 private:
  const KernelServices services_;
  Scheduler& scheduler_;
  const IpcCosts& costs_;
  Poll poll_;
  // Null without such sockets: they place objects and name functions.
  std::unique_ptr<TcpStack> tcp_;
  std::unique_ptr<UnixStack> unix_;
  std::vector<std::unique_ptr<FileOps>> made_;
};

}  // namespace switchyard::kernel

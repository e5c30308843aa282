// SPDX-License-Identifier: Apache-2.0
#include "kernel/channels.h"

#include "kernel/pipe.h"

namespace switchyard::kernel {

Channels::Channels(const KernelServices& services, Scheduler& scheduler, const IpcCosts& costs)
    : services_(services), scheduler_(scheduler), costs_(costs), poll_(services, scheduler, costs.poll) {}

FileOps& Channels::make(const std::string& name, ChannelKind kind) {
  switch (kind) {
    case ChannelKind::pipe:
      made_.push_back(std::make_unique<Pipe>(services_, scheduler_, costs_, name));
      break;
    case ChannelKind::tcp:
      if (tcp_ == nullptr) tcp_ = std::make_unique<TcpStack>(services_, costs_.tcp);
      made_.push_back(std::make_unique<TcpLoopback>(services_, scheduler_, costs_.tcp, *tcp_, name));
      break;
    case ChannelKind::unix_stream:
      if (unix_ == nullptr) unix_ = std::make_unique<UnixStack>(services_, costs_.unix_stream);
      made_.push_back(std::make_unique<UnixSocketPair>(services_, scheduler_, costs_.unix_stream, *unix_, name));
      break;
  }
  return *made_.back();
}

std::array<const char*, 2> Channels::ends(ChannelKind kind) {
  if (kind == ChannelKind::pipe) return {".read", ".write"};
  if (kind == ChannelKind::tcp) return {".client", ".server"};
  return {".first", ".second"};
}

std::uint64_t Channels::path(ChannelKind kind) const {
  return kind == ChannelKind::pipe ? costs_.make_pipe : costs_.unix_stream.socketpair;
}

}  // namespace switchyard::kernel

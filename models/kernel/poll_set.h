// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace switchyard::kernel {

/// What a file is ready for. Bits: Linux include/uapi/linux/eventpoll.h.
using PollEvents = std::uint32_t;
inline constexpr PollEvents kPollIn = 0x1, kPollOut = 0x4, kPollError = 0x8, kPollHangup = 0x10, kPollAll = ~0u;

/// A descriptor and what is asked about it.
struct PollRequest {
  unsigned descriptor = 0;
  PollEvents events = kPollIn;
};

/// What poll(2) is called with. It has a fixed size, so that it may lie in the frame of a task that blocks.
struct PollSet {
  static constexpr unsigned kMost = 8;  ///< N_INLINE_POLL_ENTRIES is no fewer
  std::array<PollRequest, kMost> files{};
  unsigned count = 0;
};

}  // namespace switchyard::kernel

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace switchyard::memory {

/// A step of the coherence protocol that is left out or done wrongly, so that tests can show that the checks notice.
/// Only tests set one.
enum class ProtocolMutation : std::uint8_t {
  none,
  // of an interconnect
  skip_invalidation,      ///< a request to write leaves one other copy
  skip_downgrade,         ///< a request to read leaves a writable copy as it is
  memory_before_owner,    ///< memory answers although another cache has a modified copy
  lose_write_back,        ///< a modified line that a cache gives up does not reach memory
  always_exclusive,       ///< a reader is told that it has the only copy
  no_memory_update,       ///< a modified line that becomes shared is not written to memory
  upgrade_alone,          ///< a reader may write and nobody else is told
  plain_write_unnoticed,  ///< an access without coherence leaves all copies
  // of a shared cache
  forget_sharer,         ///< a copy that is handed out is not recorded
  skip_recall,           ///< a line is handed out although another cache above owns it
  skip_back_invalidate,  ///< a line that is replaced stays in the caches above
  lose_victim,           ///< a modified line that is replaced is not given to the level below
  snoop_stops_here,      ///< a request from below does not reach the caches above
  share_as_exclusive     ///< a copy of a line that is shared below is handed out as the only one
};

}  // namespace switchyard::memory

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>

namespace switchyard::cpu {

/// Values of 1, 2, 4 or 8 bytes in simulated memory, in the byte order of the host.
inline std::uint64_t read_bytes(const std::uint8_t* from, unsigned bytes) {
  std::uint64_t value = 0;
  if (bytes == 8) [[likely]]
    std::memcpy(&value, from, 8);
  else
    std::memcpy(&value, from, bytes);
  return value;
}

inline void write_bytes(std::uint8_t* to, std::uint64_t value, unsigned bytes) {
  if (bytes == 8) [[likely]]
    std::memcpy(to, &value, 8);
  else
    std::memcpy(to, &value, bytes);
}

inline std::uint64_t truncated(std::uint64_t value, unsigned bytes) {
  return bytes == 8 ? value : value & ((std::uint64_t{1} << (8 * bytes)) - 1);
}

}  // namespace switchyard::cpu

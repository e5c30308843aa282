// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace switchyard::kernel::x86 {

/// Which kernel the switching and flushing code is of. Each stands for those up to the next: 4.14 for 4.14 to 4.18, in
/// the form of 4.17; 4.20 for those up to 5.7.
enum class MmVersion : std::uint8_t { v4_13, v4_14, v4_19, v4_20 };
inline constexpr std::array<std::string_view, 4> kMmVersions{"4.13", "4.14", "4.19", "4.20"};

}  // namespace switchyard::kernel::x86

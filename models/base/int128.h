// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace switchyard::base {

/// For exact products of two 64-bit numbers; the one place that names the compiler extension.
__extension__ typedef unsigned __int128 Uint128;

}  // namespace switchyard::base

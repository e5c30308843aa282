// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/quantity.h"
#include "platforms/run_config.h"

namespace switchyard::platforms {

/// A kernel object where the kernel has put it.
struct PlacedSymbol {
  std::string name;
  std::string section;  ///< of the linker script; empty where the kernel does not say
  base::Address va = 0, pa = 0;
  std::uint64_t size = 0;
};

/// What memory is coherent by, as CPU 0 sees it.
struct CoherenceGranule {
  std::uint64_t bytes = 0;  ///< 0: the machine has no cache
  std::string cache;        ///< the module whose line it is
};

struct SymbolList {
  std::vector<PlacedSymbol> symbols;  ///< in the order of virtual addresses
  CoherenceGranule granule;
};

/// The line of the first cache on the way from the data port of module `cpu` (its member 0) to memory.
CoherenceGranule find_granule(RunConfig& config, const std::string& cpu);

}  // namespace switchyard::platforms

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "platforms/symbol_list.h"

namespace switchyard::cli {

/// [symbol]: indices of the other symbols that have a byte in one of its lines; empty lists without a granule.
std::vector<std::vector<std::size_t>> line_sharers(const platforms::SymbolList& list);

/// A table in the order of addresses, below the coherence granule that its lines are counted in.
std::string symbols_text(const platforms::SymbolList& list);

/// `{"granule", "symbols": [{"name", "section", "va", "pa", "size_bytes", "first_line", "last_line", "line_offset",
/// "shares_line_with"}]}`. Lines are physical addresses divided by the granule.
nlohmann::ordered_json symbols_json(const platforms::SymbolList& list);

}  // namespace switchyard::cli

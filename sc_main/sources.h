// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "platforms/config/provenance.h"

namespace switchyard::cli {

/// How many values say what they rest on: `{"measured": 2, ...}`, every kind present.
nlohmann::ordered_json source_counts_json(const platforms::Provenance& provenance);

/// `sources of values: 12 assumed, 3 calibrated, 40 documented, 2 measured`.
std::string source_counts_text(const platforms::Provenance& provenance);

/// Every value that says where it is known from: a table, and the counts.
std::string sources_text(const platforms::Provenance& provenance);
nlohmann::ordered_json sources_json(const platforms::Provenance& provenance);

}  // namespace switchyard::cli

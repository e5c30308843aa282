// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "platforms/config/describe_params.h"
#include "platforms/config/param_listing.h"
#include "platforms/registries.h"

namespace switchyard::cli {

/// A statistic or a port of a type.
struct NamedText {
  std::string name, kind, text;
};

/// Everything to know about one type that a configuration can name.
struct TypeDescription {
  std::string kind;  ///< `module`, `firmware`, `kernel`, `action` or `file`
  std::string name, text;
  std::vector<platforms::ParamRow> params;
  std::vector<NamedText> ports, stats;
};

/// All types in the order of registration, after the keys of the configuration file itself. Hardware models are built
/// once with their defaults to ask them for ports and statistics: no simulation may follow in this process.
std::vector<TypeDescription> describe_types(const platforms::Registries& registries);

std::string description_text(const TypeDescription& type, platforms::DescribeFormat format);
nlohmann::ordered_json description_json(const TypeDescription& type);

}  // namespace switchyard::cli

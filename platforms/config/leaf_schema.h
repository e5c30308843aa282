// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include "platforms/config/leaf_visitor.h"

namespace switchyard::platforms {

/// JSON Schema of one parameter: what the parameter reader accepts, the annotated form included.
nlohmann::ordered_json leaf_schema(const Leaf& leaf);

/// The default of a parameter as JSON.
nlohmann::ordered_json leaf_default(const Leaf& leaf);

/// The definition `source` that leaf schemas refer to: the keys beside `value` in an annotated value.
nlohmann::ordered_json source_schema();

}  // namespace switchyard::platforms

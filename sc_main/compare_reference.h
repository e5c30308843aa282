// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "sc_main/compare.h"

namespace switchyard::cli {

/// How the effect of a variant at one value of `over` compares with that at the reference.
enum class Relation : std::uint8_t { no_effect, not_distinguishable, none_here, weaker, stronger, opposite };
std::string_view relation_name(Relation relation);

/// `no_effect`: at neither. `none_here`: not distinguishable from zero here, but from the reference's.
Relation relation_of(const platforms::Estimate& here, const platforms::Estimate& reference);

/// For each value but the reference a line: the effects on the first metric beside those at the reference, and which
/// fits missed their target, so that the value's baseline is not the machine that was measured. Nothing without a
/// reference.
std::vector<std::string> reference_notes(const Comparison& comparison, const Sweep& sweep);

/// The array `against_reference` of an entry of `sensitivity`.
nlohmann::ordered_json reference_json(const Comparison& comparison, const Sweep& sweep);

}  // namespace switchyard::cli

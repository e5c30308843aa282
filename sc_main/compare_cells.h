// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sc_main/compare.h"
#include "sc_main/text_table.h"

namespace switchyard::cli {

/// The unit for a cell: counts need no word.
std::string shown_unit(const CompareRow& row);

/// What was simulated, with ` *` where it went into the fit.
std::string value_cell(const CompareRow& row);
/// The change against the baseline; empty where there is none.
std::string change_cell(const CompareRow& row);
/// Whether the interval of the change contains zero; false for a change that is exactly known.
bool includes_zero(const CompareRow& row);
/// What was published: the value, the change, or both.
std::string published_value(const CompareRow& row);
std::string published_change(const CompareRow& row);
std::string published_cell(const CompareRow& row);

}  // namespace switchyard::cli

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sc_main/compare.h"

namespace switchyard::cli {

/// What a reader has to know beside the table: notes of cases and figures, failed runs, and why misses are not
/// explained: figures with the same reason in one note, in which the values of `over` are one range.
std::vector<std::string> compare_notes(const Comparison& comparison);

/// What became of each calibration, and which value each case took over.
std::vector<std::string> calibration_notes(const Comparison& comparison);

/// How much the runs measured, and what it was scaled to: in a line, where they differ as ranges over all of them.
std::vector<std::string> scale_notes(const Comparison& comparison);

/// How many values of each case are assumed, calibrated, documented and measured.
std::vector<std::string> origin_notes(const Comparison& comparison);

}  // namespace switchyard::cli

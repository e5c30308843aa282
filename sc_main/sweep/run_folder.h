// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sc_main/sweep/sweep_table.h"

namespace switchyard::cli {

/// Whether `folder` holds the results of one run.
bool is_run_folder(const std::string& folder);

/// The results of one run as a point with one seed: `real`, `per_iteration_us`, and `stat.MODULE.STAT` of every
/// statistic, those of an array together; throws base::ConfigError when they cannot be read.
TablePoint read_run_folder(const std::string& folder);

}  // namespace switchyard::cli

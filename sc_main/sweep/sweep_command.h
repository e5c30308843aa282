// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sc_main/cli.h"

namespace switchyard::cli {

/// `sweep NAME|FILE`: all points of a sweep, into a folder that can be started again.
void add_sweep(CLI::App& app, Context& context);

/// `results DIR`: what such a folder holds, as a table, CSV, JSON, or the answer to an SQL question.
void add_results(CLI::App& app, Context& context);

/// `diff A B`: two runs or points beside each other.
void add_diff(CLI::App& app, Context& context);

}  // namespace switchyard::cli

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sc_main/cli.h"

namespace switchyard::cli {

/// `compare NAME|FILE`: one experiment, its variants side by side and beside what was published.
void add_compare(CLI::App& app, Context& context);

/// `validate`: every experiment of the configuration folder, in one table.
void add_validate(CLI::App& app, Context& context);

}  // namespace switchyard::cli

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace switchyard::cli {

/// Folders called `kind` (`experiments`, `sweeps`) that exist, in the order of the search: in $SWITCHYARD_CONFIGS, in
/// ./configs, and in the configurations that the program was built with.
std::vector<std::string> config_folders(const std::string& kind);

/// The configuration files of a folder, by name.
std::vector<std::string> config_files(const std::string& folder);

/// The file of an experiment given by name or as a file. Throws base::ConfigError for a name that no folder has, with
/// the nearest one.
std::string find_experiment(const std::string& name_or_file);
/// The same for a sweep.
std::string find_sweep(const std::string& name_or_file);

}  // namespace switchyard::cli

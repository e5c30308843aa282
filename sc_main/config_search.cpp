// SPDX-License-Identifier: Apache-2.0
#include "sc_main/config_search.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "base/errors.h"
#include "platforms/config/text.h"

namespace switchyard::cli {
namespace {

namespace fs = std::filesystem;

bool is_yaml(const fs::path& path) { return path.extension() == ".yaml" || path.extension() == ".yml"; }

}  // namespace

std::vector<std::string> config_folders(const std::string& kind) {
  std::vector<fs::path> roots;
  if (const char* given = std::getenv("SWITCHYARD_CONFIGS"); given && *given) roots.emplace_back(given);
  roots.emplace_back("configs");
#ifdef SWITCHYARD_CONFIG_DIR
  roots.emplace_back(SWITCHYARD_CONFIG_DIR);
#endif
  std::vector<std::string> folders;
  std::error_code ignored;
  for (const fs::path& root : roots)
    if (fs::is_directory(root / kind, ignored)) folders.push_back((root / kind).generic_string());
  return folders;
}

std::vector<std::string> config_files(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error))
    if (is_yaml(entry.path())) files.push_back(entry.path().generic_string());
  if (error) throw base::ConfigError(folder, "cannot read this folder: " + error.message());
  std::sort(files.begin(), files.end());
  return files;
}

namespace {

std::string find_config(const std::string& kind, const std::string& command, const std::string& noun,
                        const std::string& name_or_file) {
  if (name_or_file.find('/') != std::string::npos || is_yaml(name_or_file)) return name_or_file;
  std::vector<std::string> names;
  for (const std::string& folder : config_folders(kind)) {
    for (const std::string& file : config_files(folder)) {
      const std::string name = fs::path(file).stem().string();
      if (name == name_or_file) return file;
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  throw base::ConfigError(command, "unknown " + noun + " " + platforms::shown(name_or_file) +
                                       platforms::allowed_names(name_or_file, names));
}

}  // namespace

std::string find_experiment(const std::string& name_or_file) {
  return find_config("experiments", "compare", "experiment", name_or_file);
}

std::string find_sweep(const std::string& name_or_file) {
  return find_config("sweeps", "sweep", "sweep", name_or_file);
}

}  // namespace switchyard::cli

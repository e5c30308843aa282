// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace switchyard::cli {

struct OutputFile {
  std::string name;
  std::string text;
};

/// Where a run leaves its results: all of its files or none.
class OutputFolder {
 public:
  /// Throws base::ConfigError when files could not be written there. Leaves nothing on the disk.
  explicit OutputFolder(std::filesystem::path path);

  /// Writes the files beside the folder and puts them in place when all are complete. What else the folder holds stays.
  /// Throws base::ConfigError with nothing changed when there is no room for them.
  void write(const std::vector<OutputFile>& files) const;
  std::string path() const { return path_.generic_string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace switchyard::cli

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

namespace switchyard::cli {

struct OutputFile {
  std::string name;
  std::string text;
};

/// A file of the results that is on the disk already, on the file system of the output folder.
struct MovedFile {
  std::string name;
  std::filesystem::path path;
};

/// A folder that is gone when the object is.
class ScratchFolder {
 public:
  ScratchFolder(const std::filesystem::path& parent, const std::string& name);
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  const std::error_code& error() const { return error_; }

 private:
  std::filesystem::path path_;
  std::error_code error_;
};

/// Where a run leaves its results: all of its files or none.
class OutputFolder {
 public:
  /// Throws base::ConfigError when files could not be written there. Leaves nothing on the disk.
  explicit OutputFolder(std::filesystem::path path);

  /// For files that grow while a run goes on: on the same file system. Throws base::ConfigError when it cannot be made.
  ScratchFolder scratch(const std::string& name) const;
  /// Writes the files beside the folder and puts them in place, with those of `moved`, when all are complete. What else
  /// the folder holds stays. Throws base::ConfigError with nothing changed when there is no room for them.
  void write(const std::vector<OutputFile>& files, const std::vector<MovedFile>& moved = {}) const;
  std::string path() const { return path_.generic_string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace switchyard::cli

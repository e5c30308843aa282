// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace switchyard::platforms {

/// The bytes of a file, or why they could not be read (`No such file or directory`).
struct FileText {
  std::string bytes;
  std::string error;
};

/// Reads all of `path`; refuses directories and files beyond 16 MiB.
FileText read_file(const std::filesystem::path& path);

/// How a resolved configuration names `path`: relative to `root`, so that the same files give the same text wherever
/// they lie; only the file name when the two have no directory in common.
std::string portable_name(const std::filesystem::path& path, const std::filesystem::path& root);

}  // namespace switchyard::platforms

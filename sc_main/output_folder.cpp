// SPDX-License-Identifier: Apache-2.0
#include "sc_main/output_folder.h"

#include <unistd.h>

#include <fstream>
#include <system_error>
#include <utility>

#include "base/errors.h"

namespace switchyard::cli {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const fs::path& path, const std::string& why) {
  throw base::ConfigError("output folder " + path.generic_string(), why);
}

/// `path` itself or the nearest folder above it that exists.
fs::path nearest_existing(const fs::path& path) {
  fs::path at = fs::absolute(path).lexically_normal();
  std::error_code ignored;
  while (!fs::exists(at, ignored) && at.has_relative_path()) at = at.parent_path();
  return at;
}

void write_file(const fs::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) refuse(path, "cannot write: " + std::error_code(errno, std::generic_category()).message());
}

}  // namespace

ScratchFolder::ScratchFolder(const fs::path& parent, const std::string& name)
    : path_(parent / ("." + name + ".part" + std::to_string(getpid()))) {
  fs::create_directory(path_, error_);
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

OutputFolder::OutputFolder(fs::path path) : path_(std::move(path)) {
  if (path_.empty()) throw base::ConfigError("output folder", "its name is empty");
  while (!path_.has_filename() && path_.has_relative_path()) path_ = path_.parent_path();  // `results/`
  const fs::path existing = nearest_existing(path_);
  std::error_code error;
  if (!fs::is_directory(existing, error))
    refuse(path_, "cannot write: " + existing.filename().generic_string() + " is not a folder");
  const ScratchFolder probe(existing, "probe");
  if (probe.error()) refuse(path_, "cannot write: " + probe.error().message());
}

ScratchFolder OutputFolder::scratch(const std::string& name) const { return {nearest_existing(path_), name}; }

void OutputFolder::write(const std::vector<OutputFile>& files, const std::vector<MovedFile>& moved) const {
  const fs::path target = fs::absolute(path_).lexically_normal();
  std::error_code error;
  fs::create_directories(target.parent_path(), error);
  if (error) refuse(path_, "cannot write: " + error.message());
  const bool exists = fs::exists(target, error);
  const ScratchFolder scratch(exists ? target : target.parent_path(), "results");
  if (scratch.error()) refuse(path_, "cannot write: " + scratch.error().message());
  std::vector<std::string> names;
  for (const OutputFile& file : files) {
    write_file(scratch.path() / file.name, file.text);
    names.push_back(file.name);
  }
  for (const MovedFile& file : moved) {
    fs::rename(file.path, scratch.path() / file.name, error);
    if (error) refuse(path_ / file.name, "cannot write: " + error.message());
    names.push_back(file.name);
  }
  if (exists) {
    for (const std::string& name : names) {
      fs::rename(scratch.path() / name, target / name, error);
      if (error) refuse(path_, "cannot write " + name + ": " + error.message());
    }
  } else {
    fs::rename(scratch.path(), target, error);
    if (error) refuse(path_, "cannot write: " + error.message());
  }
}

}  // namespace switchyard::cli

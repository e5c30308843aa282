// SPDX-License-Identifier: Apache-2.0
#include "platforms/config/file_text.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>

namespace switchyard::platforms {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestFile = std::size_t{16} << 20;

std::string last_error() { return std::generic_category().message(errno); }

}  // namespace

FileText read_file(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return {"", "it is a directory"};
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (!file) return {"", last_error()};
  FileText result;
  std::array<char, 65536> buffer{};
  while (const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), file.get())) {
    result.bytes.append(buffer.data(), n);
    if (result.bytes.size() > kLargestFile) return {"", "it is larger than 16 MiB"};
  }
  if (std::ferror(file.get())) return {"", last_error()};
  return result;
}

std::string portable_name(const fs::path& path, const fs::path& root) {
  std::error_code ignored;
  const fs::path target = fs::absolute(path, ignored).lexically_normal();
  const fs::path start = fs::absolute(root.empty() ? fs::path(".") : root, ignored).lexically_normal();
  const bool is_apart = !target.has_relative_path() || !start.has_relative_path() ||
                        *target.relative_path().begin() != *start.relative_path().begin();
  std::string name = is_apart ? target.filename().string() : target.lexically_relative(start).generic_string();
  for (char& c : name)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';  // stands in a comment, on one line
  return name;
}

}  // namespace switchyard::platforms

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace switchyard::test {

/// Two harts with everything, and a loop of faults and page-outs that needs milliseconds of host time.
inline const std::string kTinyMachine = R"(schema: 1
name: tiny
modules:
  hart: {type: cpu, count: 2, params: {clock: 1 GHz}}
  l1: {type: cache, count: 2, params: {size: {value: 16 KiB, from: assumed, ref: guess}}}
  l2: {type: cache, params: {size: 256 KiB}}
  bus: {type: bus}
  ram: {type: memory, params: {base: 0x80000000, size: 1 GiB}}
  clint: {type: clint, params: {base: 0x2000000}}
wires:
  - {from: "hart[*].data", to: "l1[*].cpu"}
  - {from: "l1[*].mem", to: l2.cpu}
  - {from: l2.mem, to: bus.in}
  - {from: bus.out, to: ram.in}
  - {from: bus.out, to: clint.in}
  - {from: clint.msip, to: "hart[*].msip"}
  - {from: clint.mtip, to: "hart[*].mtip"}
firmware: {type: opensbi}
)";
inline const std::string kTinyWorkload = R"(schema: 1
workload:
  programs:
    main:
      steps:
        - mmap: {name: p, size: 64 KiB}
        - loop:
            name: reclaim
            count: 1000
            measure: true
            body:
              - touch: {region: p, access: read, stride: 4 KiB}
              - madvise: {region: p, advice: pageout}
  processes: [{program: main}]
run: {until: {max_iterations: 20}, check: true}
)";

/// The program in a folder of its own, with `machine.yaml` and `workload.yaml`.
class CliTest {
 public:
  struct Result {
    int code = -1;
    std::string out, err;
  };

  CliTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "switchyard_cli_XXXXXX").string();
    BOOST_REQUIRE(mkdtemp(pattern.data()) != nullptr);
    directory_ = pattern;
    std::filesystem::create_directory(directory_ / "work");
    std::filesystem::current_path(directory_ / "work");
    write("machine.yaml", kTinyMachine);
    write("workload.yaml", kTinyWorkload);
  }
  ~CliTest() {
    std::error_code ignored;
    std::filesystem::current_path(before_, ignored);
    std::filesystem::remove_all(directory_, ignored);
  }
  CliTest(const CliTest&) = delete;
  CliTest& operator=(const CliTest&) = delete;

  static void write(const std::string& name, const std::string& text) { std::ofstream(name, std::ios::binary) << text; }
  static std::string read(const std::filesystem::path& name) {
    std::ifstream file(name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  Result run(const std::vector<std::string>& arguments) const {
    std::vector<std::string> words{SWITCHYARD_BINARY};
    words.insert(words.end(), arguments.begin(), arguments.end());
    return execute(std::move(words));
  }

  /// Runs `words`, the first being a program, to its end.
  Result execute(std::vector<std::string> words) const { return finish(start(std::move(words))); }
  pid_t start(std::vector<std::string> words) const {
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    const int flags = O_WRONLY | O_CREAT | O_TRUNC;
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, file_of("stdout").c_str(), flags, 0600);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, file_of("stderr").c_str(), flags, 0600);
    pid_t child = -1;
    BOOST_REQUIRE(posix_spawnp(&child, argv[0], &files, nullptr, argv.data(), environ) == 0);
    posix_spawn_file_actions_destroy(&files);
    return child;
  }
  Result finish(pid_t child) const {
    int status = 0;
    BOOST_REQUIRE(waitpid(child, &status, 0) == child);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read(file_of("stdout")), read(file_of("stderr"))};
  }

  /// `run machine.yaml workload.yaml` and more.
  Result run_tiny(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{"run", "machine.yaml", "workload.yaml"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  }

  /// Names in a folder, sorted.
  static std::vector<std::string> names(const std::filesystem::path& folder) {
    std::vector<std::string> result;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      result.push_back(entry.path().filename().string());
    std::sort(result.begin(), result.end());
    return result;
  }

 protected:
  /// The parent of the working folder.
  const std::filesystem::path& directory() const { return directory_; }

 private:
  std::string file_of(const std::string& name) const { return (directory_ / name).string(); }

  std::filesystem::path before_ = std::filesystem::current_path();
  std::filesystem::path directory_;
};

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace switchyard::test

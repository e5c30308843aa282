// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "platforms/registries.h"

namespace CLI {
class App;
}

namespace switchyard::cli {

/// What the program returns.
enum ExitCode : int {
  kOk = 0,
  kInternalError = 1,
  kUserError = 2,     ///< files, flags: nothing has been written; what a program asks for: results are there
  kCheckFailed = 3,   ///< a check failed, the run got stuck; results are there
  kInterrupted = 130  ///< Ctrl-C: 128 + SIGINT, as shells have it; results are there
};

/// What all commands share. Commands print into it: standard output stays empty when a command throws.
class Context {
 public:
  const platforms::Registries registries;
  int exit_code = kOk;
  bool json = false;  ///< `--json`, before the command or after it

  void print(std::string_view text) { out_ += text; }
  /// The one document of `--json`.
  void print_json(const nlohmann::ordered_json& document) {
    out_ += document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  }
  const std::string& output() const { return out_; }

 private:
  std::string out_;
};

/// `--json` of a command; the program has the same flag.
void add_json_flag(CLI::App& command, Context& context);

/// Adds a command whose callback does its work; called before the command line is read.
void add_run(CLI::App& app, Context& context);
void add_check(CLI::App& app, Context& context);
void add_describe(CLI::App& app, Context& context);

/// The whole program: reads the command line, runs the command, reports errors.
int run_program(int argc, const char* const* argv, std::ostream& out, std::ostream& err);

}  // namespace switchyard::cli

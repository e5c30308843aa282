// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <array>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "base/params.h"
#include "platforms/config/config_loader.h"
#include "platforms/config/param_reader.h"

namespace switchyard::test {

using base::ParamSet;
using base::ParamVisitor;

/// Factory over a fixed table.
struct TableFactory : base::ParamSetFactory {
  std::vector<std::pair<std::string, std::unique_ptr<ParamSet> (*)()>> table;

  std::unique_ptr<ParamSet> make(std::string_view name) const override {
    for (const auto& [known, make_it] : table)
      if (known == name) return make_it();
    return nullptr;
  }
  std::vector<std::string> names() const override {
    std::vector<std::string> result;
    for (const auto& [name, make_it] : table) result.push_back(name);
    return result;
  }
};

template <class T>
std::unique_ptr<ParamSet> make_params() {
  return std::make_unique<T>();
}

enum class Protocol { mesi, moesi };

struct CacheParams : ParamSet {
  base::Bytes size = base::kib(32);
  std::uint64_t ways = 8;
  base::Latency latency = base::cycles(3);
  Protocol protocol = Protocol::mesi;
  std::vector<std::uint64_t> banks{0, 1};

  void visit(ParamVisitor& v) override {
    static constexpr std::array<std::string_view, 2> kProtocols{"mesi", "moesi"};
    v.value({"size", "Capacity", "", true}, size, {64, 1 << 30});
    v.value({"ways", "Ways of a set", "ways"}, ways, {1, 64});
    v.value({"latency", "Time of a hit"}, latency);
    v.choice({"protocol", "Coherence protocol"}, protocol, kProtocols);
    v.list({"banks", "Bank numbers"}, banks, {0, 15});
  }
  std::string check() const override {
    return size.value % ways == 0 ? "" : "size must be a multiple of ways, got " + std::to_string(size.value);
  }
};

struct CpuParams : ParamSet {
  base::Frequency clock{1'000'000'000};
  std::uint64_t seed = 0;
  void visit(ParamVisitor& v) override {
    v.value({"clock", "Core clock"}, clock);
    v.value({"seed", "Any 64 bits"}, seed);
  }
};

struct EmptyParams : ParamSet {
  void visit(ParamVisitor&) override {}
};

inline const TableFactory& module_types() {
  static const TableFactory factory = [] {
    TableFactory f;
    f.table = {
        {"cache", &make_params<CacheParams>}, {"cpu", &make_params<CpuParams>}, {"bus", &make_params<EmptyParams>}};
    return f;
  }();
  return factory;
}

struct ModuleParams : ParamSet {
  std::string type;
  std::unique_ptr<ParamSet> params;
  std::uint64_t count = 1;

  ModuleParams() = default;
  ModuleParams(const ModuleParams&) = delete;
  ModuleParams(ModuleParams&& other) noexcept
      : type(std::move(other.type)), params(std::move(other.params)), count(other.count) {}
  ModuleParams& operator=(ModuleParams&& other) noexcept {
    type = std::move(other.type);
    params = std::move(other.params);
    count = other.count;
    return *this;
  }
  void visit(ParamVisitor& v) override {
    v.typed({"type", "Model", "", true}, type, {"params", "Parameters of the model"}, params, module_types());
    v.value({"count", "Copies", "modules"}, count, {1, 4096});
  }
};

struct WireParams : ParamSet {
  std::string from, to;
  void visit(ParamVisitor& v) override {
    v.value({"from", "Initiator", "", true}, from);
    v.value({"to", "Target", "", true}, to);
  }
};

const TableFactory& step_types();

using Steps = std::vector<std::pair<std::string, std::unique_ptr<ParamSet>>>;

struct TouchParams : ParamSet {
  std::uint64_t pages = 1;
  void visit(ParamVisitor& v) override { v.value({"pages", "Pages to touch", "pages"}, pages); }
};

struct LoopParams : ParamSet {
  std::uint64_t count = 1;
  Steps body;
  void visit(ParamVisitor& v) override {
    v.value({"count", "Rounds", "rounds", true}, count);
    v.steps({"body", "Steps of a round"}, body, step_types());
  }
};

inline const TableFactory& step_types() {
  static const TableFactory factory = [] {
    TableFactory f;
    f.table = {
        {"touch", &make_params<TouchParams>}, {"loop", &make_params<LoopParams>}, {"yield", &make_params<EmptyParams>}};
    return f;
  }();
  return factory;
}

struct RunParams : ParamSet {
  base::Duration until;
  base::Fraction precision{0.01};
  void visit(ParamVisitor& v) override {
    v.value({"until", "End of the run", "", true}, until);
    v.value({"precision", "Relative confidence interval"}, precision);
  }
};

struct MachineParams : ParamSet {
  std::string name = "unnamed";
  std::uint64_t seed = 1;
  double scale = 1;
  bool check_all = true;
  base::Address base = 0x80000000;
  std::vector<std::string> tags;
  RunParams run;
  std::vector<std::pair<std::string, ModuleParams>> modules;
  std::vector<WireParams> wires;
  Steps program;

  void visit(ParamVisitor& v) override {
    v.value({"name", "Name of the machine"}, name);
    v.value({"seed", "Seed of all random streams"}, seed);
    v.value({"scale", "Scale of the result"}, scale, {-10, 10});
    v.value({"check_all", "Run all checks"}, check_all);
    v.address({"base", "Start of memory"}, base);
    v.list({"tags", "Words to find the machine by"}, tags);
    v.object({"run", "When to stop"}, run);
    v.named({"modules", "Hardware"}, modules);
    v.sequence({"wires", "Connections"}, wires);
    v.steps({"program", "Workload"}, program, step_types());
  }
  const ModuleParams& module(const std::string& wanted) const {
    for (const auto& [name_of, found] : modules)
      if (name_of == wanted) return found;
    throw std::out_of_range(wanted);
  }
  const CacheParams& cache(const std::string& wanted) const {
    return dynamic_cast<const CacheParams&>(*module(wanted).params);
  }
};

/// A machine that was read, with the origins of its values.
struct ReadMachine {
  MachineParams params;
  platforms::Provenance provenance;
};

/// Files in a directory of their own, which is the working directory while the case runs.
class ConfigTest {
 public:
  using Texts = std::vector<std::string>;

  ConfigTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "switchyard_config_XXXXXX").string();
    BOOST_REQUIRE(mkdtemp(pattern.data()) != nullptr);
    directory_ = pattern;
    std::filesystem::current_path(directory_);
  }
  ~ConfigTest() {
    std::error_code ignored;
    std::filesystem::current_path(before_, ignored);
    std::filesystem::remove_all(directory_, ignored);
  }
  ConfigTest(const ConfigTest&) = delete;
  ConfigTest& operator=(const ConfigTest&) = delete;

  static void write(const std::string& name, const std::string& text) {
    const std::filesystem::path path(name);
    if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path());
    std::ofstream(name, std::ios::binary) << text;
  }
  static std::unique_ptr<ReadMachine> read_files(const Texts& files, const Texts& sets = {}) {
    platforms::Diagnostics diagnostics;
    auto machine = std::make_unique<ReadMachine>();
    const platforms::ConfigTree tree = platforms::load_config(files, sets, diagnostics);
    platforms::read_params(tree, machine->params, diagnostics, machine->provenance);
    diagnostics.throw_if_any();
    return machine;
  }
  /// Reads `text` as the file `m.yaml`.
  static std::unique_ptr<ReadMachine> read(const std::string& text, const Texts& sets = {}) {
    write("m.yaml", text);
    return read_files({"m.yaml"}, sets);
  }
  /// The message of the ConfigError, or `accepted`.
  static std::string refusal_of_files(const Texts& files, const Texts& sets = {}) {
    try {
      read_files(files, sets);
    } catch (const base::ConfigError& error) {
      return error.what();
    }
    return "accepted";
  }
  static std::string refusal(const std::string& text, const Texts& sets = {}) {
    write("m.yaml", text);
    return refusal_of_files({"m.yaml"}, sets);
  }
  /// The refusal of `seed: VALUE` and its like, without the place.
  static std::string refusal_of_value(const std::string& line) {
    const std::string message = refusal("schema: 1\n" + line + "\n");
    const std::size_t path = message.find(": ");
    const std::size_t what = path == std::string::npos ? path : message.find(": ", path + 2);
    return what == std::string::npos ? message : message.substr(what + 2);
  }

 private:
  std::filesystem::path before_ = std::filesystem::current_path();
  std::filesystem::path directory_;
};

}  // namespace switchyard::test

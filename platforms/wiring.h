// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "platforms/config/diagnostics.h"
#include "platforms/config/place.h"
#include "platforms/config/provenance.h"
#include "platforms/run_config.h"
#include "switchyard/module.h"

namespace switchyard::platforms {

/// The modules of one configuration name: one, or an array.
struct ModuleArray {
  std::string name;
  bool indexed = false;
  std::vector<std::unique_ptr<Module>> modules;
  /// `l1[2]`, or `l2` for a single one.
  std::string label(std::size_t index) const { return indexed ? name + "[" + std::to_string(index) + "]" : name; }
};

/// Where the value at `path`, or what it is part of, was written.
Place place_of(std::string path, const Provenance& provenance);

/// Binds the ports of modules as `wires` say, and checks that every port is bound as its module wants it.
class Wiring {
 public:
  Wiring(std::vector<ModuleArray>& arrays, const Provenance& provenance, Diagnostics& diagnostics)
      : arrays_(arrays), provenance_(provenance), diagnostics_(diagnostics) {}

  void bind(const std::vector<WireConfig>& wires);
  /// Reports required ports without a wire.
  void check_complete();

 private:
  /// One side of a wire.
  struct End {
    ModuleArray* array = nullptr;
    PortInfo port;
    bool several = false;  ///< `[*]` or `[first..last]`
    std::size_t first = 0, last = 0;
    std::size_t size() const { return last - first + 1; }
    std::size_t at(std::size_t i) const { return several ? first + i : first; }
  };

  bool parse(const std::string& text, const std::string& path, End& end);
  bool find_port(const std::string& port, const std::string& path, End& end);
  bool bind_one(const End& from, std::size_t f, const End& to, std::size_t t, const std::string& path);
  bool bind_interrupt(const End& from, std::size_t f, const End& to, std::size_t t, const std::string& path);
  bool claim(const End& end, std::size_t index, const std::string& path);
  /// Whether a request that enters `from` can arrive at `to`.
  bool reaches(const Module& from, const Module& to) const;
  void error(const std::string& path, const std::string& what);

  std::vector<ModuleArray>& arrays_;
  const Provenance& provenance_;
  Diagnostics& diagnostics_;
  std::set<std::string> bound_;  ///< `l1[2].mem`
  std::map<const Module*, std::vector<const Module*>> leads_to_;
  std::map<std::string, unsigned> interrupt_wires_;  ///< how many start at `clint.msip`
};

}  // namespace switchyard::platforms

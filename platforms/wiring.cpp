// SPDX-License-Identifier: Apache-2.0
#include "platforms/wiring.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <regex>

#include "cpu/logical_cpu.h"
#include "interrupt/ipi_fabric.h"
#include "platforms/config/text.h"

namespace switchyard::platforms {

namespace {

std::string kind_name(PortKind kind) {
  switch (kind) {
    case PortKind::initiator:
      return "an initiator";
    case PortKind::target:
      return "a target";
    case PortKind::interrupt_out:
      return "an interrupt output";
    case PortKind::interrupt_in:
      return "an interrupt input";
  }
  return "";
}

bool is_source(PortKind kind) { return kind == PortKind::initiator || kind == PortKind::interrupt_out; }

PortKind partner(PortKind kind) { return kind == PortKind::initiator ? PortKind::target : PortKind::interrupt_in; }

}  // namespace

Place place_of(std::string path, const Provenance& provenance) {
  const SourcedValue* value = provenance.find(path);
  while (value == nullptr && !path.empty()) {
    path.resize(path.find_last_of(".[") == std::string::npos ? 0 : path.find_last_of(".["));
    value = provenance.find(path);
  }
  if (value == nullptr) return {};
  const std::size_t colon = value->origin.rfind(':');
  if (colon == std::string::npos) return {std::make_shared<Source>(Source{value->origin, value->origin, 0}), 0, 0};
  const std::string file = value->origin.substr(0, colon);
  return {std::make_shared<Source>(Source{file, file, 0}), std::stoi(value->origin.substr(colon + 1)), 0};
}

void Wiring::error(const std::string& path, const std::string& what) {
  diagnostics_.error(place_of(path, provenance_), path, what);
}

bool Wiring::parse(const std::string& text, const std::string& path, End& end) {
  static const std::regex kForm(
      R"(([A-Za-z_][A-Za-z0-9_-]*)(\[(\*|([0-9]{1,4})(\.\.([0-9]{1,4}))?)\])?\.([A-Za-z_][A-Za-z0-9_]*))");
  std::smatch match;
  if (!std::regex_match(text, match, kForm)) {
    error(path, "'" + text + "' is no port; expected module.port, module[2].port, module[0..2].port or module[*].port");
    return false;
  }
  std::vector<std::string> names;
  for (ModuleArray& array : arrays_) {
    names.push_back(array.name);
    if (array.name == match[1]) end.array = &array;
  }
  if (end.array == nullptr) {
    error(path, "unknown module '" + match[1].str() + "'" + allowed_names(match[1].str(), names));
    return false;
  }
  const std::size_t size = end.array->modules.size();
  if (end.array->indexed != match[2].matched) {
    error(path, end.array->indexed ? "'" + end.array->name + "' is an array of " + std::to_string(size) + "; write " +
                                         end.array->name + "[*] or " + end.array->name + "[0]"
                                   : "'" + end.array->name + "' is a single module; write it without an index");
    return false;
  }
  if (match[3] == "*") {
    end.several = true;
    end.last = size - 1;
  } else if (match[4].matched) {
    end.first = end.last = std::stoul(match[4].str());
    end.several = match[6].matched;
    if (end.several) end.last = std::stoul(match[6].str());
  }
  if (end.last < end.first) {
    error(path, "'" + text + "' counts down: " + std::to_string(end.first) + " is behind " + std::to_string(end.last));
    return false;
  }
  if (end.last >= size) {
    error(path, "index " + std::to_string(end.last) + " is beyond " + end.array->label(size - 1));
    return false;
  }
  return find_port(match[7].str(), path, end);
}

bool Wiring::find_port(const std::string& port, const std::string& path, End& end) {
  std::vector<std::string> names;
  for (const PortInfo& info : end.array->modules.front()->ports()) {
    if (info.name == port) {
      end.port = info;
      return true;
    }
    names.push_back(info.name);
  }
  error(path, "'" + end.array->name + "' has no port '" + port + "'" + allowed_names(port, names));
  return false;
}

void Wiring::bind(const std::vector<WireConfig>& wires) {
  for (std::size_t i = 0; i < wires.size(); ++i) {
    const std::string path = "wires[" + std::to_string(i) + "]";
    End from, to;
    const bool from_ok = parse(wires[i].from, path + ".from", from);
    const bool to_ok = parse(wires[i].to, path + ".to", to);
    if (!from_ok || !to_ok) continue;
    if (!is_source(from.port.kind)) {
      error(path + ".from", wires[i].from + " is " + kind_name(from.port.kind) +
                                "; a wire starts at an initiator or an "
                                "interrupt output");
      continue;
    }
    if (to.port.kind != partner(from.port.kind)) {
      error(path + ".to", wires[i].to + " is " + kind_name(to.port.kind) + "; " + wires[i].from + " needs " +
                              kind_name(partner(from.port.kind)));
      continue;
    }
    if (from.several && to.several && from.size() != to.size()) {
      error(path, "pairs " + std::to_string(from.size()) + " modules with " + std::to_string(to.size()));
      continue;
    }
    for (std::size_t n = 0; n < std::max(from.size(), to.size()); ++n)
      if (!bind_one(from, from.at(n), to, to.at(n), path)) break;  // one message per wire is enough
  }
}

bool Wiring::claim(const End& end, std::size_t index, const std::string& path) {
  const std::string port = end.array->label(index) + "." + end.port.name;
  if (bound_.insert(port).second || end.port.many) return true;
  error(path, port + " is wired already and takes one wire");
  return false;
}

bool Wiring::bind_one(const End& from, std::size_t f, const End& to, std::size_t t, const std::string& path) {
  if (!claim(from, f, path) || !claim(to, t, path)) return false;
  Module& source = *from.array->modules[f];
  Module& sink = *to.array->modules[t];
  if (from.port.kind == PortKind::interrupt_out) return bind_interrupt(from, f, to, t, path);
  if (reaches(sink, source)) {
    error(path, "closes a circle: what leaves " + from.array->label(f) + " comes back to it");
    return false;
  }
  leads_to_[&source].push_back(&sink);
  const Module::Initiator initiator = source.initiator(from.port.name);
  source.route(from.port.name, sink.address_range());
  bind_ports(initiator, sink.target(to.port.name));
  return true;
}

// The n-th wire of an IPI device is what its n-th register raises, and software writes that for hart n.
bool Wiring::bind_interrupt(const End& from, std::size_t f, const End& to, std::size_t t, const std::string& path) {
  Module& source = *from.array->modules[f];
  Module& sink = *to.array->modules[t];
  const std::string port = from.array->label(f) + "." + from.port.name;
  const unsigned number = interrupt_wires_[port]++;
  source.connect_interrupt(from.port.name, sink.interrupt_in(to.port.name));
  const auto* cpu = dynamic_cast<const cpu::LogicalCpu*>(&sink);
  if (cpu == nullptr || cpu->id() == number || dynamic_cast<const interrupt::IpiFabric*>(&source) == nullptr)
    return true;
  error(path, fmt::format("wire {0} of {1} interrupts hart {0}, but leads to {2}, which is hart {3}; wire the harts in "
                          "their order",
                          number, port, to.array->label(t), cpu->id()));
  return false;
}

bool Wiring::reaches(const Module& from, const Module& to) const {
  if (&from == &to) return true;
  const auto next = leads_to_.find(&from);
  return next != leads_to_.end() && std::any_of(next->second.begin(), next->second.end(),
                                                [&](const Module* module) { return reaches(*module, to); });
}

void Wiring::check_complete() {
  for (const ModuleArray& array : arrays_)
    for (std::size_t i = 0; i < array.modules.size(); ++i)
      for (const PortInfo& port : array.modules[i]->ports())
        if (port.required && !port.many && bound_.count(array.label(i) + "." + port.name) == 0) {
          error("modules." + array.name, "port " + array.label(i) + "." + port.name + " is not wired");
          i = array.modules.size() - 1;  // once per array is enough
          break;
        }
}

}  // namespace switchyard::platforms

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

namespace switchyard::base {
class StatGroup;
}

namespace switchyard {

/// Every memory bus is 64 bits wide. Sockets may stay unbound at SystemC level; the platform checks the wiring.
using InitiatorSocket = tlm::tlm_initiator_socket<64, tlm::tlm_base_protocol_types, 1, sc_core::SC_ZERO_OR_MORE_BOUND>;
using TargetSocket = tlm::tlm_target_socket<64, tlm::tlm_base_protocol_types, 1, sc_core::SC_ZERO_OR_MORE_BOUND>;

/// A level-sensitive interrupt input.
class InterruptLine {
 public:
  virtual ~InterruptLine() = default;
  /// Sets the level at the current SystemC time. Setting the level it has is harmless.
  virtual void set(bool level) = 0;
};

enum class PortKind { initiator, target, interrupt_out, interrupt_in };

/// Bus addresses [base, base + size).
struct AddressRange {
  std::uint64_t base = 0;
  std::uint64_t size = 0;
};

/// A named port of a module type. `many` ports take any number of wires, the others exactly one.
struct PortInfo {
  std::string name;
  PortKind kind;
  bool many = false;
  bool required = true;
};

/// A hardware block that a platform file can name.
class Module : public sc_core::sc_module {
 public:
  /// The sockets of a memory port. `snoop` carries requests of the lower level against the direction of `socket`; null
  /// where the module takes no part in coherence.
  struct Initiator {
    InitiatorSocket* socket = nullptr;
    TargetSocket* snoop = nullptr;
  };
  struct Target {
    TargetSocket* socket = nullptr;
    InitiatorSocket* snoop = nullptr;
  };

  explicit Module(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {}

  virtual std::vector<PortInfo> ports() const = 0;
  virtual const base::StatGroup& stats() const = 0;

  /// The sockets of a port that ports() lists with that kind. A `many` port returns a new one at each call.
  virtual Initiator initiator(const std::string& port);
  virtual Target target(const std::string& port);
  virtual InterruptLine& interrupt_in(const std::string& port);
  virtual void connect_interrupt(const std::string& port, InterruptLine& line);

  /// Where a memory-mapped module answers; empty size for the others.
  virtual AddressRange address_range() const { return {}; }
  /// Tells a `many` initiator port which addresses the socket that initiator(port) made last leads to.
  virtual void route(const std::string& port, AddressRange range);

  /// What is wrong with the wiring or the combination of neighbours, after elaboration; empty when all is well.
  virtual std::string check_wiring() const { return ""; }
};

/// Binds two memory ports, and their snoop sockets where both sides have them.
void bind_ports(Module::Initiator from, Module::Target to);

}  // namespace switchyard

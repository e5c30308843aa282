// SPDX-License-Identifier: Apache-2.0
#include "switchyard/module.h"

#include "base/errors.h"

namespace switchyard {

Module::Initiator Module::initiator(const std::string& port) {
  throw base::InternalError(std::string(name()) + " has no initiator port " + port);
}

Module::Target Module::target(const std::string& port) {
  throw base::InternalError(std::string(name()) + " has no target port " + port);
}

InterruptLine& Module::interrupt_in(const std::string& port) {
  throw base::InternalError(std::string(name()) + " has no interrupt input " + port);
}

void Module::connect_interrupt(const std::string& port, InterruptLine&) {
  throw base::InternalError(std::string(name()) + " has no interrupt output " + port);
}

void Module::route(const std::string&, AddressRange) {}

void bind_ports(Module::Initiator from, Module::Target to) {
  from.socket->bind(*to.socket);
  if (from.snoop != nullptr && to.snoop != nullptr) to.snoop->bind(*from.snoop);
}

}  // namespace switchyard

// SPDX-License-Identifier: Apache-2.0
#include "interrupt/pa_external.h"

namespace switchyard::interrupt {

std::vector<PortInfo> PaExternal::ports() const {
  std::vector<PortInfo> ports = Sswi::ports();
  ports.push_back({"itimer", PortKind::interrupt_out, true});
  return ports;
}

void PaExternal::connect_interrupt(const std::string& port, InterruptLine& line) {
  if (port != "itimer") return Sswi::connect_interrupt(port, line);
  timers_.connect(line);
}

std::string PaExternal::check_wiring() const {
  const std::string wrong = timers_.check(harts(), "itimer", "ssip");
  return wrong.empty() ? Sswi::check_wiring() : wrong;
}

}  // namespace switchyard::interrupt

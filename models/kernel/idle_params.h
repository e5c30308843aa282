// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/params.h"

namespace switchyard::kernel {

/// How an idle CPU waits: it looks at need_resched all the time, lets the hardware watch that word (MWAIT), or halts
/// until an interrupt (HLT, WFI).
enum class IdleKind : std::uint8_t { poll, mwait, halt };
inline constexpr std::array<std::string_view, 3> kIdleKinds{"poll", "mwait", "halt"};

/// One idle state. `target_residency` is what the kernel's table says, for the choice; `wake` is what the hardware
/// takes, which is much less than the table's exit latencies.
struct IdleStateParams : base::ParamSet {
  std::string name = "halt";
  IdleKind kind = IdleKind::halt;
  base::Latency wake = base::cycles(0);
  base::Duration target_residency{0};
  bool flushes_tlb = false;

  void visit(base::ParamVisitor& v) override {
    v.value({.key = "name", .text = "Name in results"}, name);
    v.choice({.key = "kind", .text = "How the CPU waits"}, kind, kIdleKinds);
    v.value({.key = "wake", .text = "Time from the event to the first instruction; halt adds the CPU's wfi_wake"},
            wake);
    v.value({.key = "target_residency", .text = "Expected idle time from which on the state is chosen"},
            target_residency);
    v.value({.key = "flushes_tlb", .text = "The CPU loses its TLB: the kernel gives up a borrowed mm first"},
            flushes_tlb);
  }
};

/// When an idle CPU stops its tick: at every entry, when it expects to be idle for longer than a tick (Linux from 4.17
/// on), or never.
enum class TickStop : std::uint8_t { always, predicted, never };
inline constexpr std::array<std::string_view, 3> kTickStops{"always", "predicted", "never"};

/// The idle loop.
struct IdleParams : base::ParamSet {
  std::vector<IdleStateParams> states{IdleStateParams{}};
  TickStop stop_tick = TickStop::always;

  void visit(base::ParamVisitor& v) override {
    v.sequence({.key = "states", .text = "Idle states, shallowest first"}, states);
    v.choice({.key = "stop_tick", .text = "When the tick stops on an idle CPU"}, stop_tick, kTickStops);
  }
  std::string check() const override {
    if (states.empty()) return "states is empty: an idle CPU needs at least one";
    for (std::size_t i = 1; i < states.size(); ++i)
      if (states[i].target_residency.ps < states[i - 1].target_residency.ps)
        return "states must be in order of target_residency; '" + states[i].name + "' comes after '" +
               states[i - 1].name + "'";
    return "";
  }
};

}  // namespace switchyard::kernel

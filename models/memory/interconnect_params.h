// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/params.h"

namespace switchyard::memory {

/// Unloaded time of a line from one cache to another, from the request on the bus to the first word at the requester;
/// permission to write takes one beat less.
struct TransferParams : base::ParamSet {
  base::Latency latency = base::nanoseconds(150);
  base::Latency same_bus_saves = base::nanoseconds(0);
  base::Latency snoop = base::nanoseconds(0);
  base::Latency hold = base::nanoseconds(0);
  void visit(base::ParamVisitor& v) override {
    v.value({"latency", "Between caches on different buses, or on the only one; must be a time"}, latency);
    v.value(
        {"same_bus_saves", "What it is shorter by between caches on one bus, where there are several; must be a time"},
        same_bus_saves);
    v.value({"snoop",
             "Part of it that passes before the owner begins to answer; a request that waits for an earlier one to the "
             "same line has it behind it by then; must be a time"},
            snoop);
    v.value({"hold",
             "Time for which a cache keeps a line that it has just taken for writing before it goes to the next one "
             "that waits: the completion of the transfer, and the operation that asked for it; must be a time"},
            hold);
  }
};

/// What becomes of a modified line that another cache asks to read: both share it and memory gets it (MESI), or it
/// moves to the reader, still modified, and the former owner drops it.
enum class DirtyRead : std::uint8_t { shares, migrates };
inline constexpr std::array<std::string_view, 2> kDirtyReads{"shares", "migrates"};

/// Which requests to a line are served one after the other: all of them, or only those that move the line between
/// caches or give it to a single owner, so that readers of memory's copy do not hold each other up.
enum class LineOrder : std::uint8_t { requests, transfers };
inline constexpr std::array<std::string_view, 2> kLineOrders{"requests", "transfers"};

/// Parameters of SnoopBus and DirectoryFabric.
struct InterconnectParams : base::ParamSet {
  std::uint64_t caches_per_bus = 0;
  TransferParams transfer;
  base::Latency memory = base::nanoseconds(0);
  base::Bytes width{8};
  base::Latency beat = base::nanoseconds(4);
  base::Latency address = base::nanoseconds(8);
  bool forward_clean = false;
  LineOrder line_order = LineOrder::requests;
  DirtyRead dirty_read = DirtyRead::shares;

  void visit(base::ParamVisitor& v) override {
    v.value({"caches_per_bus", "How many caches, in the order of wiring, share a bus; 0 means all", "caches"},
            caches_per_bus, {0, 64});
    v.object({"transfer", "Transfers between caches"}, transfer);
    v.value({"memory", "Time added to a line that memory supplies; must be a time"}, memory);
    v.value({"width", "Bytes of a line that one beat carries"}, width, {1, 256});
    v.value({"beat", "Time that one beat occupies a bus; must be a time"}, beat);
    v.value({"address", "Time that the address phase of a request occupies a bus; must be a time"}, address);
    v.value({"forward_clean", "A line that is clean in another cache comes from there, not from memory"},
            forward_clean);
    v.choice({"line_order",
              "Requests to a line are served in order: all of them, or only those that move it between caches or make "
              "an owner"},
             line_order, kLineOrders);
    v.choice({"dirty_read",
              "A modified line that another cache reads is shared and written to memory, or migrates to the reader as "
              "it is"},
             dirty_read, kDirtyReads);
  }
  std::string check() const override {
    const auto in_cycles = [](const base::Latency& latency) {
      return latency.unit == base::Latency::Unit::cycles && latency.value != 0;
    };
    if (in_cycles(transfer.latency) || in_cycles(transfer.same_bus_saves) || in_cycles(transfer.snoop) ||
        in_cycles(transfer.hold) || in_cycles(memory) || in_cycles(beat) || in_cycles(address))
      return "transfer.latency, transfer.same_bus_saves, transfer.snoop, transfer.hold, memory, beat and address must "
             "be times such as `150 ns`, not cycles: there is no clock that they could refer to";
    if (transfer.same_bus_saves.value > transfer.latency.value)
      return "transfer.same_bus_saves is more than transfer.latency: " + std::to_string(transfer.same_bus_saves.value) +
             " ps and " + std::to_string(transfer.latency.value) + " ps";
    return "";
  }
};

}  // namespace switchyard::memory

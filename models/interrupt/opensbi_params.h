// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>

#include "base/cpu_mask.h"
#include "base/params.h"

namespace switchyard::interrupt {

/// Path lengths of machine-mode firmware beyond a trivial ecall and without memory time. The defaults add
/// up to counts on OpenSBI 1.1: fence of the caller alone 480 instructions beyond a trivial ecall, each remote hart
/// 660 to 735 more for the caller, 675 beyond a trap for the target. How they split within is assumed.
struct FirmwareCosts : base::ParamSet {
  std::uint64_t trap = 244;
  std::uint64_t ecall = 240;
  std::uint64_t target = 180;
  std::uint64_t queue_update = 110;
  std::uint64_t queue_compare = 30;
  std::uint64_t ipi_send = 200;
  std::uint64_t wait = 90;
  std::uint64_t wait_turn = 75;
  std::uint64_t ipi_process = 180;
  std::uint64_t local_fence = 60;
  std::uint64_t acknowledge = 200;
  std::uint64_t timer = 150;

  void visit(base::ParamVisitor& v) override {
    v.value(
        {"trap", "Entry to machine mode, a trivial call and the return; what trap_cost is the time of", "instructions"},
        trap, {1, 1e6});
    v.value({"ecall", "Dispatch of an ecall to its extension, decoding of the hart mask", "instructions"}, ecall);
    v.value({"target", "Per hart in the mask: lookup of its scratch area", "instructions"}, target);
    v.value({"queue_update", "One visit to a fence queue: call, lock, ring arithmetic", "instructions"}, queue_update);
    v.value({"queue_compare", "Per waiting entry that a new request is compared with", "instructions"}, queue_compare);
    v.value({"ipi_send", "Per interrupted hart: mark the type, find and write the register", "instructions"}, ipi_send);
    v.value({"wait", "Setting out to wait for acknowledgements", "instructions"}, wait);
    v.value({"wait_turn", "One turn of the waiting loop: look at the sync word and at the own queue", "instructions"},
            wait_turn);
    v.value({"ipi_process", "Software interrupt of the target: clear, read the types, dispatch", "instructions"},
            ipi_process);
    v.value({"local_fence", "Per executed request, plus one instruction per page", "instructions"}, local_fence);
    v.value({"acknowledge", "Per acknowledgement given to a requester", "instructions"}, acknowledge);
    v.value({"timer", "Programming of the timer, or its interrupt", "instructions"}, timer);
  }
};

/// How the fence request reaches several harts: one after the other, each waited for (OpenSBI up to 1.2), or all
/// at once with one wait (from 1.3, commits 66fa9253 and 24dde46b).
enum class FanOut : std::uint8_t { serial, parallel };
inline constexpr std::array<std::string_view, 2> kFanOutNames{"serial", "parallel"};

/// Parameters of OpenSbi.
struct OpenSbiParams : base::ParamSet {
  FanOut fan_out = FanOut::parallel;
  base::Latency trap_cost = base::cycles(280);
  base::Bytes fence_limit = {4096};
  bool full_fence = false;
  bool fence_at_trap_entry = false;
  std::uint64_t fifo_entries = 8;
  base::Address memory = 0x80040000;
  base::Bytes stride = {4096};
  base::Bytes field_align = {8};
  FirmwareCosts costs;

  void visit(base::ParamVisitor& v) override {
    v.choice({"fan_out", "Wait after each hart (OpenSBI <= 1.2) or once for all (>= 1.3)"}, fan_out, kFanOutNames);
    v.value(
        {"trap_cost",
         "Time of one trap to machine mode and back (`costs.trap` instructions); other firmware code takes time in "
         "proportion to its instructions. A trivial ecall takes 275 to 282 cycles on SpacemiT X60 (rustsbi PR 277)"},
        trap_cost);
    v.value({"fence_limit", "Longer ranges are flushed entirely instead of page by page"}, fence_limit);
    v.value({"full_fence", "Every fence flushes everything (SiFive errata CIP-1200)"}, full_fence);
    v.value({"fence_at_trap_entry", "Every trap to machine mode flushes the TLB first (T-Head C9xx workaround)"},
            fence_at_trap_entry);
    v.value({"fifo_entries", "Fence requests that wait at one hart (SBI_TLB_FIFO_NUM_ENTRIES)", "entries"},
            fifo_entries, {1, 256});
    v.address({"memory", "Physical address of the first hart's scratch area"}, memory);
    v.value({"stride", "Distance of two harts' scratch areas"}, stride, {64, 1 << 24});
    v.value({"field_align",
             "Distance of interrupt types, sync word and fence queue within the area; a cache line "
             "separates them"},
            field_align, {8, 4096});
    v.object({"costs", "Path lengths of the firmware's steps"}, costs);
  }

  std::string check() const override {
    if (memory % 8 != 0) return "memory must be a multiple of 8, got " + std::to_string(memory);
    if (stride.value % 8 != 0) return "stride must be a multiple of 8 B, got " + std::to_string(stride.value) + " B";
    if (field_align.value % 8 != 0)
      return "field_align must be a multiple of 8 B, got " + std::to_string(field_align.value) + " B";
    const std::uint64_t need = 3 * field_align.value + fifo_entries * 8 * (3 + base::CpuMask::kWords);
    if (need <= stride.value) return "";
    return "stride must be at least " + std::to_string(need) + " B for " + std::to_string(fifo_entries) +
           " fifo_entries and field_align of " + std::to_string(field_align.value) + " B, got " +
           std::to_string(stride.value) + " B";
  }
};

}  // namespace switchyard::interrupt

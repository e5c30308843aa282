// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/params.h"
#include "cpu/tlb.h"

namespace switchyard::cpu {

/// The page walk, by hardware or by software. Entries are read through the first-level data cache.
struct PageWalkParams : base::ParamSet {
  base::Latency start = base::cycles(0);
  base::Latency step = base::cycles(0);
  std::uint64_t cache_entries = 0;
  bool page_fence_empties = false;
  bool fault_empties = false;
  bool software = false;

  void visit(base::ParamVisitor& v) override {
    v.value(
        {"start", "Time from the miss in the last TLB level to the first read, and from the last read to the retry"},
        start);
    v.value({"step", "Time added to each read of a page-table entry"}, step);
    v.value({"cache_entries",
             "Non-leaf entries kept by the walker, tagged by address-space id; emptied by fences that name no page",
             "entries"},
            cache_entries, {0, 64});
    v.value({"page_fence_empties",
             "An invalidation by address also empties the walker's entries of all address spaces (INVLPG)"},
            page_fence_empties);
    v.value(
        {"fault_empties", "A page fault drops the entries of its address, so that wider rights need no fence (x86)"},
        fault_empties);
    v.value({"software", "A miss enters the kernel's handler before the walk, if the kernel has one"}, software);
  }
};

/// TLB invalidation (sfence.vma and its kin): the instruction itself, without the refills it causes.
struct FenceParams : base::ParamSet {
  base::Latency page = base::cycles(10);
  base::Latency asid = base::cycles(10);
  base::Latency all = base::cycles(10);
  base::Latency broadcast = base::cycles(10);
  base::Latency broadcast_issue = base::cycles(0);
  base::Latency broadcast_hold = base::cycles(0);
  bool always_all = false;

  void visit(base::ParamVisitor& v) override {
    v.value({"page", "Time of an invalidation by address"}, page);
    v.value({"asid", "Time of an invalidation by address-space id"}, asid);
    v.value({"all", "Time of an invalidation of everything"}, all);
    v.value({"broadcast",
             "Time of an invalidation in the TLBs of all CPUs, where hardware broadcasts one, up to its "
             "completion and with no other under way"},
            broadcast);
    v.value({"broadcast_issue", "Time of each instruction before that, where one completion is for several"},
            broadcast_issue);
    v.value({"broadcast_hold", "How long the interconnect is busy with one completion; those of other CPUs wait"},
            broadcast_hold);
    v.value({"always_all", "Any invalidation empties the whole TLB, at the time of `all`"}, always_all);
  }
};

/// How the threads of a core, the CPUs on one first-level cache, share its issue slots.
struct SmtParams : base::ParamSet {
  std::vector<std::uint64_t> throughput;

  void visit(base::ParamVisitor& v) override {
    v.list({"throughput",
            "Instructions that the core executes in a time while 1, 2, ... of its threads are active, in percent of "
            "what one does alone; the active ones share alike. Empty: they do not slow each other down. A CPU that "
            "waits for an interrupt, or for a store to a line that it monitors, is not active; one that spins is",
            "%"},
           throughput, {1, 800});
  }
  std::string check() const override {
    if (!throughput.empty() && throughput.front() != 100)
      return "throughput of one thread is 100 by definition, got " + std::to_string(throughput.front());
    for (std::size_t n = 1; n < throughput.size(); ++n)
      if (throughput[n] > 100 * (n + 1))
        return "throughput of " + std::to_string(n + 1) + " threads is " + std::to_string(throughput[n]) +
               " %: more than that many cores";
    return "";
  }
};

/// Where atomic operations are done: in the first-level cache, which takes the line, or in memory after every copy of
/// the line has been dropped (PA-RISC before PA8000 does load-and-clear so).
enum class AtomicPlace : std::uint8_t { cache, memory };
inline constexpr std::array<std::string_view, 2> kAtomicPlaces{"cache", "memory"};

/// Parameters of Cpu.
struct CpuParams : base::ParamSet {
  base::Frequency clock{1'000'000'000};
  double cpi = 1.0;
  base::Fraction jitter{0};
  std::uint64_t seed = 1;
  TlbParams itlb{32, 32};
  TlbParams dtlb{32, 32};
  TlbParams l2_tlb{512, 4};
  base::Latency l2_tlb_latency = base::cycles(4);
  PageWalkParams page_walk;
  FenceParams fence;
  base::Latency translation_write = base::cycles(0);
  base::Latency system_register = base::cycles(0);
  base::Latency barrier = base::cycles(5);
  base::Latency atomic = base::cycles(5);
  AtomicPlace atomic_in = AtomicPlace::cache;
  base::Latency wfi_wake = base::cycles(10);
  SmtParams smt;

  void visit(base::ParamVisitor& v) override {
    v.value({"clock", "Core clock", "", true}, clock);
    v.value({"cpi", "Cycles per instruction when every access hits the first level", "cycles"}, cpi, {0.05, 100});
    v.value({"jitter",
             "How much the time of a stretch of instructions varies, evenly to both sides; stands for what is not "
             "modelled, and keeps CPUs from falling into step with each other"},
            jitter);
    v.value({"seed", "Seed of the jitter"}, seed);
    v.object({"itlb", "First-level instruction TLB"}, itlb);
    v.object({"dtlb", "First-level data TLB"}, dtlb);
    v.object({"l2_tlb", "Second-level TLB, shared by instructions and data"}, l2_tlb);
    v.value({"l2_tlb_latency", "Time of a look-up in the second-level TLB"}, l2_tlb_latency);
    v.object({"page_walk", "Hardware page walk"}, page_walk);
    v.object({"fence", "Local TLB invalidation"}, fence);
    v.value({"translation_write", "Time of setting page-table root and address-space id (CR3, TTBR, satp)"},
            translation_write);
    v.value({"system_register", "Time of writing another system register, synchronisation included (MSR and ISB)"},
            system_register);
    v.value({"barrier", "Time of a memory barrier"}, barrier);
    v.value({"atomic", "Time that an atomic operation takes beyond a hit"}, atomic);
    v.choice({"atomic_in", "Where atomic operations are done; in memory, every copy of the line is dropped first"},
             atomic_in, kAtomicPlaces);
    v.value({"wfi_wake", "Time from a pending interrupt to the first instruction after wait-for-interrupt"}, wfi_wake);
    v.object({"smt", "Threads of one core"}, smt);
  }
  std::string check() const override {
    if (itlb.entries == 0 || dtlb.entries == 0)
      return "itlb and dtlb need at least one entry; itlb has " + std::to_string(itlb.entries) + ", dtlb " +
             std::to_string(dtlb.entries);
    return "";
  }
};

}  // namespace switchyard::cpu

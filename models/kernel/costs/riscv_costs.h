// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "base/params.h"

namespace switchyard::kernel {

/// The part of `rest_per_page` that one function gets.
struct RestShare : base::ParamSet {
  std::string function;
  base::Fraction share;

  RestShare() = default;
  RestShare(std::string name, double part) : function(std::move(name)), share{part} {}
  void visit(base::ParamVisitor& v) override {
    v.value({.key = "function", .text = "Kernel function that spends this share once per page", .required = true},
            function);
    v.value({.key = "share", .text = "Its part of rest_per_page", .required = true}, share);
  }
};

/// Path lengths of a riscv kernel: instructions between the accesses that the model makes itself. `flush_tlb` (93) and
/// `sbi_rfence` + 4 * `sbi_rfence_per_cpu` (240) add up to the 334 instructions counted in an emulated Linux 6.12 for
/// one fence on four harts; how they split is assumed, and so is every other default.
struct RiscvCosts : base::ParamSet {
  std::uint64_t call = 12;
  std::uint64_t exception_entry = 70;
  std::uint64_t exception_exit = 60;
  std::uint64_t system_call = 40;
  std::uint64_t page_fault = 120;
  std::uint64_t interrupt = 180;
  std::uint64_t tick = 1200;
  std::uint64_t timer = 250;
  std::uint64_t schedule = 220;
  std::uint64_t context_switch = 120;
  std::uint64_t wake_up = 280;
  std::uint64_t idle_enter = 250;
  std::uint64_t idle_exit = 200;
  std::uint64_t flush_tlb = 93;
  std::uint64_t sbi_rfence = 100;
  std::uint64_t sbi_rfence_per_cpu = 35;
  std::uint64_t per_line = 7;
  std::uint64_t touch = 4;
  base::Latency rest_per_page = base::cycles(6000);
  std::vector<RestShare> rest_shares{{"madvise_cold_or_pageout_pte_range", 0.10},
                                     {"folio_isolate_lru", 0.15},
                                     {"shrink_folio_list", 0.20},
                                     {"try_to_unmap_one", 0.20},
                                     {"pageout", 0.15},
                                     {"set_pte_range", 0.20}};

  void visit(base::ParamVisitor& v) override {
    const auto count = [&v](std::string_view key, std::uint64_t& field, std::string_view text) {
      v.value({.key = key, .text = text, .unit = "instructions"}, field, {0, 1e9});
    };
    count("call", call, "Prologue, tests and epilogue of any modelled kernel function");
    count("exception_entry", exception_entry, "Trap entry besides saving the registers");
    count("exception_exit", exception_exit, "Return to the interrupted mode besides restoring the registers");
    count("system_call", system_call, "Dispatch of a system call");
    count("page_fault", page_fault, "Architecture part of the page-fault handler");
    count("interrupt", interrupt, "Interrupt bookkeeping around a handler");
    count("tick", tick, "Periodic tick besides its accesses");
    count("timer", timer, "Expiry or programming of one high-resolution timer");
    count("schedule", schedule, "Choice of the next task");
    count("context_switch", context_switch, "Switch of registers and stack, mm excluded");
    count("wake_up", wake_up, "Wake-up of a task besides its accesses");
    count("idle_enter", idle_enter, "From the choice of the idle task to the halt");
    count("idle_exit", idle_exit, "From the end of the halt to the scheduler");
    count("flush_tlb", flush_tlb, "One TLB flush up to the choice between local and remote");
    count("sbi_rfence", sbi_rfence, "Preparation of one remote fence by firmware call");
    count("sbi_rfence_per_cpu", sbi_rfence_per_cpu, "Per CPU of its mask: translation to a hart id");
    count("per_line", per_line, "Clearing or copying one cache line besides its first store");
    count("touch", touch, "User loop around one touched address");
    v.value({.key = "rest_per_page",
             .text = "Work of reclaiming a page and mapping it again that no modelled access stands for"},
            rest_per_page);
    v.sequence({.key = "rest_shares", .text = "How rest_per_page is divided over the functions; adds up to one"},
               rest_shares);
  }

  std::string check() const override {
    double sum = 0;
    for (const auto& share : rest_shares) sum += share.share.value;
    if (std::abs(sum - 1) > 1e-6) return "rest_shares must add up to 1, got " + std::to_string(sum);
    return "";
  }
};

}  // namespace switchyard::kernel

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "base/params.h"

namespace switchyard::kernel::arm64 {

/// How check_and_switch_context finds active_asids: by the number of the CPU (Linux up to 5.8), or by this_cpu_ptr().
enum class FastPath : std::uint8_t { before, after };
inline constexpr std::array<std::string_view, 2> kFastPaths{"before", "after"};

/// Whether the generation, which every switch reads, lies on the line of the allocator's lock.
enum class GenerationLine : std::uint8_t { shared, own };
inline constexpr std::array<std::string_view, 2> kGenerationLines{"shared", "own"};

/// `asid:`.
struct AsidParams : base::ParamSet {
  FastPath fast_path = FastPath::before;
  std::uint64_t bits = 16;
  GenerationLine generation_line = GenerationLine::shared;
  bool kpti = false;
  bool harden_branch_predictor = false;
  bool debug_preempt = false;

  void visit(base::ParamVisitor& v) override {
    v.choice(
        {.key = "fast_path",
         .text = "How a switch finds its CPU's active ASID: before (up to 5.8) by the CPU's number and the array of "
                 "offsets, after (from 5.9) by a register"},
        fast_path, kFastPaths);
    v.value({.key = "bits", .text = "Size of the hardware's ASIDs, 8 or 16 (ID_AA64MMFR0_EL1)", .unit = "bits"}, bits,
            {8, 16});
    v.choice({.key = "generation_line",
              .text = "Whether generation and lock of the allocator share a cache line, as in the kernel's image"},
             generation_line, kGenerationLines);
    v.value({.key = "kpti", .text = "Kernel page-table isolation: user mode has ASIDs of its own, so half as many"},
            kpti);
    v.value({.key = "harden_branch_predictor",
             .text = "A switch calls what clears the branch predictor (on Falkor sixteen branches)"},
            harden_branch_predictor);
    v.value({.key = "debug_preempt", .text = "CONFIG_DEBUG_PREEMPT: this_cpu_ptr() asks for the CPU's number as well"},
            debug_preempt);
  }
  std::string check() const override {
    return bits == 8 || bits == 16 ? "" : "bits must be 8 or 16, got " + std::to_string(bits);
  }
};

}  // namespace switchyard::kernel::arm64

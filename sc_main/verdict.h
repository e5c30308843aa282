// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "sc_main/experiment_loader.h"

namespace switchyard::cli {

/// Whether a published figure went into the model, or comes out of it.
enum class FigureKind : std::uint8_t { calibrated, predicted };
std::string_view kind_name(FigureKind kind);

enum class Verdict : std::uint8_t { holds, misses, no_effect, not_explained, no_reference };
std::string_view verdict_name(Verdict verdict);

/// A calibrated value holds when it is this near, or as near as the search accepts: the usual search accepts less, the
/// rest is room for rounding.
inline constexpr double kCalibratedTolerance = 0.005;

/// What a run gave for a published figure; there is no change against a baseline of zero.
struct Finding {
  std::optional<double> value;
  std::optional<double> change;         ///< against the baseline variant, as a share of one
  bool baseline_is_calibrated = false;  ///< a calibration aims at the baseline's value of the same metric
};

/// How a figure was judged. Of two numbers in one figure a predicted one counts before a calibrated one, a miss before
/// the rest.
struct Judgement {
  Verdict verdict = Verdict::no_reference;
  FigureKind kind = FigureKind::predicted;
  bool is_bound = false;            ///< the model must predict no effect: `gap` is the whole predicted change
  bool is_change = false;           ///< `gap` and `tolerance` are shares of one, else in the unit of the metric
  std::optional<double> gap;        ///< simulated minus published
  std::optional<double> tolerance;  ///< what |gap| was held against
};

/// Each number of a figure that can be judged, the change first.
std::vector<Judgement> judge_numbers(const Figure& figure, const Finding& finding);

/// Judges by the rules of the figure alone. A figure without a number to judge has no reference.
Judgement judge(const Figure& figure, const Finding& finding);

}  // namespace switchyard::cli

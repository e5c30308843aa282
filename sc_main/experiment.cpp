// SPDX-License-Identifier: Apache-2.0
#include "sc_main/experiment.h"

namespace switchyard::cli {
namespace {

constexpr base::Bounds kSeeds{1, 1000};
constexpr base::Bounds kSigned{-1e15, 1e15};
constexpr base::Bounds kChange{-100, 1e9};
constexpr base::Bounds kFitTolerance{1e-6, 0.05};

}  // namespace

void VariantParams::visit(base::ParamVisitor& v) {
  v.value({"name", "Short name, as in the table", "", true}, name);
  v.value({"title", "What it is, in a few words"}, title);
  v.value({"baseline", "Changes of the other variants are relative to this one; exactly one has it"}, baseline);
  v.list({"files", "Run configurations laid over those of the case, relative to this file"}, files);
  v.list({"set", "Overrides (`path=value`), applied after those of the case"}, set);
}

void OverParams::visit(base::ParamVisitor& v) {
  v.value({"parameter", "Path of the parameter, as `--set` takes it"}, parameter);
  v.list({"parameters", "Paths that all take the same value, in place of `parameter`"}, parameters);
  v.value({"title", "What the parameter is, in a few words"}, title);
  v.list({"values", "Each makes a case named `CASE@VALUE`"}, values);
  v.list({"seeds", "Seeds for each of `values`, in place of those of the case"}, seeds, kSeeds);
  v.value({"reference", "The value that is taken to be the real one; what other cases take over is fitted with it"},
          reference);
  v.value({"spread", "Say between which changes each variant lies, and at which values"}, spread);
  v.value({"support", "Say which value the published figures support"}, support);
}

std::vector<std::string> OverParams::paths() const {
  return parameter.empty() ? parameters : std::vector<std::string>{parameter};
}

void CaseParams::visit(base::ParamVisitor& v) {
  v.value({"name", "Short name, as in the table", "", true}, name);
  v.value({"title", "What it is, in a few words"}, title);
  v.list({"files", "Run configurations laid over each other in order, relative to this file", "", true}, files);
  v.list({"set", "Overrides (`path=value`)"}, set);
  v.list({"variants", "Variants that are run; all when not given"}, variants);
  v.list({"metrics", "Reported in addition to those of the experiment"}, metrics);
  v.object({"over", "A parameter that takes several values, each a case of its own"}, over);
  v.value({"seeds", "Runs of each variant, with a random seed each; results are their means"}, seeds, kSeeds);
  v.value({"what_if", "Nobody measured it; shown apart from the predictions that can be judged"}, what_if);
  v.value({"note", "Shown below the table"}, note);
}

void PublishedParams::visit(base::ParamVisitor& v) {
  v.value({"case", "Case that was measured", "", true}, case_name);
  v.value({"variant", "Variant that was measured", "", true}, variant);
  v.value({"metric", "What was measured: real, user, sys, share.FUNCTION, per_loop.MODULE.STAT, ..."}, metric);
  v.value({"unit", "Unit of `value`; checked against the unit of the metric"}, unit);
  v.value({"value", "The published value"}, value, kSigned);
  v.value({"error", "Published uncertainty of `value`, in its unit"}, error);
  v.value({"error_percent", "The same in percent of `value`", "percent"}, error_percent);
  v.value({"tolerance", "How far a prediction of `value` may be off, in its unit"}, tolerance);
  v.value({"tolerance_percent", "The same in percent of `value`", "percent"}, tolerance_percent);
  v.value({"change_percent", "Published change against the baseline variant", "percent"}, change_percent, kChange);
  v.value({"error_points", "Published uncertainty of the change", "percentage points"}, error_points);
  v.value({"tolerance_points", "How far a prediction of the change may be off", "percentage points"}, tolerance_points);
  v.choice({"expect",
            "`no-effect`: the measurement saw no change beyond `tolerance_points`; with `unexplained`: the model must "
            "predict none beyond it, whatever was measured"},
           expect, kExpectNames);
  v.value({"unexplained", "Why a miss is no fault of the model: what it does not contain"}, unexplained);
  v.value({"note", "Shown below the table"}, note);
  v.value({"ref", "Message, commit or page with the figure", "", true}, ref);
}

void TargetParams::visit(base::ParamVisitor& v) {
  v.value({"case", "Case of the published value", "", true}, case_name);
  v.value({"variant", "Variant of the published value", "", true}, variant);
  v.value({"metric", "Metric of the published value"}, metric);
}

void CalibratedParams::visit(base::ParamVisitor& v) {
  v.value({"parameter", "Path of a whole number, or of a latency in cycles", "", true}, parameter);
  v.value({"min", "Least value that makes sense", "cycles"}, min);
  v.value({"max", "Largest value that makes sense", "cycles", true}, max);
  v.list({"cases", "Cases that take the value over; all others keep that of their files", "", true}, cases);
  v.object({"against", "The one published value that decides", "", true}, against);
  v.value({"note", "Shown with the result"}, note);
}

void ExplainParams::visit(base::ParamVisitor& v) {
  v.value({"metric", "What is named: per_loop.MODULE.STAT, ...", "", true}, metric);
  v.value({"text", "What it counts, in a few words", "", true}, text);
}

void OperationParams::visit(base::ParamVisitor& v) {
  v.value({"name", "What one is called, such as `operation`; iterations when not given"}, name);
  v.value({"per_iteration", "How many an iteration does"}, per_iteration, {1, 1e15});
}

void ExperimentParams::visit(base::ParamVisitor& v) {
  v.value({"experiment", "Name of the experiment", "", true}, name);
  v.value({"title", "What it is, in a line"}, title);
  v.value({"description", "What is asked and how the answer is judged"}, description);
  v.list({"source", "Messages, commits and pages that it rests on"}, source);
  v.list({"metrics", "Reported for every case and variant"}, metrics);
  v.sequence({"variants", "What is compared", "", true}, variants);
  v.sequence({"cases", "Where it is compared", "", true}, cases);
  v.sequence({"published", "Figures to compare with"}, published);
  v.sequence({"calibrated", "Parameters that are fitted, in this order; nothing else is"}, calibrated);
  v.value(
      {"fit_tolerance",
       "How near to its target a fit must come; more than the default for runs whose results jump by as much between "
       "neighbouring values of a parameter"},
      fit_tolerance, kFitTolerance);
  v.sequence({"explain", "Figures that `--explain` names beside the times"}, explain);
  v.object({"operation", "What `--explain` gives times and per_loop figures for, in place of an iteration"}, operation);
}

}  // namespace switchyard::cli

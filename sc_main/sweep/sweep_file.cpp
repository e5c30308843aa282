// SPDX-License-Identifier: Apache-2.0
#include "sc_main/sweep/sweep_file.h"

#include <fmt/format.h>

#include <algorithm>

namespace switchyard::cli {
namespace {

constexpr base::Bounds kSeeds{1, 10'000};
constexpr base::Bounds kRows{2, 1'000'000};

std::vector<std::string> paths_of(const std::string& parameter, const std::vector<std::string>& parameters) {
  return parameter.empty() ? parameters : std::vector<std::string>{parameter};
}

std::string check_paths(const std::string& parameter, const std::vector<std::string>& parameters) {
  if (!parameter.empty() && !parameters.empty()) return "give parameter or parameters, not both";
  if (parameter.empty() && parameters.empty()) return "say which parameter takes the values: parameter or parameters";
  return "";
}

}  // namespace

void ColumnParams::visit(base::ParamVisitor& v) {
  v.value({"parameter", "Path of the parameter, as `--set` takes it"}, parameter);
  v.list({"parameters", "Paths that all take the same value, in place of `parameter`"}, parameters);
  v.value({"title", "What it is, in a few words"}, title);
  v.list({"values", "The values, in order"}, values);
  v.value({"from", "First value of a range, in place of `values`"}, from);
  v.value({"to", "Last value of the range"}, to);
  v.value({"step", "Distance of neighbours; the last may lie below `to`"}, step);
  v.value({"count", "Number of values, in place of `step`", "values"}, count, kRows);
  v.choice({"scale", "Whether neighbours of `count` values have the same distance or the same ratio"}, scale,
           kScaleNames);
}

std::vector<std::string> ColumnParams::paths() const { return paths_of(parameter, parameters); }

std::string ColumnParams::check_range() const {
  const bool has_range = !from.empty() || !to.empty();
  if (values.empty() == !has_range) return "give values, or a range by from and to";
  if (!has_range && (!step.empty() || count != 0)) return "step and count belong to a range by from and to";
  if (!has_range) return "";
  if (from.empty() || to.empty()) return "a range needs both from and to";
  if (step.empty() == (count == 0)) return "a range needs step or count, one of them";
  if (scale == Scale::log && count == 0) return "scale log needs count";
  return "";
}

std::string ColumnParams::check() const {
  const std::string fault = check_paths(parameter, parameters);
  return fault.empty() ? check_range() : fault;
}

void AxisParams::visit(base::ParamVisitor& v) {
  ColumnParams::visit(v);
  v.list(
      {"files", "Configurations laid over those of the base, one a value, relative to this file; `values` name them"},
      files);
  v.named({"zip", "Columns that advance together, in place of a single one"}, zip);
}

std::string AxisParams::check() const {
  const bool has_own = !paths().empty() || !values.empty() || !from.empty();
  if (!zip.empty()) return has_own || !files.empty() ? "an axis with zip has nothing else; put it below zip" : "";
  if (files.empty()) return ColumnParams::check();
  if (!paths().empty() || !from.empty())
    return "files and parameters are two columns; put them below zip or on two axes";
  if (!values.empty() && values.size() != files.size())
    return fmt::format("values name the files: {} files, {} values", files.size(), values.size());
  return "";
}

void SampledParams::visit(base::ParamVisitor& v) {
  v.value({"parameter", "Path of the parameter, as `--set` takes it"}, parameter);
  v.list({"parameters", "Paths that all take the same value, in place of `parameter`"}, parameters);
  v.value({"title", "What it is, in a few words"}, title);
  v.list({"values", "Values to choose from"}, values);
  v.value({"from", "Least value of a range, in place of `values`"}, from);
  v.value({"to", "Largest value of the range"}, to);
  v.choice({"scale", "Whether equal distances or equal ratios are equally likely"}, scale, kScaleNames);
}

std::vector<std::string> SampledParams::paths() const { return paths_of(parameter, parameters); }

std::string SampledParams::check() const {
  if (const std::string fault = check_paths(parameter, parameters); !fault.empty()) return fault;
  if (from.empty() != to.empty()) return "a range needs both from and to";
  if (values.empty() == from.empty()) return "give values, or a range by from and to";
  return "";
}

void SamplesParams::visit(base::ParamVisitor& v) {
  v.value({"count", "How many", "samples", true}, count, kRows);
  v.value({"seed", "Seed of the samples"}, seed);
  v.choice({"method",
            "`latin-hypercube`: each column's range is divided into `count` equal parts, and each part has one sample"},
           method, kSamplingNames);
  v.named({"over", "Columns of which samples are taken", "", true}, over);
}

void PointParams::visit(base::ParamVisitor& v) {
  v.value({"name", "Short name, as in the table", "", true}, name);
  v.list({"at", "Values of columns (`column=value`); columns that are not named keep what the base has"}, at);
  v.list({"set", "Overrides (`path=value`), applied last"}, set);
  v.list({"files", "Configurations laid over those of the base, relative to this file"}, files);
}

void SweepBaseParams::visit(base::ParamVisitor& v) {
  v.list({"files", "Run configurations laid over each other in order, relative to this file"}, files);
  v.list({"set", "Overrides (`path=value`)"}, set);
  v.value({"experiment", "An experiment file in place of `files`; its cases and variants become columns"}, experiment);
  v.list({"cases", "Cases of the experiment; all when not given"}, cases);
  v.list({"variants", "Variants of the experiment; all when not given"}, variants);
}

std::string SweepBaseParams::check() const {
  if (files.empty() == experiment.empty()) return "give files or an experiment, one of them";
  if (experiment.empty() && !(cases.empty() && variants.empty()))
    return "cases and variants are those of an experiment";
  return "";
}

void SweepUntilParams::visit(base::ParamVisitor& v) {
  v.value({"ci", "Half-width of the 95 % confidence interval, as a share of the mean, that ends a point"}, ci);
  v.value({"metric", "Whose interval; the first of `measure` when not given"}, metric);
  v.value({"max_seeds", "Seeds of a point at most", "seeds", true}, max_seeds, {2, 10'000});
}

void SweepParams::visit(base::ParamVisitor& v) {
  v.value({"sweep", "Name of the sweep", "", true}, name);
  v.value({"title", "What it is, in a line"}, title);
  v.value({"description", "What is asked"}, description);
  v.object({"base", "What all points have in common", "", true}, base);
  v.named({"axes", "Points are all combinations of their values"}, axes);
  v.object({"samples", "Random points; with axes, each combination has all of them"}, samples);
  v.sequence({"points", "Points beside those"}, points);
  v.list({"filters", "Conditions on columns, such as `line >= 32 B and harts != 3`; points that fail one are left out"},
         filters);
  v.value({"seeds", "Runs of each point, with a random seed each; the same seeds at every point"}, seeds, kSeeds);
  v.object({"until", "More seeds until an interval is small enough"}, until);
  v.list(
      {"measure", "Metrics, as in experiments: real, user, sys, share.FUNCTION, per_loop.MODULE.STAT, ...", "", true},
      measure);
}

std::string SweepParams::check() const {
  if (measure.empty()) return "measure: name a metric, such as real";
  if (until.max_seeds != 0 && until.max_seeds < std::max<std::uint64_t>(seeds, 2))
    return fmt::format("until.max_seeds of {} is less than the {} seeds to start with", until.max_seeds,
                       std::max<std::uint64_t>(seeds, 2));
  return "";
}

}  // namespace switchyard::cli

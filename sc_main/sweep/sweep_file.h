// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/params.h"

namespace switchyard::cli {

enum class Scale : std::uint8_t { linear, log };
inline constexpr std::array<std::string_view, 2> kScaleNames{"linear", "log"};

enum class Sampling : std::uint8_t { random, latin_hypercube };
inline constexpr std::array<std::string_view, 2> kSamplingNames{"random", "latin-hypercube"};

/// A column of the table: parameters that take the same value, and the values.
struct ColumnParams : base::ParamSet {
  std::string parameter, title;
  std::vector<std::string> parameters, values;
  std::string from, to, step;
  std::uint64_t count = 0;
  Scale scale = Scale::linear;
  void visit(base::ParamVisitor& v) override;
  std::string check() const override;
  /// `parameter` or `parameters`.
  std::vector<std::string> paths() const;

 protected:
  std::string check_range() const;
};

/// One axis: a column, or several that advance together, or files.
struct AxisParams : ColumnParams {
  std::vector<std::string> files;
  std::vector<std::pair<std::string, ColumnParams>> zip;
  void visit(base::ParamVisitor& v) override;
  std::string check() const override;
};

/// A column of which samples are taken.
struct SampledParams : base::ParamSet {
  std::string parameter, title, from, to;
  std::vector<std::string> parameters, values;
  Scale scale = Scale::linear;
  void visit(base::ParamVisitor& v) override;
  std::string check() const override;
  std::vector<std::string> paths() const;
};

struct SamplesParams : base::ParamSet {
  std::uint64_t count = 0, seed = 1;
  Sampling method = Sampling::latin_hypercube;
  std::vector<std::pair<std::string, SampledParams>> over;
  void visit(base::ParamVisitor& v) override;
};

/// A point beside those of the axes.
struct PointParams : base::ParamSet {
  std::string name;
  std::vector<std::string> at, set, files;
  void visit(base::ParamVisitor& v) override;
};

/// What all points have in common.
struct SweepBaseParams : base::ParamSet {
  std::string experiment;
  std::vector<std::string> files, set, cases, variants;
  void visit(base::ParamVisitor& v) override;
  std::string check() const override;
};

/// More seeds until an interval is small.
struct SweepUntilParams : base::ParamSet {
  base::Fraction ci{0.01};
  std::string metric;
  std::uint64_t max_seeds = 0;
  void visit(base::ParamVisitor& v) override;
};

/// A sweep file: `configs/sweeps/NAME.yaml`.
struct SweepParams : base::ParamSet {
  std::string name, title, description;
  SweepBaseParams base;
  std::vector<std::pair<std::string, AxisParams>> axes;
  SamplesParams samples;
  std::vector<PointParams> points;
  std::vector<std::string> filters, measure;
  std::uint64_t seeds = 1;
  SweepUntilParams until;
  void visit(base::ParamVisitor& v) override;
  std::string check() const override;
};

}  // namespace switchyard::cli

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/params.h"

namespace switchyard::cli {

/// One of the things compared: a kernel before and after a change, a firmware version, a line size.
struct VariantParams : base::ParamSet {
  std::string name, title;
  bool baseline = false;
  std::vector<std::string> files, set;
  void visit(base::ParamVisitor& v) override;
};

/// A parameter of a case that takes several values, each a case of its own.
struct OverParams : base::ParamSet {
  std::string parameter, title, reference;
  std::vector<std::string> parameters, values;
  std::vector<std::uint64_t> seeds;
  bool spread = false, support = false;
  void visit(base::ParamVisitor& v) override;
  /// `parameter` or `parameters`.
  std::vector<std::string> paths() const;
};

/// One machine with one workload.
struct CaseParams : base::ParamSet {
  std::string name, title, note;
  std::vector<std::string> files, set, variants, metrics;
  OverParams over;  ///< without values: the case is a single one
  std::uint64_t seeds = 1;
  bool what_if = false;
  void visit(base::ParamVisitor& v) override;
};

/// What a published figure says about the variant.
enum class Expect : std::uint8_t { effect, no_effect };
inline constexpr std::array<std::string_view, 2> kExpectNames{"effect", "no-effect"};

/// A figure that somebody measured: a value, a change against the baseline variant of the same case, or both.
/// Which of the optional numbers are there only the file knows; the loader asks it.
struct PublishedParams : base::ParamSet {
  std::string case_name, variant, metric = "real", unit, ref, note, unexplained;
  double value = 0, error = 0, error_percent = 0, tolerance = 0, tolerance_percent = 0;
  double change_percent = 0, error_points = 0, tolerance_points = 0;
  Expect expect = Expect::effect;
  void visit(base::ParamVisitor& v) override;
};

/// The one published value that a calibration aims at.
struct TargetParams : base::ParamSet {
  std::string case_name, variant, metric = "real";
  void visit(base::ParamVisitor& v) override;
};

/// A parameter that no source gives and that one published value determines.
struct CalibratedParams : base::ParamSet {
  std::string parameter, note;
  std::uint64_t min = 0, max = 0;
  std::vector<std::string> cases;
  TargetParams against;
  void visit(base::ParamVisitor& v) override;
};

/// A figure that an explanation names beside the times.
struct ExplainParams : base::ParamSet {
  std::string metric, text;
  void visit(base::ParamVisitor& v) override;
};

/// What times are given for in an explanation: an iteration, or one of the things that it does.
struct OperationParams : base::ParamSet {
  std::string name;
  std::uint64_t per_iteration = 1;
  void visit(base::ParamVisitor& v) override;
};

/// An experiment file: `configs/experiments/NAME.yaml`.
struct ExperimentParams : base::ParamSet {
  std::string name, title, description;
  std::vector<std::string> source, metrics{"real"};
  std::vector<VariantParams> variants;
  std::vector<CaseParams> cases;
  std::vector<PublishedParams> published;
  std::vector<CalibratedParams> calibrated;
  std::vector<ExplainParams> explain;
  OperationParams operation;
  base::Fraction fit_tolerance{0.002};
  void visit(base::ParamVisitor& v) override;
};

}  // namespace switchyard::cli

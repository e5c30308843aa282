// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "platforms/config/config_tree.h"
#include "platforms/config/diagnostics.h"
#include "sc_main/config_spot.h"
#include "sc_main/sweep/sweep_file.h"

namespace switchyard::cli {

/// A column of the table of points.
struct SweepColumn {
  std::string name, title;
  std::string axis;                ///< columns of one axis advance together
  std::vector<std::string> paths;  ///< parameters; none for files, cases and variants
  Spot spot;                       ///< where the file names the parameters
};

/// One configuration, up to its seed.
struct SweepPoint {
  std::string name;                                ///< `line=64 B, harts=4`, or as the file names it
  std::vector<std::optional<std::string>> values;  ///< [column]; none where the point keeps what the base has
  std::vector<std::string> files, sets;
  std::vector<Spot> spots;  ///< [column]: where the value is written
};

/// What points start from; several when the base is an experiment.
struct SweepBase {
  std::string case_name, variant;
  std::vector<std::string> files, sets;
};

struct SweepPoints {
  std::vector<SweepColumn> columns;
  std::vector<SweepPoint> points;
};

/// The points of a sweep in the order of the file: axes cross, the last one varies fastest. `folder` is that of the
/// file. Faults go to `diagnostics`.
SweepPoints expand_sweep(const SweepParams& params, const std::vector<SweepBase>& bases, const std::string& folder,
                         const platforms::ConfigNode& text, platforms::Diagnostics& diagnostics);

}  // namespace switchyard::cli

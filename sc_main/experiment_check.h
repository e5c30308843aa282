// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "platforms/config/config_tree.h"
#include "platforms/config/diagnostics.h"
#include "sc_main/config_spot.h"
#include "sc_main/experiment.h"
#include "sc_main/experiment_expand.h"

namespace switchyard::cli {

/// The text of an experiment file next to what was read from it.
class ExperimentText {
 public:
  explicit ExperimentText(const platforms::ConfigTree& tree) : tree_(tree) {}

  /// `LIST[index].key`, or as much of it as is written.
  Spot spot(std::string_view list, std::size_t index, std::string_view key = "") const;
  /// Item `item` of the list at `LIST[index].key`.
  Spot spot(std::string_view list, std::size_t index, std::string_view key, std::size_t item) const;
  /// `LIST[index].group.key`, and item `item` of it where it is a list, or as much of it as is written.
  Spot spot(std::string_view list, std::size_t index, std::string_view group, std::string_view key,
            std::size_t item = 0) const;
  bool has(std::string_view list, std::size_t index, std::string_view key) const;
  Spot whole() const { return {tree_.root.place, ""}; }

 private:
  const platforms::ConfigNode* item_node(std::string_view list, std::size_t index) const;
  const platforms::ConfigTree& tree_;
};

/// Checks what the parts of an experiment say about each other: names, figures, tolerances.
class ExperimentCheck {
 public:
  ExperimentCheck(const ExperimentParams& params, const ExperimentText& text, platforms::Diagnostics& diagnostics)
      : params_(params), text_(text), diagnostics_(diagnostics) {}
  void run();

 private:
  void error(const Spot& spot, std::string_view what) { diagnostics_.error(spot.place, spot.path, what); }
  void check_variants();
  void check_cases();
  void check_over(std::size_t index);
  void check_explain();
  void check_published();
  void check_figure(std::size_t index);
  void check_figure_numbers(std::size_t index);
  void check_calibrated();
  void check_takers(std::size_t index);
  void check_unique(std::string_view list, const std::vector<std::string>& names);
  void check_name(const Spot& spot, std::string_view kind, const std::string& name,
                  const std::vector<std::string>& known);
  void check_metric(const Spot& spot, const std::string& metric);
  /// Variants that a case runs; all for an unknown case.
  std::vector<std::string> variants_of(const std::string& case_name) const;

  const ExperimentParams& params_;
  const ExperimentText& text_;
  platforms::Diagnostics& diagnostics_;
  std::vector<std::string> variants_, cases_;  ///< cases with those that `over` makes
};

/// Checks what figures and calibrations say together, once every value of `over` has a case of its own.
class ExpandedCheck {
 public:
  ExpandedCheck(const ExpandedExperiment& expanded, const ExperimentText& text, platforms::Diagnostics& diagnostics)
      : expanded_(expanded), params_(expanded.params), text_(text), diagnostics_(diagnostics) {}
  void run();

 private:
  void error(const Spot& spot, const std::string& what);
  void check_published(std::size_t index);
  void check_parameter(std::size_t index);
  void check_target(std::size_t index);
  Spot published_spot(std::size_t index) const { return text_.spot("published", expanded_.published_origin[index]); }
  Spot calibrated_spot(std::size_t index, std::string_view key = "") const {
    return text_.spot("calibrated", expanded_.calibrated_origin[index], key);
  }

  const ExpandedExperiment& expanded_;
  const ExperimentParams& params_;
  const ExperimentText& text_;
  platforms::Diagnostics& diagnostics_;
  std::set<std::string> said_;  ///< one fault of an entry in the file is said once, not for every value
};

/// Whether a metric may be called that; what `share.` and the like go on with only a run knows.
bool is_metric_name(std::string_view name);

/// `; did you mean ...`, the tail of a message about a name that no metric has.
std::string allowed_metrics(const std::string& name);

/// The unit of a metric that every run has (`s`, `us`, `%`); empty for statistics.
std::string unit_of_metric(std::string_view metric);

}  // namespace switchyard::cli

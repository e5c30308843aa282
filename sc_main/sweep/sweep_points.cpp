// SPDX-License-Identifier: Apache-2.0
#include "sc_main/sweep/sweep_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <regex>
#include <utility>

#include "base/random.h"
#include "platforms/config/text.h"
#include "sc_main/sweep/filter.h"
#include "sc_main/sweep/value_range.h"

namespace switchyard::cli {
namespace {

constexpr std::size_t kMostPoints = 1'000'000;

/// One value of a column, at one step of its axis.
struct Cell {
  std::size_t column = 0;
  std::string value, file;
  Spot spot;
};
using Step = std::vector<Cell>;
using Axis = std::vector<Step>;

class Expander {
 public:
  Expander(const SweepParams& params, const std::vector<SweepBase>& bases, const std::string& folder,
           const platforms::ConfigNode& text, platforms::Diagnostics& diagnostics)
      : params_(params), bases_(bases), folder_(folder), text_(text), diagnostics_(diagnostics) {}

  SweepPoints expand() {
    add_bases();
    for (const auto& [name, axis] : params_.axes) add_axis(name, axis);
    if (!params_.samples.over.empty()) add_samples();
    if (!diagnostics_.empty()) return std::move(result_);
    read_filters();
    cross();
    for (std::size_t i = 0; i < params_.points.size(); ++i) add_point(i);
    if (result_.points.empty() && diagnostics_.empty()) error({text_.place, "filters"}, "no point is left");
    return std::move(result_);
  }

 private:
  void error(const Spot& spot, const std::string& what) { diagnostics_.error(spot.place, spot.path, what); }

  std::string in_folder(const std::string& file) const {
    return (std::filesystem::path(folder_) / file).lexically_normal().generic_string();
  }

  /// Cases and variants of an experiment: an axis of two columns.
  void add_bases() {
    if (bases_.front().case_name.empty()) return;
    const Spot spot = find_spot(text_, {"base", "experiment"});
    const std::size_t one = add_column({"case", "case of the experiment", "case", {}, spot});
    const std::size_t two = add_column({"variant", "variant of the experiment", "variant", {}, spot});
    base_columns_ = {one, two};
  }

  std::size_t add_column(SweepColumn column) {
    const Spot spot = column.spot;
    static const std::regex kName("[A-Za-z_][A-Za-z0-9_]*");
    if (!std::regex_match(column.name, kName))
      error(spot, fmt::format("{} is no name for a column; use letters, digits and _, a letter first",
                              platforms::shown(column.name)));
    for (const char* taken : {"point", "name", "seed", "status", "error", "folder", "and", "or", "not"})
      if (column.name == taken) error(spot, fmt::format("a column cannot be called {}", taken));
    for (const SweepColumn& other : result_.columns)
      if (other.name == column.name) error(spot, fmt::format("there is a column {} already", column.name));
    result_.columns.push_back(std::move(column));
    return result_.columns.size() - 1;
  }

  void add_axis(const std::string& name, const AxisParams& axis) {
    Axis steps;
    if (axis.zip.empty()) {
      SweepColumn column{name, axis.title, name, axis.paths(), find_spot(text_, {"axes", name, "parameter"})};
      add_cells(steps, std::move(column), axis, axis.files, [&](std::size_t i) {
        return find_spot(text_, {"axes", name, "values", i});
      });
    } else {
      for (const auto& [key, values] : axis.zip) {
        const std::string own = key;  // a structured binding cannot be captured
        SweepColumn column{own, values.title, name, values.paths(),
                           find_spot(text_, {"axes", name, "zip", own, "parameter"})};
        add_cells(steps, std::move(column), values, {}, [&](std::size_t i) {
          return find_spot(text_, {"axes", name, "zip", own, "values", i});
        });
      }
    }
    axes_.push_back(std::move(steps));
  }

  /// Adds a column to the steps of its axis, which the first column makes. `spot` is that of a value.
  template <class SpotOf>
  void add_cells(Axis& steps, SweepColumn column, const ColumnParams& params, const std::vector<std::string>& files,
                 SpotOf spot) {
    const Spot whole = column.spot;
    auto values =
        files.empty() ? column_values(params) : platforms::Parsed<std::vector<std::string>>{params.values, ""};
    if (!values.error.empty()) return error(whole, values.error);
    if (values.value.empty())
      for (const std::string& file : files) values.value.push_back(std::filesystem::path(file).stem().string());
    const std::size_t index = add_column(std::move(column));
    if (steps.empty()) steps.resize(values.value.size());
    if (steps.size() != values.value.size())
      return error(whole, fmt::format("columns of one axis advance together: {} values here, {} in the first",
                                      values.value.size(), steps.size()));
    for (std::size_t i = 0; i < steps.size(); ++i)
      steps[i].push_back({index, values.value[i], files.empty() ? "" : in_folder(files[i]), spot(i)});
  }

  void add_samples() {
    const SamplesParams& samples = params_.samples;
    const Spot whole = find_spot(text_, {"samples"});
    if (samples.count == 0) return;  // missing, and already said so
    Axis steps(samples.count);
    for (const auto& [name, column] : samples.over) {
      const Spot spot = find_spot(text_, {"samples", "over", name});
      if (column.values.empty())
        if (const std::string fault = range_fault(column.from, column.to, column.scale); !fault.empty())
          return error(spot, fault);
      const std::size_t index = add_column({name, column.title, "samples", column.paths(), spot});
      const std::vector<double> shares = sample_shares(name);
      for (std::size_t i = 0; i < steps.size(); ++i)
        steps[i].push_back({index, sampled_value(column, shares[i]), "", spot});
    }
    axes_.push_back(std::move(steps));
  }

  /// Where in its range each sample of a column lies, 0 to 1. A column does not depend on the others.
  std::vector<double> sample_shares(const std::string& column) const {
    base::RandomStream random(params_.samples.seed, column);
    const auto uniform = [&random] { return static_cast<double>(random.next() >> 11) * 0x1p-53; };
    std::vector<double> shares(params_.samples.count);
    if (params_.samples.method == Sampling::random) {
      std::generate(shares.begin(), shares.end(), uniform);
      return shares;
    }
    const auto parts = static_cast<double>(shares.size());
    std::vector<std::size_t> order(shares.size());  // a random permutation (Fisher and Yates)
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t i = order.size(); i-- > 1;) std::swap(order[i], order[random.below(i + 1)]);
    for (std::size_t i = 0; i < shares.size(); ++i) shares[i] = (static_cast<double>(order[i]) + uniform()) / parts;
    return shares;
  }

  void read_filters() {
    std::vector<std::string> names;
    for (const SweepColumn& column : result_.columns) names.push_back(column.name);
    for (std::size_t i = 0; i < params_.filters.size(); ++i) {
      auto filter = Filter::parse(params_.filters[i], names);
      if (filter.error.empty())
        filters_.push_back(std::move(filter.value));
      else
        error(find_spot(text_, {"filters", i}), filter.error);
    }
  }

  /// All combinations; none without an axis when points are listed.
  void cross() {
    if (axes_.empty() && base_columns_.empty() && !params_.points.empty()) return;
    std::size_t total = bases_.size();
    for (const Axis& axis : axes_) total = axis.size() > kMostPoints / total ? kMostPoints + 1 : total * axis.size();
    if (total > kMostPoints) return error({text_.place, "axes"}, fmt::format("more than {} points", kMostPoints));
    for (const SweepBase& base : bases_) {
      const SweepPoint start = based_on(base);
      std::vector<std::size_t> at(axes_.size(), 0);
      do {
        SweepPoint point = start;
        for (std::size_t a = 0; a < axes_.size(); ++a)
          for (const Cell& cell : axes_[a][at[a]]) put(point, cell);
        keep(std::move(point));
      } while (advance(at));
    }
  }

  /// Counts up like an odometer; false after the last combination.
  bool advance(std::vector<std::size_t>& at) const {
    for (std::size_t a = at.size(); a-- > 0;) {
      if (++at[a] < axes_[a].size()) return true;
      at[a] = 0;
    }
    return false;
  }

  SweepPoint based_on(const SweepBase& base) const {
    SweepPoint point;
    point.values.resize(result_.columns.size());
    point.spots.resize(result_.columns.size());
    point.files = base.files;
    point.sets = base.sets;
    if (!base_columns_.empty()) {
      point.values[base_columns_[0]] = base.case_name;
      point.values[base_columns_[1]] = base.variant;
    }
    return point;
  }

  void put(SweepPoint& point, const Cell& cell) const {
    point.values[cell.column] = cell.value;
    point.spots[cell.column] = cell.spot;
    if (!cell.file.empty()) point.files.push_back(cell.file);
    for (const std::string& path : result_.columns[cell.column].paths) point.sets.push_back(path + "=" + cell.value);
  }

  void keep(SweepPoint point) {
    Filter::Row row;
    for (std::size_t c = 0; c < result_.columns.size(); ++c) {
      if (!point.values[c]) continue;
      row[result_.columns[c].name] = *point.values[c];
      point.name += fmt::format("{}{}={}", point.name.empty() ? "" : ", ", result_.columns[c].name, *point.values[c]);
    }
    if (point.name.empty()) point.name = "base";
    if (std::all_of(filters_.begin(), filters_.end(), [&](const Filter& filter) { return filter.keeps(row); }))
      result_.points.push_back(std::move(point));
  }

  void add_point(std::size_t index) {
    const PointParams& from = params_.points[index];
    for (const SweepBase& base : bases_) {
      SweepPoint point = based_on(base);
      for (std::size_t i = 0; i < from.at.size(); ++i)
        put_at(point, from.at[i], find_spot(text_, {"points", index, "at", i}));
      for (const std::string& file : from.files) point.files.push_back(in_folder(file));
      point.sets.insert(point.sets.end(), from.set.begin(), from.set.end());
      point.name =
          base.case_name.empty() ? from.name : fmt::format("{} ({}/{})", from.name, base.case_name, base.variant);
      result_.points.push_back(std::move(point));
    }
  }

  void put_at(SweepPoint& point, const std::string& text, const Spot& spot) {
    const std::size_t equals = text.find('=');
    std::vector<std::string> names;
    for (const SweepColumn& column : result_.columns)
      if (!column.paths.empty()) names.push_back(column.name);
    if (equals == std::string::npos)
      return error(spot, fmt::format("expected COLUMN=VALUE, found {}", platforms::shown(text)));
    const std::string name = text.substr(0, equals);
    for (std::size_t c = 0; c < result_.columns.size(); ++c)
      if (result_.columns[c].name == name && !result_.columns[c].paths.empty())
        return put(point, {c, text.substr(equals + 1), "", spot});
    error(spot, fmt::format("no column of parameters is called {}{}", platforms::shown(name),
                            platforms::allowed_names(name, names)));
  }

  const SweepParams& params_;
  const std::vector<SweepBase>& bases_;
  const std::string& folder_;
  const platforms::ConfigNode& text_;
  platforms::Diagnostics& diagnostics_;
  std::vector<std::size_t> base_columns_;  ///< of case and variant, or empty
  std::vector<Axis> axes_;
  std::vector<Filter> filters_;
  SweepPoints result_;
};

}  // namespace

SweepPoints expand_sweep(const SweepParams& params, const std::vector<SweepBase>& bases, const std::string& folder,
                         const platforms::ConfigNode& text, platforms::Diagnostics& diagnostics) {
  return Expander(params, bases, folder, text, diagnostics).expand();
}

}  // namespace switchyard::cli

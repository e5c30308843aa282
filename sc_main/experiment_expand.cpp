// SPDX-License-Identifier: Apache-2.0
#include "sc_main/experiment_expand.h"

#include <algorithm>
#include <utility>

#include "platforms/config/text.h"

namespace switchyard::cli {
namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

void add_once(std::vector<std::string>& names, const std::string& name) {
  if (!contains(names, name)) names.push_back(name);
}

class Expander {
 public:
  explicit Expander(const ExperimentParams& from) : from_(from) { result_.params = from; }

  ExpandedExperiment take() {
    expand_cases();
    expand_published();
    result_.params.calibrated.clear();
    for (std::size_t i = 0; i < from_.calibrated.size(); ++i) expand_calibrated(i);
    return std::move(result_);
  }

 private:
  const Sweep* sweep(const std::string& name) const {
    const auto found =
        std::find_if(result_.sweeps.begin(), result_.sweeps.end(), [&](const Sweep& s) { return s.name == name; });
    return found == result_.sweeps.end() ? nullptr : &*found;
  }

  void expand_cases() {
    std::vector<CaseParams>& cases = result_.params.cases;
    cases.clear();
    for (std::size_t i = 0; i < from_.cases.size(); ++i) {
      const CaseParams& one = from_.cases[i];
      std::vector<std::string> names{one.name};
      if (!one.over.values.empty()) {
        Sweep sweep{one.name, one.over, cases.size()};
        sweep.over.values.clear();
        names.clear();
        for (const std::string& value : one.over.values) add_once(sweep.over.values, value);
        for (const std::string& value : sweep.over.values) names.push_back(value_case_name(one.name, value));
        result_.sweeps.push_back(std::move(sweep));
      }
      for (std::size_t k = 0; k < names.size(); ++k) {
        result_.case_origin.push_back(i);
        cases.push_back(one);
        cases.back().name = std::move(names[k]);
        if (k < one.over.seeds.size()) cases.back().seeds = one.over.seeds[k];
      }
    }
  }

  /// The cases that `name` stands for.
  std::vector<std::string> cases_of(const std::string& name) const {
    const Sweep* found = sweep(name);
    if (!found) return {name};
    std::vector<std::string> names;
    for (const std::string& value : found->over.values) names.push_back(value_case_name(name, value));
    return names;
  }

  void expand_published() {
    std::vector<PublishedParams>& published = result_.params.published;
    published.clear();
    for (std::size_t i = 0; i < from_.published.size(); ++i) {
      for (const std::string& name : cases_of(from_.published[i].case_name)) {
        result_.published_origin.push_back(i);
        published.push_back(from_.published[i]);
        published.back().case_name = name;
      }
    }
  }

  /// Whether the case `name` takes over what is fitted at `value` of `target`: a case over the same parameter that of
  /// its own value, any other that of the reference.
  bool takes(const std::string& name, const Sweep& target, const std::string& value) const {
    for (const Sweep& one : result_.sweeps)
      if (one.over.paths() == target.over.paths() && contains(cases_of(one.name), name))
        return name == value_case_name(one.name, value);
    return value == target.over.reference;
  }

  void expand_calibrated(std::size_t index) {
    const CalibratedParams& entry = from_.calibrated[index];
    const Sweep* target = sweep(entry.against.case_name);
    const std::vector<std::string> values = target ? target->over.values : std::vector<std::string>{""};
    for (const std::string& value : values) {
      CalibratedParams one = entry;
      one.cases.clear();
      for (const std::string& name : entry.cases)
        for (const std::string& taker : cases_of(name))
          if (!target || takes(taker, *target, value)) add_once(one.cases, taker);
      if (target) one.against.case_name = value_case_name(target->name, value);
      result_.calibrated_origin.push_back(index);
      result_.params.calibrated.push_back(std::move(one));
    }
  }

  const ExperimentParams& from_;
  ExpandedExperiment result_;
};

}  // namespace

std::string Sweep::title() const { return over.title.empty() ? parameter() : over.title; }
std::string Sweep::parameter() const { return platforms::join(over.paths()); }

std::vector<std::string> Sweep::overrides(std::size_t case_index) const {
  std::vector<std::string> sets;
  for (const std::string& path : over.paths()) sets.push_back(path + "=" + value(case_index));
  return sets;
}

std::string value_case_name(const std::string& name, const std::string& value) { return name + "@" + value; }

ExpandedExperiment expand(const ExperimentParams& params) { return Expander(params).take(); }

std::vector<std::string> case_names(const ExperimentParams& params) {
  std::vector<std::string> names;
  for (const CaseParams& one : params.cases) {
    names.push_back(one.name);
    for (const std::string& value : one.over.values) names.push_back(value_case_name(one.name, value));
  }
  return names;
}

}  // namespace switchyard::cli

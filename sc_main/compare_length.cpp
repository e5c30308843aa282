// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "sc_main/compare_notes.h"

namespace switchyard::cli {
namespace {

/// The smallest and the largest of several numbers.
class Range {
 public:
  void add(std::uint64_t value) {
    least_ = std::min(least_, value);
    most_ = std::max(most_, value);
  }
  /// `20`, or `11620 to 386107`.
  std::string text() const {
    return least_ == most_ ? fmt::format("{}", least_) : fmt::format("{} to {}", least_, most_);
  }

 private:
  std::uint64_t least_ = std::numeric_limits<std::uint64_t>::max(), most_ = 0;
};

/// The lengths of all runs with a loop.
class Lengths {
 public:
  void add(const platforms::LoopRecord& loop) {
    ++runs_;
    iterations_.add(loop.iterations);
    warm_up_.add(loop.warm_up);
    count_.add(loop.count);
    seeds_.add(loop.seeds);
    stopped_ += loop.converged || loop.iterations + loop.warm_up >= loop.count ? 0 : 1;
  }
  std::size_t runs() const { return runs_; }
  std::string text() const {
    std::string text = fmt::format("{} iterations simulated after {} of warm-up, scaled to {}", iterations_.text(),
                                   warm_up_.text(), count_.text());
    if (seeds_.text() != "1") text += fmt::format("; means over {} seeds", seeds_.text());
    if (stopped_ == 0) return text;
    const std::string which = stopped_ == runs_ ? "all of them" : fmt::format("{} of them", stopped_);
    return text + "; " + which + " stopped before the confidence interval was reached";
  }

 private:
  Range iterations_, warm_up_, count_, seeds_;
  std::size_t runs_ = 0, stopped_ = 0;
};

std::string runs_text(std::size_t runs) { return fmt::format("{} run{}", runs, runs == 1 ? "" : "s"); }

}  // namespace

std::vector<std::string> scale_notes(const Comparison& comparison) {
  Lengths lengths;
  std::size_t whole = 0;
  for (const CompareRun& run : comparison.runs()) {
    if (!run.result->error.empty()) continue;
    if (run.result->outcome.has_loop)
      lengths.add(run.result->outcome.loop);
    else
      ++whole;
  }
  std::vector<std::string> lines;
  if (lengths.runs() > 0) lines.push_back(runs_text(lengths.runs()) + ": " + lengths.text());
  if (whole > 0) lines.push_back(runs_text(whole) + ": the whole run, nothing scaled");
  return lines;
}

}  // namespace switchyard::cli

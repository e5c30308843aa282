// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace switchyard::base {

class StatGroup;

/// A number that a module counts up; part of exactly one StatGroup for its whole life.
class Counter {
 public:
  Counter(StatGroup& group, std::string name, std::string unit, std::string text);
  Counter(const Counter&) = delete;
  Counter& operator=(const Counter&) = delete;

  void operator++() { ++value_; }
  void operator+=(std::uint64_t n) { value_ += n; }
  void reset() { value_ = 0; }
  std::uint64_t value() const { return value_; }
  const std::string& name() const { return name_; }
  const std::string& unit() const { return unit_; }
  const std::string& text() const { return text_; }

 private:
  std::uint64_t value_ = 0;
  std::string name_, unit_, text_;
};

/// The statistics of one module, in the order of declaration.
class StatGroup {
 public:
  StatGroup() = default;
  StatGroup(const StatGroup&) = delete;
  StatGroup& operator=(const StatGroup&) = delete;
  const std::vector<Counter*>& counters() const { return counters_; }
  void reset() {
    for (Counter* counter : counters_) counter->reset();
  }

 private:
  friend class Counter;
  std::vector<Counter*> counters_;
};

inline Counter::Counter(StatGroup& group, std::string name, std::string unit, std::string text)
    : name_(std::move(name)), unit_(std::move(unit)), text_(std::move(text)) {
  group.counters_.push_back(this);
}

}  // namespace switchyard::base

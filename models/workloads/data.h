// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/action.h"

namespace switchyard::workloads {

/// `atomic_add: {data: counters, offset: 0 B, stride: 64 B, value: -1, width: 4 B}`
struct AtomicAddParams : base::ParamSet {
  std::string data;
  base::Bytes offset;
  base::Bytes stride;
  std::int64_t value = 1;
  base::Bytes width{4};
  void visit(base::ParamVisitor& v) override {
    v.value({"data", "Static data of the process that the word lies in", "", true}, data);
    v.value({"offset", "Where the word of thread 0 lies in it"}, offset);
    v.value({"stride", "Distance of the words of threads that follow each other; 0 B: all use the same"}, stride);
    v.value({"value", "What is added; negative to subtract"}, value);
    v.value({"width", "Size of the word: 4 B or 8 B"}, width, {4, 8});
  }
  std::string check() const override;
};
/// User code that adds to a word of static data atomically. The word is the thread's own with a stride: threads count
/// from 0 among those spawned with the same program; the first thread of a process is number 0.
class AtomicAdd : public Action {
 public:
  using Params = AtomicAddParams;
  explicit AtomicAdd(const Params& params) : params_(params) {}
  void run(Process& process, kernel::Task& task) const override;
  std::string data_used() const override { return params_.data; }
  std::string data_fault(const DataParams& data) const override;

 private:
  const Params params_;
};

/// `expect: {data: counters, width: 4 B, value: 0}`
struct ExpectParams : base::ParamSet {
  std::string data;
  base::Bytes width{4};
  std::int64_t value = 0;
  void visit(base::ParamVisitor& v) override {
    v.value({"data", "Static data of the process to look at", "", true}, data);
    v.value({"width", "Size of its words: 1 B, 2 B, 4 B or 8 B"}, width, {1, 8});
    v.value({"value", "What each of them must hold now"}, value);
  }
  std::string check() const override;
};
/// Compares every word of static data with a value; a difference is a failed check. Takes no simulated time.
class Expect : public Action {
 public:
  using Params = ExpectParams;
  explicit Expect(const Params& params) : params_(params) {}
  void run(Process& process, kernel::Task& task) const override;
  std::string data_used() const override { return params_.data; }
  std::string data_fault(const DataParams& data) const override;

 private:
  const Params params_;
};

}  // namespace switchyard::workloads

// SPDX-License-Identifier: Apache-2.0
#include "sc_main/isolated_run_document.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/errors.h"

namespace switchyard::cli {
namespace {

using nlohmann::json;
using platforms::CallRecord;
using platforms::Estimate;
using platforms::LoopRecord;
using platforms::RunOutcome;
using platforms::StatRecord;
using platforms::TaskRecord;

// Each record is a list of its members in the order of declaration.

json write(const Estimate& e) { return {e.mean, e.ci95}; }

json write(const CallRecord& c) {
  return json::array({c.function, static_cast<unsigned>(c.domain), c.parent, c.calls, c.cycles});
}

json write(const TaskRecord& t) {
  json calls = json::array();
  for (const CallRecord& call : t.calls) calls.push_back(write(call));
  return json::array({t.name, t.id, t.idle, std::move(calls)});
}

json write(const StatRecord& s) { return json::array({s.module, s.name, s.unit, s.text, s.value}); }

json write(const LoopRecord& l) {
  json cpu = json::array();
  if (l.cpu_ci95) cpu = {l.cpu_ci95->user_s, l.cpu_ci95->sys_s};
  return json::array(
      {l.name, l.count, l.warm_up, l.iterations, l.converged, write(l.iteration_s), std::move(cpu), l.unsettled});
}

json write(const RunOutcome& o) {
  json tasks = json::array(), stats = json::array();
  for (const TaskRecord& task : o.tasks) tasks.push_back(write(task));
  for (const StatRecord& stat : o.stats) stats.push_back(write(stat));
  return json::array({static_cast<unsigned>(o.end), o.message, o.simulated_s, o.measured_s, o.has_loop, write(o.loop),
                      std::move(tasks), std::move(stats), o.cpu_hz, o.cpus});
}

json write(const OriginCounts& o) { return {o.measured, o.documented, o.calibrated, o.assumed}; }

/// Takes the members of a record in order.
class Members {
 public:
  explicit Members(const json& list) : list_(list) {}
  const json& next() { return list_.at(at_++); }
  template <class T>
  void take(T& field) {
    next().get_to(field);
  }
  template <class E>
  void take_enum(E& field) {
    field = static_cast<E>(next().get<unsigned>());
  }
  void end() const {
    if (at_ != list_.size()) throw base::InternalError("a record of a run document has too many members");
  }

 private:
  const json& list_;
  std::size_t at_ = 0;
};

void read(const json& from, Estimate& e) {
  Members m(from);
  m.take(e.mean);
  m.take(e.ci95);
  m.end();
}

void read(const json& from, CallRecord& c) {
  Members m(from);
  m.take(c.function);
  m.take_enum(c.domain);
  m.take(c.parent);
  m.take(c.calls);
  m.take(c.cycles);
  m.end();
}

void read(const json& from, TaskRecord& t);
void read(const json& from, StatRecord& s);

template <class T>
void read_list(const json& from, std::vector<T>& list) {
  for (const json& item : from) read(item, list.emplace_back());
}

void read(const json& from, TaskRecord& t) {
  Members m(from);
  m.take(t.name);
  m.take(t.id);
  m.take(t.idle);
  read_list(m.next(), t.calls);
  m.end();
}

void read(const json& from, StatRecord& s) {
  Members m(from);
  m.take(s.module);
  m.take(s.name);
  m.take(s.unit);
  m.take(s.text);
  m.take(s.value);
  m.end();
}

void read(const json& from, LoopRecord& l) {
  Members m(from);
  m.take(l.name);
  m.take(l.count);
  m.take(l.warm_up);
  m.take(l.iterations);
  m.take(l.converged);
  read(m.next(), l.iteration_s);
  if (const json& cpu = m.next(); !cpu.empty()) l.cpu_ci95 = {cpu.at(0).get<double>(), cpu.at(1).get<double>()};
  m.take(l.unsettled);
  m.end();
}

void read(const json& from, RunOutcome& o) {
  Members m(from);
  m.take_enum(o.end);
  m.take(o.message);
  m.take(o.simulated_s);
  m.take(o.measured_s);
  m.take(o.has_loop);
  read(m.next(), o.loop);
  read_list(m.next(), o.tasks);
  read_list(m.next(), o.stats);
  m.take(o.cpu_hz);
  m.take(o.cpus);
  m.end();
}

void read(const json& from, OriginCounts& o) {
  Members m(from);
  m.take(o.measured);
  m.take(o.documented);
  m.take(o.calibrated);
  m.take(o.assumed);
  m.end();
}

}  // namespace

std::string write_run_document(const RunResult& result) {
  const json document =
      json::array({result.error, result.hash, result.resolved, write(result.origins), write(result.outcome)});
  std::string bytes;
  json::to_cbor(document, bytes);
  return bytes;
}

RunResult read_run_document(const std::string& bytes) {
  try {
    const json document = json::from_cbor(bytes);
    RunResult result;
    Members m(document);
    m.take(result.error);
    m.take(result.hash);
    m.take(result.resolved);
    read(m.next(), result.origins);
    read(m.next(), result.outcome);
    m.end();
    return result;
  } catch (const json::exception& error) {
    throw base::InternalError(fmt::format("unreadable run document: {}", error.what()));
  }
}

}  // namespace switchyard::cli

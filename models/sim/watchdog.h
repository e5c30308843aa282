// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <set>
#include <string>
#include <systemc>

namespace switchyard::sim {

/// Pauses a simulation that does not get on: when one simulated time takes more than a given number of delta cycles, or
/// when somebody outside of the simulation asks for it. What sc_start then returned for is asked afterwards.
///
/// SystemC calls every trace file once per delta cycle and is the only one to be called then, so the watchdog is a
/// trace file that traces nothing. A process that never waits cannot be stopped by it.
class Watchdog : private sc_core::sc_trace_file {
 public:
  /// To be made before the simulation starts. `interrupt` may be null and may be set by a signal handler.
  Watchdog(std::uint64_t most_delta_cycles, const std::atomic<bool>* interrupt);
  ~Watchdog() override;
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  bool found_endless_delta_cycles() const { return looks_ == kLooks; }
  /// Names of the processes that kept running, in alphabetical order.
  const std::set<std::string>& running() const { return running_; }
  bool was_interrupted() const { return interrupted_; }

 private:
  /// Delta cycles that are looked at for running processes: those that notify each other take turns.
  static constexpr unsigned kLooks = 8;

  void cycle(bool delta_cycle) override;
  void look();

  // Nothing is traced.
  using Name = std::string;
  void trace(const sc_core::sc_event&, const Name&) override {}
  void trace(const sc_core::sc_time&, const Name&) override {}
  void trace(const bool&, const Name&) override {}
  void trace(const sc_dt::sc_bit&, const Name&) override {}
  void trace(const sc_dt::sc_logic&, const Name&) override {}
  void trace(const unsigned char&, const Name&, int) override {}
  void trace(const unsigned short&, const Name&, int) override {}
  void trace(const unsigned int&, const Name&, int) override {}
  void trace(const unsigned long&, const Name&, int) override {}
  void trace(const char&, const Name&, int) override {}
  void trace(const short&, const Name&, int) override {}
  void trace(const int&, const Name&, int) override {}
  void trace(const long&, const Name&, int) override {}
  void trace(const sc_dt::int64&, const Name&, int) override {}
  void trace(const sc_dt::uint64&, const Name&, int) override {}
  void trace(const float&, const Name&) override {}
  void trace(const double&, const Name&) override {}
  void trace(const sc_dt::sc_int_base&, const Name&) override {}
  void trace(const sc_dt::sc_uint_base&, const Name&) override {}
  void trace(const sc_dt::sc_signed&, const Name&) override {}
  void trace(const sc_dt::sc_unsigned&, const Name&) override {}
  void trace(const sc_dt::sc_fxval&, const Name&) override {}
  void trace(const sc_dt::sc_fxval_fast&, const Name&) override {}
  void trace(const sc_dt::sc_fxnum&, const Name&) override {}
  void trace(const sc_dt::sc_fxnum_fast&, const Name&) override {}
  void trace(const sc_dt::sc_bv_base&, const Name&) override {}
  void trace(const sc_dt::sc_lv_base&, const Name&) override {}
  void trace(const unsigned int&, const Name&, const char**) override {}
  void write_comment(const std::string&) override {}
  void set_time_unit(double, sc_core::sc_time_unit) override {}

  const std::uint64_t most_delta_cycles_;
  const std::atomic<bool>* const interrupt_;
  sc_core::sc_simcontext* const context_;
  sc_core::sc_event look_;
  unsigned looks_ = 0;
  bool interrupted_ = false;
  std::set<std::string> running_;
};

}  // namespace switchyard::sim

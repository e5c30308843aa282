// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/params.h"
#include "base/stats.h"
#include "interrupt/ipi_fabric.h"
#include "interrupt/register_device.h"

namespace switchyard::interrupt {

/// Parameters of Clint.
struct ClintParams : base::ParamSet {
  base::Address base = 0x2000000;
  base::Bytes size = {0x10000};
  base::Frequency timebase = {1'000'000};
  base::Latency latency = base::nanoseconds(50);

  void visit(base::ParamVisitor& v) override {
    v.address({"base", "First bus address"}, base);
    v.value({"size", "Size of the register range"}, size, {0xc000, 1 << 24});
    v.value({"timebase", "Frequency of mtime"}, timebase);
    v.value({"latency", "Time of one access; must be a time"}, latency);
  }
  std::string check() const override {
    if (latency.unit == base::Latency::Unit::cycles) return "latency must be a time such as `50 ns`, not cycles";
    if (base % 8 != 0) return "base must be a multiple of 8, got " + std::to_string(base);
    if (base + size.value < base) return "base + size goes beyond the 64-bit address space";
    return "";
  }
};

/// Core-local interruptor: per hart a software interrupt that any store raises, and a timer compare register. The n-th
/// wires of `msip` and `mtip` belong to hart n. An unarmed timer costs nothing.
class Clint : public RegisterDevice, public IpiFabric {
 public:
  using Params = ClintParams;
  Clint(const sc_core::sc_module_name& name, const Params& params);

  std::vector<PortInfo> ports() const override;
  void connect_interrupt(const std::string& port, InterruptLine& line) override;
  std::string check_wiring() const override;
  const base::StatGroup& stats() const override { return stats_; }

  Mode mode() const override { return Mode::machine; }
  base::Address base() const override { return params_.base; }
  unsigned harts() const override { return static_cast<unsigned>(msip_lines_.size()); }
  base::Frequency timebase() const override { return params_.timebase; }

 private:
  struct Stats : base::StatGroup {
    base::Counter msip_writes{*this, "msip_writes", "count", "Stores to software interrupt registers"};
    base::Counter mtimecmp_writes{*this, "mtimecmp_writes", "count", "Stores to timer compare registers"};
    base::Counter reads{*this, "reads", "count", "Loads of any register"};
  };
  enum class Register : std::uint8_t { none, msip, mtimecmp, mtime };
  struct Place {
    Register reg = Register::none;
    unsigned hart = 0;
    unsigned shift = 0;  ///< 32 for the high half of an 8 byte register
  };
  struct Update {
    Place place;
    std::uint64_t mask = 0;
    std::uint64_t value = 0;
  };

  tlm::tlm_response_status read(const RegisterAccess& access, std::uint64_t& value) override;
  tlm::tlm_response_status write(const RegisterAccess& access, std::uint64_t value) override;
  Place decode(const RegisterAccess& access) const;
  std::uint64_t value_at(const Place& place, std::uint64_t at_ps) const;
  std::uint64_t& storage(const Place& place);
  void apply(const Update& update, std::uint64_t now_ps);
  void apply_due(std::uint64_t now_ps);
  void arm(unsigned hart, std::uint64_t now_ps);
  void step();
  void schedule(std::uint64_t now_ps);

  const Params params_;
  Stats stats_;
  std::vector<InterruptLine*> msip_lines_, mtip_lines_;
  std::vector<std::uint64_t> msip_, mtimecmp_;           // by hart
  std::multimap<std::uint64_t, Update> updates_;         // stores of initiators that run ahead, by time
  std::set<std::pair<std::uint64_t, unsigned>> timers_;  // armed deadlines: time, hart
  std::vector<std::uint64_t> deadlines_;                 // deadlines_[hart], kNever while not in timers_
  std::uint64_t next_ps_;                                // when wake_ is notified, kNever if it is not
  sc_core::sc_event wake_;
};

}  // namespace switchyard::interrupt

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <systemc>
#include <tlm>
#include <vector>

#include "base/params.h"
#include "base/stats.h"
#include "switchyard/coherence.h"
#include "switchyard/module.h"

namespace switchyard::memory {

/// Parameters of Memory.
struct MemoryParams : base::ParamSet {
  base::Address base = 0x80000000;
  base::Bytes size = base::gib(1);
  base::Latency latency = base::nanoseconds(100);

  void visit(base::ParamVisitor& v) override {
    v.address({"base", "First bus address"}, base);
    v.value({"size", "Capacity"}, size, {4096, 1ull << 44});
    v.value({"latency", "Time of one access, whatever its length; must be a time"}, latency);
  }
  std::string check() const override {
    if (latency.unit == base::Latency::Unit::cycles) return "latency must be a time such as `100 ns`, not cycles";
    if (size.value % 4096 != 0) return "size must be a multiple of 4 KiB, got " + std::to_string(size.value) + " B";
    if (base + size.value < base) return "base + size goes beyond the 64-bit address space";
    return "";
  }
};

/// Flat memory with one fixed latency. Storage appears when it is written; unwritten bytes read as zero.
/// Any length and alignment within the range; byte enables are honoured. No DMI: lines may be cached.
class Memory : public Module, private tlm::tlm_fw_transport_if<> {
 public:
  using Params = MemoryParams;
  Memory(const sc_core::sc_module_name& name, const Params& params);

  std::vector<PortInfo> ports() const override { return {{"in", PortKind::target, false}}; }
  Target target(const std::string&) override { return {&in_, nullptr}; }
  AddressRange address_range() const override { return {params_.base, params_.size.value}; }
  const base::StatGroup& stats() const override { return stats_; }

 private:
  static constexpr unsigned kChunkShift = 16;
  struct Stats : base::StatGroup {
    base::Counter reads{*this, "reads", "count", "Read transactions"};
    base::Counter writes{*this, "writes", "count", "Write transactions"};
  };

  void b_transport(tlm::tlm_generic_payload& tx, sc_core::sc_time& delay) override;
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& tx, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }
  unsigned transport_dbg(tlm::tlm_generic_payload& tx) override;
  bool access(tlm::tlm_generic_payload& tx);
  std::uint8_t* chunk(std::uint64_t offset, bool make);

  const Params params_;
  const sc_core::sc_time latency_;
  std::vector<std::unique_ptr<std::uint8_t[]>> chunks_;  // chunks_[offset >> kChunkShift]
  TargetSocket in_;
  Stats stats_;
};

}  // namespace switchyard::memory

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <systemc>
#include <tlm>
#include <vector>

#include "base/quantity.h"
#include "base/stats.h"
#include "memory/bus_schedule.h"
#include "memory/coherence_check.h"
#include "memory/coherence_point.h"
#include "memory/interconnect_params.h"
#include "memory/line_table.h"
#include "memory/protocol_mutation.h"
#include "memory/upstream_port.h"
#include "switchyard/coherence.h"
#include "switchyard/module.h"

namespace switchyard::memory {

using base::Address;

/// Joins caches that share no cache: MESI between them over one or more buses. Derived classes say who is asked for
/// copies and which buses that takes.
///
/// A request occupies its buses for the address phase, waits for its turn (requests to a line are served in the order
/// in which they come), occupies the buses of both ends for the beats of the line, and takes the latency of the
/// distance from its turn on. Phases start on edges of `beat`. States change at once, in the order of SystemC time; the
/// time is annotated.
///
/// Port `cpu` (many): caches, and initiators without one. Port `mem`: memory and devices, usually a bus.
class Interconnect : public Module, public CoherenceChecked, public CoherencePoint {
 public:
  using Params = InterconnectParams;

  Interconnect(const sc_core::sc_module_name& name, const Params& params);
  ~Interconnect() override;

  std::vector<PortInfo> ports() const override;
  Initiator initiator(const std::string& port) override;
  Target target(const std::string& port) override;
  const base::StatGroup& stats() const override { return stats_; }
  std::string check_wiring() const override;

  void transport(UpstreamPort& port, tlm::tlm_generic_payload& tx, sc_core::sc_time& delay) override;
  unsigned transport_debug(tlm::tlm_generic_payload& tx) override;
  CoherencePath& path() override { return path_; }
  void set_check(CoherenceCheck* check) override { check_ = check; }
  void set_mutation(ProtocolMutation mutation) { mutation_ = mutation; }

 protected:
  using BusMask = std::uint64_t;  ///< bit b: bus b
  static constexpr int kNobody = -1;

  /// What became of the copies in other caches.
  struct Copies {
    int supplier = kNobody;  ///< the child that gives the requester the line; nobody: memory does
    bool dirty = false;      ///< its copy is newer than memory, and in buffer_
    bool shared = false;     ///< somebody else still has a copy
    bool migrates = false;   ///< a reader gets the line modified
    BusMask buses = 0;       ///< of the children that were asked
  };

  /// What is asked of the other caches: to drop the line (`unique`) or to keep it shared at most.
  struct Request {
    std::size_t row;  ///< of lines_
    Address line;
    int requester;  ///< a child, or kNobody
    bool unique;
    sc_core::sc_time delay;  ///< from now to when it happens
  };
  virtual Copies take_copies(const Request& request) = 0;
  virtual void granted(std::size_t, unsigned) {}
  virtual void dropped(std::size_t, unsigned) {}

  /// Asks one child and adds what it had to `copies`.
  void ask(unsigned child, const Request& request, Copies& copies);
  bool is_mutated(ProtocolMutation by) const { return mutation_ == by; }
  BusMask bus_of(int child) const {
    return child == kNobody ? 0 : BusMask{1} << (static_cast<unsigned>(child) / per_bus_);
  }
  BusMask all_buses() const { return all_buses_; }
  unsigned children() const { return static_cast<unsigned>(upstream_.size()); }
  bool is_cache(unsigned child) const { return upstream_[child]->coherent(); }
  LineTable lines_;

 private:
  struct Stats : base::StatGroup {
    base::Counter requests{*this, "requests", "count", "Requests of caches for lines or for permission to write"};
    base::Counter transfers{*this, "transfers", "count", "Lines that another cache supplied"};
    base::Counter upgrades{*this, "upgrades", "count", "Requests for permission to write a line held shared"};
    base::Counter invalidations{*this, "invalidations", "count", "Copies in other caches that were dropped"};
    base::Counter memory_reads{*this, "memory_reads", "count", "Lines that memory supplied"};
    base::Counter writebacks{*this, "writebacks", "count", "Modified lines written to memory"};
    base::Counter line_waits{*this, "line_waits", "count", "Requests that waited for an earlier one to the same line"};
    base::Counter line_wait_time{*this, "line_wait_time", "ps", "Time that requests waited for their line"};
    base::Counter bus_wait_time{*this, "bus_wait_time", "ps", "Time that requests waited for a bus"};
    base::Counter bus_time{*this, "bus_time", "ps", "Time that buses were occupied, summed over them"};
  };
  struct Backward : tlm::tlm_bw_transport_if<> {
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) override {
      return tlm::TLM_ACCEPTED;
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
  };

  void end_of_elaboration() override;
  void dispatch(UpstreamPort& port, tlm::tlm_generic_payload& tx, sc_core::sc_time& delay);
  void serve_line(UpstreamPort& port, tlm::tlm_generic_payload& tx, CoherenceExtension& ext, sc_core::sc_time& delay);
  void serve_drop(UpstreamPort& port, tlm::tlm_generic_payload& tx, const CoherenceExtension& ext,
                  const sc_core::sc_time& delay);
  void serve_plain(UpstreamPort& port, tlm::tlm_generic_payload& tx, sc_core::sc_time& delay);
  void snoop(unsigned child, const Request& request, bool drops);
  std::uint64_t wait_for_line(std::size_t row, std::uint64_t at);
  std::uint64_t occupy(BusMask buses, std::uint64_t length, std::uint64_t at);
  std::uint64_t latency(BusMask requester, const Copies& copies, bool moves_data) const;
  void fetch(const Copies& copies, bool owns, tlm::tlm_generic_payload& tx, CoherenceExtension& ext,
             sc_core::sc_time& delay);
  void write_memory(Address line, const std::uint8_t* data);
  std::uint64_t now_ps() const;

  const std::uint64_t far_ps_, saved_ps_, snoop_ps_, hold_ps_, memory_ps_, beat_ps_, address_ps_, width_;
  const bool forward_clean_, queues_all_, migrates_;
  std::uint64_t per_bus_;
  std::uint64_t near_ps_ = 0;
  std::uint64_t line_size_ = 64;
  std::uint64_t data_ps_ = 0;  ///< time that the beats of a line occupy a bus
  BusMask all_buses_ = 1;
  std::vector<BusSchedule> buses_{1};
  std::vector<std::unique_ptr<UpstreamPort>> upstream_;
  InitiatorSocket mem_;
  Backward backward_;
  CoherencePath path_;
  CoherenceCheck* check_ = nullptr;
  ProtocolMutation mutation_ = ProtocolMutation::none;
  std::array<std::uint8_t, 256> buffer_{};
  tlm::tlm_generic_payload up_, down_;
  CoherenceExtension up_ext_;
  Stats stats_;
};

/// Every other cache is asked, and the address phase of a request occupies every bus.
class SnoopBus : public Interconnect {
 public:
  using Interconnect::Interconnect;

 private:
  Copies take_copies(const Request& request) override;
};

/// A directory beside memory knows who may have a copy; only those are asked, and only their buses are occupied.
class DirectoryFabric : public Interconnect {
 public:
  using Interconnect::Interconnect;

 private:
  Copies take_copies(const Request& request) override;
  void granted(std::size_t row, unsigned child) override { lines_.sharers(row) |= std::uint64_t{1} << child; }
  void dropped(std::size_t row, unsigned child) override { lines_.sharers(row) &= ~(std::uint64_t{1} << child); }
};

}  // namespace switchyard::memory

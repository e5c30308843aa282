// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <memory>
#include <systemc>
#include <tlm>
#include <vector>

#include "base/stats.h"
#include "memory/cache_array.h"
#include "memory/cache_params.h"
#include "memory/caching_initiator.h"
#include "memory/coherence_check.h"
#include "memory/coherence_point.h"
#include "memory/directory.h"
#include "memory/protocol_mutation.h"
#include "memory/thread_lines.h"
#include "memory/upstream_port.h"
#include "sim/clock.h"
#include "switchyard/coherence.h"
#include "switchyard/module.h"

namespace switchyard::memory {

/// Told when a watched line leaves a cache, or another CPU on the same cache writes it.
class LineWatcher {
 public:
  virtual ~LineWatcher() = default;
  /// That happens `delay` after the current SystemC time.
  virtual void line_lost(const sc_core::sc_time& delay) = 0;
};

/// One cache level: inclusive of the caches above it, coherent by MESI with a full-map directory of them.
///
/// Port `cpu` (many): initiators and caches above. A cache above brings its snoop socket and asks for whole lines of
/// its own size; any other initiator makes accesses within one line, which are served coherently: with read_shared or
/// read_unique the line is filled here (no data moves, and a read with data is refused: nobody could snoop that copy),
/// without an extension it is only brought up to date below. Several CPUs on it are the threads of a core.
/// Port `mem`: the next level. All of a request happens at one instant; its time is annotated, never waited for.
class Cache : public Module, public CoherenceChecked, public CoherencePoint {
 public:
  using Params = CacheParams;

  Cache(const sc_core::sc_module_name& name, const Params& params);
  ~Cache() override;

  std::vector<PortInfo> ports() const override;
  Initiator initiator(const std::string& port) override;
  Target target(const std::string& port) override;
  const base::StatGroup& stats() const override { return stats_; }
  std::string check_wiring() const override;

  /// For the CPU above the first level: its hits bypass the sockets.
  CacheArray& array() { return array_; }
  const sim::Clock& clock() const { return clock_; }
  base::Latency latency() const { return params_.latency; }
  /// One call for each CPU above this first-level cache, before the simulation starts; returns its thread number.
  unsigned add_watcher(LineWatcher& watcher) {
    watchers_.push_back(&watcher);
    return static_cast<unsigned>(watchers_.size() - 1);
  }
  /// The CPUs above, by thread.
  const std::vector<LineWatcher*>& watchers() const { return watchers_; }
  /// How several CPUs above share the lines; null where there is one. Known when the simulation starts.
  ThreadLines* thread_lines() { return watchers_.size() > 1 ? &thread_lines_ : nullptr; }
  /// `thread` takes the line at `slot` over, `delay` from now; `delay` grows by the time until it has it. When it
  /// writes, the others that watch the line are told.
  void take_line(std::size_t slot, unsigned thread, bool write, sc_core::sc_time& delay);
  /// `thread` wants to be told when the line at `slot` leaves or another thread writes it.
  void watch_line(std::size_t slot, unsigned thread) {
    array_.set_watched(slot, true);
    if (watchers_.size() > 1) thread_lines_.watch(slot, thread);
  }
  void set_check(CoherenceCheck* check) override;
  const std::vector<std::unique_ptr<UpstreamPort>>& upstream() const { return upstream_; }
  std::uint64_t line_size() const { return array_.line_size(); }
  /// The cache that is wired to `port` from above; null when it is something else.
  static const Cache* behind(const UpstreamPort& port);
  void set_mutation(ProtocolMutation mutation) { mutation_ = mutation; }

  // CoherencePoint; see the class comment.
  void transport(UpstreamPort& port, tlm::tlm_generic_payload& tx, sc_core::sc_time& delay) override;
  unsigned transport_debug(tlm::tlm_generic_payload& tx) override;
  CoherencePath& path() override { return below_ != nullptr ? below_->path() : own_path_; }
  /// Reads (overlays the data of `tx`) or writes the copies held here and above; `tx` lies within one line of `grain`.
  void debug_copies(tlm::tlm_generic_payload& tx);
  /// A request of the level below about one of its lines, which is in this cache or not.
  void snoop(tlm::tlm_generic_payload& tx, const sc_core::sc_time& delay);

 private:
  struct Stats : base::StatGroup {
    base::Counter requests{*this, "requests", "count", "Requests from above that reached this cache's sockets"};
    base::Counter misses{*this, "misses", "count", "Requests whose line was not here"};
    base::Counter upgrades{*this, "upgrades", "count", "Requests for write permission to a line held shared"};
    base::Counter transfers{*this, "transfers", "count", "Modified lines taken from a cache above for another one"};
    base::Counter invalidations{*this, "invalidations", "count", "Copies above that had to be dropped"};
    base::Counter evictions{*this, "evictions", "count", "Valid lines replaced"};
    base::Counter writebacks{*this, "writebacks", "count", "Modified lines written to the level below"};
    base::Counter waits{*this, "waits", "count", "Requests that waited for a line in transfer"};
  };

  /// Receives snoops from the level below.
  struct SnoopTarget : tlm::tlm_fw_transport_if<> {
    explicit SnoopTarget(Cache& owner) : cache(owner) {}
    void b_transport(tlm::tlm_generic_payload& tx, sc_core::sc_time& delay) override { cache.snoop(tx, delay); }
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& tx, tlm::tlm_phase&,
                                       sc_core::sc_time& delay) override {
      cache.snoop(tx, delay);
      return tlm::TLM_COMPLETED;
    }
    bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }
    unsigned transport_dbg(tlm::tlm_generic_payload& tx) override {
      cache.debug_copies(tx);
      return tx.get_data_length();
    }
    Cache& cache;
  };
  struct Backward : tlm::tlm_bw_transport_if<>, CachingInitiator {
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) override {
      return tlm::TLM_ACCEPTED;
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
  };

  void end_of_elaboration() override;
  void start_of_simulation() override;
  void serve_line(UpstreamPort& port, tlm::tlm_generic_payload& tx, CoherenceExtension& ext, sc_core::sc_time& delay);
  void serve_drop(UpstreamPort& port, tlm::tlm_generic_payload& tx, const CoherenceExtension& ext);
  void dispatch(UpstreamPort& port, tlm::tlm_generic_payload& tx, sc_core::sc_time& delay);
  void serve_fill(tlm::tlm_generic_payload& tx, CoherenceExtension& ext, sc_core::sc_time& delay);
  void serve_plain(tlm::tlm_generic_payload& tx, sc_core::sc_time& delay);

  std::size_t obtain(Address pa, bool unique, CoherenceExtension& ext, sc_core::sc_time& delay);
  void release(std::size_t slot, const sc_core::sc_time& delay);
  void resolve(std::size_t slot, Address pa, int requester, bool unique, CoherenceExtension& ext,
               sc_core::sc_time& delay);
  void grant(std::size_t slot, Address pa, unsigned child, bool unique, CoherenceExtension& ext);
  void recall(std::size_t slot, Address sector_pa, unsigned child, bool invalidate, const sc_core::sc_time& delay);
  void recall_all(std::size_t slot, bool invalidate, const sc_core::sc_time& delay);
  void drop(std::size_t slot, const sc_core::sc_time& delay);
  void tell_watchers(std::size_t slot, unsigned but, const sc_core::sc_time& delay);
  bool forward(Address pa, Coherence request, std::uint8_t* data, unsigned length, CoherenceExtension* from,
               sc_core::sc_time& delay);
  bool is_mutated(ProtocolMutation by) const { return mutation_ == by; }
  void add_lookup_time(CoherenceExtension& ext, sc_core::sc_time& delay);
  std::uint64_t sector_size() const { return directory_.sector_size(); }
  static void copy_line(std::uint8_t* to, const std::uint8_t* from, std::uint64_t bytes) {
    if (bytes == 64) [[likely]]
      std::memcpy(to, from, 64);  // inline for the usual size
    else
      std::memcpy(to, from, bytes);
  }

  const Params params_;
  const sim::Clock clock_;
  const std::uint64_t latency_ps_, transfer_ps_, hold_ps_;
  const sc_core::sc_time latency_, transfer_;
  const sc_core::sc_time& sc_now_ = sc_core::sc_time_stamp();  ///< SystemC time, without a call
  CacheArray array_;
  Directory directory_;
  InitiatorSocket mem_;
  TargetSocket snoop_in_;
  SnoopTarget snoop_target_;
  Backward backward_;
  std::vector<std::unique_ptr<UpstreamPort>> upstream_;
  CoherencePoint* below_ = nullptr;  ///< null: the last one, plain memory or devices follow
  CoherencePath own_path_;           ///< in use when this is the last one
  CoherencePath* path_ = &own_path_;
  std::vector<LineWatcher*> watchers_;  // by thread
  ThreadLines thread_lines_;            ///< in use when there are several
  CoherenceCheck* check_ = nullptr;
  ProtocolMutation mutation_ = ProtocolMutation::none;
  tlm::tlm_generic_payload down_, up_;
  CoherenceExtension down_ext_, up_ext_;
  Stats stats_;
};

}  // namespace switchyard::memory

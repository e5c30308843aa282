// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>
#include <tlm>

namespace switchyard::memory {

class UpstreamPort;

/// Lets one request at a time through a tree of caches. Only a foreign module below can make a request last.
class CoherencePath {
 public:
  /// May wait. To be called before the request looks at anything: what it would have seen could be gone afterwards.
  void take() {
    while (in_use_) {
      ++waiting_;
      sc_core::wait(freed_);
      --waiting_;
    }
    in_use_ = true;
  }
  void leave() {
    in_use_ = false;
    if (waiting_ != 0) freed_.notify();
  }

 private:
  bool in_use_ = false;
  unsigned waiting_ = 0;
  sc_core::sc_event freed_;
};

/// What caches and plain initiators are wired to from above: a cache, or an interconnect of caches.
class CoherencePoint {
 public:
  virtual ~CoherencePoint() = default;
  /// A transaction from `port`; its time is annotated.
  virtual void transport(UpstreamPort& port, tlm::tlm_generic_payload& tx, sc_core::sc_time& delay) = 0;
  /// Reads or writes the newest copies, without time; returns the bytes done.
  virtual unsigned transport_debug(tlm::tlm_generic_payload& tx) = 0;
  /// That of the root of the tree.
  virtual CoherencePath& path() = 0;
};

}  // namespace switchyard::memory

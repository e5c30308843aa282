// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <tlm>
#include <vector>

#include "base/quantity.h"

namespace switchyard::memory {

class Cache;

/// Checks coherence while the simulation runs, against a second image of memory that is written in the order in which
/// accesses happen: a read returns the last write, and a line has one writer or any number of readers.
/// Throws base::CheckError naming CPU, address and values.
class CoherenceCheck {
 public:
  /// First-level caches whose states are compared.
  void add(Cache& first_level) { caches_.push_back(&first_level); }
  /// `who` wrote `bytes` of `value` at `pa`.
  void wrote(base::Address pa, std::uint64_t value, unsigned bytes);
  /// The write of an initiator that does not report to the check itself.
  void wrote(const tlm::tlm_generic_payload& tx);
  /// `who` read `value`; unknown bytes are learnt.
  void read(unsigned who, base::Address pa, std::uint64_t value, unsigned bytes);
  /// A request for the line of `pa` is complete: every first-level copy must agree with the protocol.
  void line_settled(base::Address pa);
  std::uint64_t checked() const { return checked_; }

 private:
  struct Page {
    std::uint8_t value[4096];
    bool known[4096];
  };
  Page& page(base::Address pa);

  std::map<base::Address, std::unique_ptr<Page>> pages_;
  std::vector<Cache*> caches_;
  std::uint64_t checked_ = 0;
};

/// A module that reports to a coherence check; null turns it off.
class CoherenceChecked {
 public:
  virtual ~CoherenceChecked() = default;
  virtual void set_check(CoherenceCheck* check) = 0;
};

}  // namespace switchyard::memory

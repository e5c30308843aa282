// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/quantity.h"

namespace switchyard::cpu {

/// What a cycle was spent on. Every cycle of every CPU has exactly one cause and one call-tree node.
enum class Cause : std::uint8_t {
  instructions,
  l1_hit,
  l2_hit,
  llc_hit,
  coherence,
  memory,
  device,
  tlb_walk,
  fence,
  system_register,
  ipi_send,
  ack_wait,
  lock_spin,
  interrupt_entry,
  firmware,
  stolen,
  idle,
  count
};
inline constexpr std::size_t kCauses = static_cast<std::size_t>(Cause::count);
std::string_view cause_name(Cause cause);

/// Whose time a function's cycles are: `time` counts user as user, kernel and firmware as sys.
enum class Domain : std::uint8_t { user, kernel, firmware, idle };

using FunctionId = std::uint16_t;

/// The functions that a run can charge time to, each with the address of its text (for instruction translations).
/// Filled while the machine is built; ids are dense and stable for a given order of calls.
class FunctionTable {
 public:
  struct Function {
    std::string name;
    Domain domain;
    base::Address text;
  };
  /// Returns the id of `name`, adding it at the first call. Functions of one domain get text addresses 4 KiB apart
  /// from `text_base(domain)` on, unless `text` says otherwise.
  FunctionId add(std::string_view name, Domain domain, base::Address text = 0);
  const Function& operator[](FunctionId id) const { return functions_[id]; }
  std::size_t size() const { return functions_.size(); }
  /// Where the next functions of `domain` are placed, and how far apart.
  void set_text(Domain domain, base::Address base, std::uint64_t stride);

 private:
  std::vector<Function> functions_;
  std::array<base::Address, 4> next_text_{};
  std::array<std::uint64_t, 4> stride_{4096, 4096, 4096, 4096};
};

/// One function as called through one chain of callers, with the cycles spent in itself by cause.
struct CallNode {
  FunctionId function = 0;
  Domain domain = Domain::kernel;
  base::Address text = 0;
  CallNode* parent = nullptr;
  std::uint64_t calls = 0;
  std::array<std::uint64_t, kCauses> cycles{};
  std::vector<std::unique_ptr<CallNode>> children;

  /// The child for `function`, made at first use.
  CallNode& child(FunctionId id, const FunctionTable& table);
  std::uint64_t self_cycles() const;
  void reset();
};

}  // namespace switchyard::cpu

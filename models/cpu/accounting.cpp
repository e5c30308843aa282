// SPDX-License-Identifier: Apache-2.0
#include "cpu/accounting.h"

#include <numeric>

namespace switchyard::cpu {

std::string_view cause_name(Cause cause) {
  static constexpr std::array<std::string_view, kCauses> kNames{
      "instructions", "l1_hit",          "l2_hit",   "llc_hit",         "coherence", "memory",
      "device",       "tlb_walk",        "fence",    "system_register", "ipi_send",  "ack_wait",
      "lock_spin",    "interrupt_entry", "firmware", "stolen",          "idle"};
  return kNames[static_cast<std::size_t>(cause)];
}

FunctionId FunctionTable::add(std::string_view name, Domain domain, base::Address text) {
  for (std::size_t i = 0; i < functions_.size(); ++i)
    if (functions_[i].name == name && functions_[i].domain == domain) return static_cast<FunctionId>(i);
  const auto index = static_cast<std::size_t>(domain);
  if (text == 0) {
    text = next_text_[index];
    next_text_[index] += stride_[index];
  }
  functions_.push_back({std::string(name), domain, text});
  return static_cast<FunctionId>(functions_.size() - 1);
}

void FunctionTable::set_text(Domain domain, base::Address base, std::uint64_t stride) {
  next_text_[static_cast<std::size_t>(domain)] = base;
  stride_[static_cast<std::size_t>(domain)] = stride;
}

CallNode& CallNode::child(FunctionId id, const FunctionTable& table) {
  for (auto& node : children)
    if (node->function == id) return *node;
  auto node = std::make_unique<CallNode>();
  node->function = id;
  node->domain = table[id].domain;
  node->text = table[id].text;
  node->parent = this;
  children.push_back(std::move(node));
  return *children.back();
}

std::uint64_t CallNode::self_cycles() const { return std::accumulate(cycles.begin(), cycles.end(), std::uint64_t{0}); }

void CallNode::reset() {
  calls = 0;
  cycles.fill(0);
  for (auto& node : children) node->reset();
}

}  // namespace switchyard::cpu

// SPDX-License-Identifier: Apache-2.0
#include "sim/watchdog.h"

#include <vector>

namespace switchyard::sim {

namespace {

/// SystemC keeps to itself which processes are runnable.
struct Process : sc_core::sc_process_b {
  static bool runnable(const sc_core::sc_process_b& process) {
    bool (sc_core::sc_process_b::*const is_runnable)() const = &Process::is_runnable;
    return (process.*is_runnable)();
  }
};

void add_runnable(const std::vector<sc_core::sc_object*>& objects, std::set<std::string>& names) {
  for (const sc_core::sc_object* object : objects) {
    const auto* process = dynamic_cast<const sc_core::sc_process_b*>(object);
    if (process != nullptr && Process::runnable(*process)) names.insert(process->name());
    add_runnable(object->get_child_objects(), names);
  }
}

}  // namespace

Watchdog::Watchdog(std::uint64_t most_delta_cycles, const std::atomic<bool>* interrupt)
    : most_delta_cycles_(most_delta_cycles), interrupt_(interrupt), context_(sc_core::sc_get_curr_simcontext()) {
  sc_core::sc_spawn_options method;
  method.spawn_method();
  method.dont_initialize();
  method.set_sensitivity(&look_);
  sc_core::sc_spawn([this] { look(); }, "watchdog", &method);
  context_->add_trace_file(this);
}

Watchdog::~Watchdog() { context_->remove_trace_file(this); }

// The event that is notified last, here at the end of a delta cycle, triggers first in the next one: look() runs before
// the processes that it looks for.
void Watchdog::cycle(bool) {
  if (interrupt_ != nullptr && interrupt_->load(std::memory_order_relaxed) && !interrupted_) {
    interrupted_ = true;
    sc_core::sc_pause();
  }
  if (sc_core::sc_delta_count_at_current_time() < most_delta_cycles_) return;
  if (looks_ < kLooks)
    look_.notify(sc_core::SC_ZERO_TIME);
  else
    sc_core::sc_pause();
}

void Watchdog::look() {
  ++looks_;
  add_runnable(sc_core::sc_get_top_level_objects(), running_);
}

}  // namespace switchyard::sim

// SPDX-License-Identifier: Apache-2.0
#include "sc_main/interrupt_flag.h"

namespace switchyard::cli {

namespace {

// All that a signal handler can reach.
std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may use nothing else");

}  // namespace

InterruptFlag::InterruptFlag() {
  interrupted = false;
  struct sigaction action {};
  action.sa_handler = [](int) { interrupted = true; };
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, nullptr, &before_);
  if (before_.sa_handler != SIG_IGN) sigaction(SIGINT, &action, nullptr);  // as of a job in the background
}

InterruptFlag::~InterruptFlag() { sigaction(SIGINT, &before_, nullptr); }

const std::atomic<bool>& InterruptFlag::flag() const { return interrupted; }

}  // namespace switchyard::cli

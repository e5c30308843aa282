// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "kernel/smp.h"

namespace switchyard::kernel {

/// Locks and atomic operations of an architecture.
struct SyncPrimitives {
  std::unique_ptr<SpinLocks> locks;
  std::unique_ptr<AtomicOps> atomics;
};

/// Ticket locks and atomic instructions.
inline SyncPrimitives native_primitives() {
  return {std::make_unique<TicketLocks>(), std::make_unique<NativeAtomics>()};
}

/// What the common part of the kernel has to know about an architecture besides its virtual functions.
struct LinuxArch {
  VirtualMap map;
  Address user_text = 0x10000;  ///< where the code of programs starts
  Address mmap_base = 0;        ///< where mappings start; they grow up to user_end
  Address user_end = 0;
  std::uint64_t register_bytes = 0;  ///< struct pt_regs
  std::uint32_t ipi_bits = cpu::kSupervisorSoftware;
  std::uint32_t timer_bits = cpu::kSupervisorTimer;
  bool has_polling_flag = false;  ///< TIF_POLLING_NRFLAG: wakers of a CPU that polls need not interrupt it

  // Functions on the way into the kernel and out of it.
  std::string_view exception = "handle_exception";
  std::string_view interrupt = "do_irq";
  std::string_view page_fault = "do_page_fault";
  std::string_view system_call = "do_syscall";
  std::string_view exit_to_user = "exit_to_user_mode_loop";
  Smp::Names smp;

  /// Called once, before any other part exists: what the primitives need may be placed in the layout.
  std::function<SyncPrimitives(Layout&, cpu::FunctionTable&, cpu::DebugMemory&)> make_primitives =
      [](Layout&, cpu::FunctionTable&, cpu::DebugMemory&) { return native_primitives(); };
};

}  // namespace switchyard::kernel

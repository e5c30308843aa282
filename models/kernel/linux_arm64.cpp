// SPDX-License-Identifier: Apache-2.0
#include "kernel/linux_arm64.h"

#include "base/errors.h"
#include "cpu/broadcast.h"
#include "kernel/arch/arm64/arm64_mm.h"
#include "kernel/queued_locks.h"

namespace switchyard::kernel::arm64 {

namespace {

constexpr std::uint64_t kRegisterBytes = 320;  // struct pt_regs

/// Entry functions: Linux v5.8 arch/arm64/kernel/{entry.S,entry-common.c,syscall.c,smp.c},
/// drivers/irqchip/irq-gic-v3.c.
LinuxArch arm64_arch() {
  LinuxArch arch;
  arch.map = kVirtualMap;
  arch.mmap_base = kUserEnd / 2;
  arch.user_end = kUserEnd;
  arch.register_bytes = kRegisterBytes;
  arch.timer_bits = cpu::kSupervisorExternal;
  arch.has_polling_flag = false;
  arch.exception = "vectors";
  arch.interrupt = "gic_handle_irq";
  arch.page_fault = "do_mem_abort";
  arch.system_call = "el0_svc_common";
  arch.exit_to_user = "do_notify_resume";
  arch.smp = {"smp_cross_call", "handle_IPI", true};
  arch.make_primitives = [](Layout& layout, cpu::FunctionTable&, cpu::DebugMemory&) {
    return SyncPrimitives{std::make_unique<QueuedLocks>(layout), std::make_unique<NativeAtomics>()};
  };
  return arch;
}

const KernelContext& complete(const KernelContext& context) {
  if (context.ipi_sender == nullptr || context.timer == nullptr)
    throw base::ConfigError(
        "kernel.type",
        "linux-arm64 needs interrupts between CPUs and timers, the machine has none; add a module of "
        "type gic-sgi");
  return context;
}

LinuxArm64Params scaled(LinuxArm64Params params) {
  params.costs.scale_paths(params.path_scale);
  params.ipc.scale_paths(params.path_scale);
  params.process.scale_paths(params.path_scale);
  return params;
}

/// mm_struct of v5.8 include/linux/mm_types.h, counted: pgd, mm_users and mm_count are neighbours.
constexpr MmOffsets kMmOffsets{
    .mm_count = 80, .mm_mt = 8, .pgd = 64, .mm_users = 76, .page_table_lock = 100, .mmap_lock = 104};

}  // namespace

struct LinuxArm64::Memory {
  Memory(LinuxArm64& linux, cpu::TranslationObserver* observer)
      : rest(linux.cpu_count()),
        node(linux.services(), rest),
        flusher(linux.asids_, linux.params_.costs, linux.services(), linux.mutation_),
        arch(linux.tables_, flusher),
        services{linux.services(), rest, arch, node, observer, linux.mutation_},
        user(linux.params_.process, services, arch, linux.tables_) {}
  const RestCosts rest;
  MemoryNode node;
  TlbFlusher flusher;
  Arm64Mm arch;
  const MmServices services;
  UserMemory user;
};

UserMemory* LinuxArm64::user_memory() {
  if (memory_ == nullptr) memory_ = std::make_unique<Memory>(*this, context().observer);
  return &memory_->user;
}

LinuxArm64::~LinuxArm64() = default;

LinuxArm64::LinuxArm64(const KernelContext& context, const Params& params, FlushMutation mutation)
    : Linux(complete(context), arm64_arch(), params.layout, scaled(params).costs),
      params_(scaled(params)),
      per_cpu_(params_.asid.debug_preempt, params_.costs, services().layout),
      asids_(params_.asid, params_.costs, services(), per_cpu_, mutation),
      context_switch_(per_cpu_, asids_, params_.costs, services(), context.observer),
      tables_(services().layout, *context.memory),
      smp_(make_smp(*context.ipi_sender)),
      mutation_(mutation) {
  cpu::join_broadcast_domain(context.cpus);
  per_cpu_.init(*context.memory);
  asids_.asids_init(*context.memory);
  boot(params_.scheduler, *context.timer, context_switch_);
}

void LinuxArm64::map_user_page(AddressSpace& mm, Address va, Address pa, UserPage kind) {
  tables_.map_user(mm.root, va, pa, kind == UserPage::text ? kUserText : kUserData | kPteDirty);
}

MmFields LinuxArm64::place_mm(const std::string& name, bool user) {
  MmFields fields = Linux::place_mm(name, user);
  fields.at = kMmOffsets;
  return fields;
}

}  // namespace switchyard::kernel::arm64

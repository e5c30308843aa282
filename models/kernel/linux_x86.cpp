// SPDX-License-Identifier: Apache-2.0
#include "kernel/linux_x86.h"

#include "base/errors.h"
#include "kernel/arch/x86/x86_mm.h"
#include "kernel/queued_locks.h"

namespace switchyard::kernel::x86 {

namespace {

constexpr std::uint64_t kRegisterBytes = 168;  // struct pt_regs

/// Entry functions: Linux v4.17 arch/x86/entry/{entry_64.S,common.c}, arch/x86/kernel/smp.c.
LinuxArch x86_arch() {
  LinuxArch arch;
  arch.map = kVirtualMap;
  arch.mmap_base = kUserEnd / 2;
  arch.user_end = kUserEnd;
  arch.register_bytes = kRegisterBytes;
  arch.timer_bits = cpu::kSupervisorExternal;
  arch.has_polling_flag = true;
  arch.exception = "entry_SYSCALL_64";
  arch.interrupt = "do_IRQ";
  arch.page_fault = "do_page_fault";
  arch.system_call = "do_syscall_64";
  arch.exit_to_user = "exit_to_usermode_loop";
  arch.smp = {"native_smp_send_reschedule", "smp_reschedule_interrupt", true};
  arch.make_primitives = [](Layout& layout, cpu::FunctionTable&, cpu::DebugMemory&) {
    return SyncPrimitives{std::make_unique<QueuedLocks>(layout), std::make_unique<NativeAtomics>()};
  };
  return arch;
}

const KernelContext& complete(const KernelContext& context) {
  if (context.ipi_sender == nullptr || context.timer == nullptr)
    throw base::ConfigError("kernel.type",
                            "linux-x86 needs interrupts between CPUs and timers, the machine has none; add a module of "
                            "type x2apic");
  return context;
}

LinuxX86Params scaled(LinuxX86Params params) {
  params.costs.scale_paths(params.path_scale);
  params.ipc.scale_paths(params.path_scale);
  params.process.scale_paths(params.path_scale);
  return params;
}

}  // namespace

struct LinuxX86::Memory {
  Memory(LinuxX86& linux, cpu::TranslationObserver* observer)
      : rest(linux.cpu_count()),
        node(linux.services(), rest),
        flusher(linux.params_.tlb, linux.params_.costs, linux.services(), linux.switch_mm_, linux.smp_,
                linux.mutation_),
        arch(linux.tables_, flusher, linux.switch_mm_),
        services{linux.services(), rest, arch, node, observer, linux.mutation_},
        user(linux.params_.process, services, arch, linux.tables_) {}
  const RestCosts rest;
  MemoryNode node;
  TlbFlusher flusher;
  X86Mm arch;
  const MmServices services;
  UserMemory user;
};

UserMemory* LinuxX86::user_memory() {
  if (memory_ == nullptr) memory_ = std::make_unique<Memory>(*this, context().observer);
  return &memory_->user;
}

LinuxX86::~LinuxX86() = default;

LinuxX86::LinuxX86(const KernelContext& context, const Params& params, FlushMutation mutation)
    : Linux(complete(context), x86_arch(), params.layout, scaled(params).costs),
      params_(scaled(params)),
      switch_mm_(params_.switch_mm, params_.costs, services(), context.observer, mutation),
      tables_(services().layout, *context.memory),
      smp_(make_smp(*context.ipi_sender)),
      mutation_(mutation) {
  boot(params_.scheduler, *context.timer, switch_mm_);
}

void LinuxX86::map_user_page(AddressSpace& mm, Address va, Address pa, UserPage kind) {
  tables_.map_user(mm.root, va, pa, kind == UserPage::text ? kUserText : kUserData | kPteDirty);
}

MmFields LinuxX86::place_mm(const std::string& name, bool user) {
  return switch_mm_.mm_layout().place(services().layout, name, user);
}

void LinuxX86::init_new_context(const AddressSpace& mm, bool user) {
  if (user)
    switch_mm_.init_new_context(*context().memory, mm);
  else
    switch_mm_.set_init_mm(*context().memory, mm);
}

// The boot code has loaded the kernel's page table.
void LinuxX86::setup_cpu(cpu::CpuOps& cpu, const AddressSpace& init_mm) {
  cpu.write_translation_base(init_mm.root, 0);
  switch_mm_.initialize_tlbstate_and_flush(cpu);
}

// The entry code does both with interrupts off: no flush may come between the look at the marks and the write of CR3.
void LinuxX86::enter_from_user(cpu::CpuOps& cpu) {
  const bool interrupts = cpu.set_interrupts(false);
  switch_mm_.switch_to_kernel_cr3(cpu);
  cpu.set_interrupts(interrupts);
}

void LinuxX86::return_to_user(cpu::CpuOps& cpu) {
  const bool interrupts = cpu.set_interrupts(false);
  switch_mm_.switch_to_user_cr3(cpu);
  cpu.set_interrupts(interrupts);
}

}  // namespace switchyard::kernel::x86

// SPDX-License-Identifier: Apache-2.0
#include "kernel/linux_parisc.h"

#include <sstream>

#include "base/errors.h"
#include "cpu/broadcast.h"

namespace switchyard::kernel::parisc {

using cpu::CpuOps;

namespace {

constexpr std::uint64_t kRegisterBytes = 704;  // struct pt_regs of a 64-bit kernel, with the floating-point registers

/// Entry functions: Linux v4.2 arch/parisc/kernel/{entry.S,traps.c,irq.c}. The virtual map is that of the page tables.
LinuxArch parisc_arch(const LinuxPariscParams& params) {
  LinuxArch arch;
  arch.map = kVirtualMap;
  arch.mmap_base = kUserEnd / 2;
  arch.user_end = kUserEnd;
  arch.register_bytes = kRegisterBytes;
  arch.timer_bits = cpu::kSupervisorExternal;
  arch.exception = "intr_save";
  arch.interrupt = "do_cpu_irq_mask";
  arch.system_call = "linux_gateway_entry";
  arch.exit_to_user = "intr_check_resched";
  arch.make_primitives = [params](Layout& layout, cpu::FunctionTable& functions, cpu::DebugMemory& memory) {
    SyncPrimitives primitives;
    auto locks = std::make_unique<LdcwLocks>();
    primitives.atomics =
        std::make_unique<HashedAtomics>(params.atomic_hash, layout, functions, memory, *locks, params.costs);
    primitives.locks = std::move(locks);
    return primitives;
  };
  return arch;
}

const KernelContext& complete(const KernelContext& context) {
  if (context.ipi_sender == nullptr || context.timer == nullptr)
    throw base::ConfigError("kernel.type",
                            "linux-parisc needs interrupts between CPUs and interval timers, the machine has none; add "
                            "a module of type pa-external");
  return context;
}

}  // namespace

LinuxParisc::LinuxParisc(const KernelContext& context, const Params& params, FlushMutation mutation)
    : Linux(complete(context), parisc_arch(params), params.layout, params.costs),
      params_(params),
      tables_(services().layout, *context.memory),
      lws_(params_.lws, services(), *context.memory, params_.costs),
      space_ids_(services(), context.observer),
      smp_(make_smp(*context.ipi_sender)),
      purge_(params_.tlb, services(), *context.memory, tables_, smp_, space_ids_, params_.costs, mutation),
      anon_(services(), tables_, purge_, params_.costs, context.observer),
      fetch_and_add_(services().functions.add("__sync_fetch_and_add_4", cpu::Domain::user)),
      munmap_(services().functions.add("sys_munmap", cpu::Domain::kernel)) {
  cpu::join_broadcast_domain(context.cpus);
  boot(params_.scheduler, *context.timer, space_ids_);
}

// The library function is linked into every program. Data are born dirty: nobody writes them back.
void LinuxParisc::map_user_page(AddressSpace& mm, Address va, Address pa, UserPage kind) {
  if (kind == UserPage::text) {
    const Address library = services().functions[fetch_and_add_].text / kPageSize * kPageSize;
    tables_.map_user(mm.root, library, services().layout.pages().allocate(), kUserText);
  }
  tables_.map_user(mm.root, va, pa, kind == UserPage::text ? kUserText : kUserData | kPteDirty);
}

Task& LinuxParisc::spawn_process(const std::string& name, Body body, const std::vector<UserData>& data,
                                 const std::vector<unsigned>& allowed) {
  Task& task = Linux::spawn_process(name, std::move(body), data, allowed);
  spin_lock_init(anon_.mmap_sem(*task.mm).lock());
  return task;
}

void LinuxParisc::handle_page_fault(CpuOps& cpu, Task& task, Address va, cpu::Access) {
  anon_.do_page_fault(cpu, *task.mm, va);
}

Address LinuxParisc::mmap(Task& task, std::uint64_t size, MapKind kind) {
  AddressSpace& mm = *task.mm;
  if (kind != MapKind::private_anonymous)
    throw base::ConfigError(mm.name, "this kernel models mmap of private memory only; set kind: private");
  const std::uint64_t bytes = round_up(size, kPageSize);
  if (bytes == 0 || bytes > kUserEnd - mm.next_map)
    throw base::ConfigError(mm.name, "cannot map " + std::to_string(size) + " bytes");
  Address start = 0;
  system_call(task, calls().mmap, [&] {
    CpuOps& cpu = task.cpu();
    cpu.execute(params_.costs.call);
    Rwsem sem = anon_.mmap_sem(mm);
    sem.down_write(cpu);
    Vma* area = anon_.unused_area(mm, bytes);
    if (area == nullptr) {
      area = &add_area(mm, mm.next_map, bytes, kind);
      mm.next_map += bytes;
    }
    start = area->start;
    cpu.store(area->object, start);
    cpu.store(mm.fields.mm_mt(), area->object);  // the list and tree of areas
    sem.up_write(cpu);
  });
  return start;
}

void LinuxParisc::munmap(Task& task, Address va, std::uint64_t size) {
  Vma* const area = task.mm->find(va);
  if (area == nullptr || area->kind != MapKind::private_anonymous || area->start != va ||
      area->end - va != round_up(size, kPageSize)) {
    std::ostringstream text;
    text << "munmap of 0x" << std::hex << va << std::dec << ", " << size << " bytes: must be one mapping, as a whole";
    throw base::ConfigError(task.name, text.str());
  }
  system_call(task, munmap_, [&] { anon_.do_munmap(task.cpu(), *task.mm, *area); });
}

std::uint64_t LinuxParisc::atomic_add(Task& task, Address va, std::int64_t delta, unsigned bytes) {
  if (bytes != 4) throw base::ConfigError(task.name, "the gateway page of this kernel adds to words of 4 B only");
  const auto scope = task.cpu().function(fetch_and_add_);
  for (;;) {
    const std::uint64_t old = task.cpu().load(va, 4);
    task.cpu().execute(params_.costs.user_retry);
    const Lws::Result result =
        lws_.compare_and_swap32(task.cpu(), va, old, low_bytes(old + static_cast<std::uint64_t>(delta), 4));
    user_checkpoint(task);
    if (result.error == 0 && result.previous == old) return old;
  }
}

}  // namespace switchyard::kernel::parisc

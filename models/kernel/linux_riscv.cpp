// SPDX-License-Identifier: Apache-2.0
#include "kernel/linux_riscv.h"

#include <sstream>

#include "base/errors.h"

namespace switchyard::kernel::riscv {

using cpu::CpuOps;

namespace {

constexpr std::uint64_t kRegisterBytes = 288;  // struct pt_regs

/// Entry functions: Linux v6.7 arch/riscv/kernel/{entry.S,traps.c}.
LinuxArch riscv_arch() {
  LinuxArch arch;
  arch.map = kVirtualMap;
  arch.mmap_base = kUserEnd / 2;
  arch.user_end = kUserEnd;
  arch.register_bytes = kRegisterBytes;
  arch.page_fault = "do_trap_page_fault";
  arch.system_call = "do_trap_ecall_u";
  return arch;
}

/// What the kernel asks of other CPUs goes through firmware or through a device; refuses a machine that has neither.
const KernelContext& checked(const KernelContext& context, const LinuxRiscvParams& params) {
  if (context.sbi == nullptr)
    throw base::ConfigError("kernel.type", "linux-riscv needs firmware that serves SBI calls, the machine has none");
  if (context.cpus.size() < 2 || context.sbi->offers_ipi()) return context;
  if (params.tlb.remote == RemoteFenceKind::sbi)
    throw base::ConfigError("kernel.params.tlb.remote",
                            "'sbi' leaves fences on other CPUs to firmware, and firmware.type '" + context.firmware +
                                "' does none; use firmware of type opensbi, or remote 'ipi' and a module of type sswi");
  if (context.ipi_sender == nullptr)
    throw base::ConfigError("kernel", "interrupts between " + std::to_string(context.cpus.size()) +
                                          " CPUs need firmware, and firmware.type '" + context.firmware +
                                          "' sends none; use firmware of type opensbi, or add a module of type sswi");
  return context;
}

std::vector<std::uint64_t> clocks(const KernelContext& context) {
  std::vector<std::uint64_t> result;
  for (const cpu::LogicalCpu* cpu : context.cpus) result.push_back(cpu->clock_hz());
  return result;
}

std::unique_ptr<RemoteFence> make_fence(const LinuxRiscvParams& params, interrupt::Sbi& sbi, Smp& smp, LocalTlb& local,
                                        const KernelServices& services) {
  if (params.tlb.remote == RemoteFenceKind::ipi) return std::make_unique<IpiFence>(smp, local, services.functions);
  return std::make_unique<SbiFence>(sbi, services.layout, services.functions, params.costs);
}

}  // namespace

LinuxRiscv::LinuxRiscv(const KernelContext& context, const Params& params, FlushMutation mutation)
    : Linux(checked(context, params), riscv_arch(), params.layout, params.costs),
      params_(params),
      sbi_timer_(*context.sbi),
      sbi_ipi_(*context.sbi),
      rest_(params_.costs, clocks(context)),
      local_tlb_(params_.tlb, services().functions, services().stats),
      smp_(make_smp(context.ipi_sender != nullptr ? *context.ipi_sender : sbi_ipi_)),
      mm_context_(params_.asid, services(), local_tlb_, context.observer, mutation),
      remote_fence_(make_fence(params_, *context.sbi, smp_, local_tlb_, services())),
      flusher_(local_tlb_, *remote_fence_, services().functions, params_.costs, services().stats, cpu_count(),
               mm_context_.use_asids(), mutation),
      batch_(flusher_, services().functions, params_.costs, cpu_count(), mutation),
      tables_(services().layout, *context.memory),
      riscv_mm_(params_.unmap, tables_, local_tlb_, flusher_, batch_),
      node_(services(), rest_),
      mm_{services(), rest_, riscv_mm_, node_, context.observer, mutation},
      swap_(params_.reclaim.swap, params_.reclaim.swap_pages, services()),
      rmap_(mm_),
      shmem_(mm_, swap_),
      reclaim_(params_.reclaim, mm_, rmap_, shmem_),
      fault_(params_.reclaim, mm_, rmap_, shmem_) {
  boot(params_.scheduler, context.timer != nullptr ? *context.timer : sbi_timer_, mm_context_);
}

// Data are born dirty: nobody writes them back, and a first store need not fault.
void LinuxRiscv::map_user_page(AddressSpace& mm, Address va, Address pa, UserPage kind) {
  tables_.map_user(mm.root, va, pa, kind == UserPage::text ? kUserText : kUserData | kPteDirty);
}

void LinuxRiscv::handle_page_fault(CpuOps& cpu, Task& task, Address va, cpu::Access access) {
  fault_.do_page_fault(cpu, task, *task.mm, va, access);
}

Address LinuxRiscv::mmap(Task& task, std::uint64_t size, MapKind kind) {
  const std::uint64_t bytes = round_up(size, kPageSize);
  AddressSpace& mm = *task.mm;
  const Address start = mm.next_map;
  if (bytes == 0 || bytes > kUserEnd - start)
    throw base::ConfigError(mm.name, "cannot map " + std::to_string(size) + " bytes");
  mm.next_map += bytes + kPageSize;
  system_call(task, calls().mmap, [&] {
    CpuOps& cpu = task.cpu();
    down_read(mm_.atomics, cpu, mm.fields.mmap_lock());
    cpu.load(mm.fields.mm_mt());
    Vma& vma = add_area(mm, start, bytes, kind);
    if (kind == MapKind::shared_anonymous) {
      mm.caches.push_back(shmem_.make(mm.name, bytes / kPageSize));
      vma.cache = mm.caches.back().get();
      vma.cache->mapped_in.push_back(&vma);
      cpu.store(vma.cache->i_mmap_root(), vma.object);
    }
    cpu.store(vma.object, start);
    cpu.store(mm.maple_node + 8 * (mm.areas.size() % 16), vma.object);
    up_read(mm_.atomics, cpu, mm.fields.mmap_lock());
  });
  return start;
}

void LinuxRiscv::madvise_pageout(Task& task, Address va, std::uint64_t size) {
  Vma* vma = task.mm->find(va);
  const Address end = va + round_up(size, kPageSize);
  if (vma == nullptr || vma->kind != MapKind::shared_anonymous || va % kPageSize != 0 || end > vma->end) {
    std::ostringstream text;
    text << "madvise(MADV_PAGEOUT) on 0x" << std::hex << va << std::dec << ", " << size
         << " bytes: must lie in one shared anonymous mapping and start on a page";
    throw base::ConfigError(task.name, text.str());
  }
  system_call(task, calls().madvise, [&] { reclaim_.madvise_pageout(task.cpu(), task, *vma, va, end); });
}

}  // namespace switchyard::kernel::riscv

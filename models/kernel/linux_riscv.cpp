// SPDX-License-Identifier: Apache-2.0
#include "kernel/linux_riscv.h"

#include "base/errors.h"
#include "kernel/spinlock.h"

namespace switchyard::kernel::riscv {

using cpu::CpuOps;
using cpu::Domain;
using cpu::Privilege;

namespace {

constexpr std::uint64_t kTextStride = 64;
constexpr Address kIdleText = 6 << 20;  // offset in the kernel text
constexpr Address kUserTextStart = 0x10000;

/// Sets where functions lie before the first part registers its own.
cpu::FunctionTable& with_text(cpu::FunctionTable& functions, const Layout& layout) {
  functions.set_text(Domain::kernel, layout.text(), kTextStride);
  functions.set_text(Domain::idle, layout.text() + kIdleText, kTextStride);
  functions.set_text(Domain::user, kUserTextStart, kPageSize);
  return functions;
}

std::vector<std::uint64_t> clocks(const KernelContext& context) {
  std::vector<std::uint64_t> result;
  for (const cpu::LogicalCpu* cpu : context.cpus) result.push_back(cpu->clock_hz());
  return result;
}

std::unique_ptr<RemoteFence> make_fence(const LinuxRiscvParams& params, const KernelContext& context, Smp& smp,
                                        LocalTlb& local, Layout& layout, cpu::FunctionTable& functions) {
  if (params.tlb.remote == RemoteFenceKind::ipi) return std::make_unique<IpiFence>(smp, local, functions);
  return std::make_unique<SbiFence>(*context.sbi, layout, functions, params.costs);
}

unsigned cpu_count(const KernelContext& context) { return static_cast<unsigned>(context.cpus.size()); }

}  // namespace

LinuxRiscv::SystemCalls::SystemCalls(cpu::FunctionTable& functions)
    : exception(functions.add("handle_exception", Domain::kernel)),
      irq(functions.add("do_irq", Domain::kernel)),
      page_fault(functions.add("do_trap_page_fault", Domain::kernel)),
      ecall(functions.add("do_trap_ecall_u", Domain::kernel)),
      exit_to_user(functions.add("exit_to_user_mode_loop", Domain::kernel)),
      mmap(functions.add("sys_mmap", Domain::kernel)),
      madvise(functions.add("sys_madvise", Domain::kernel)),
      nanosleep(functions.add("sys_clock_nanosleep", Domain::kernel)),
      sched_yield(functions.add("sys_sched_yield", Domain::kernel)),
      setaffinity(functions.add("sys_sched_setaffinity", Domain::kernel)),
      clone(functions.add("sys_clone", Domain::kernel)),
      futex(functions.add("sys_futex", Domain::kernel)),
      tgkill(functions.add("sys_tgkill", Domain::kernel)) {}

LinuxRiscv::LinuxRiscv(const KernelContext& context, const Params& params, FlushMutation mutation)
    : context_(context),
      params_(params),
      layout_(params.layout, kVirtualMap, context.ram_base, context.ram_size, cpu_count(context), context.seed),
      functions_(with_text(*context.functions, layout_)),
      rest_(params_.costs, clocks(context)),
      local_tlb_(params_.tlb, functions_, stats_),
      smp_(layout_, functions_, params_.costs, *context.sbi, context.ipi_sender),
      mm_context_(params_.asid, layout_, functions_, params_.costs, local_tlb_, context.observer, mutation),
      remote_fence_(make_fence(params_, context, smp_, local_tlb_, layout_, functions_)),
      flusher_(local_tlb_, *remote_fence_, functions_, params_.costs, stats_, cpu_count(context),
               mm_context_.use_asids(), mutation),
      batch_(flusher_, functions_, params_.costs, cpu_count(context), mutation),
      tables_(layout_, *context.memory),
      riscv_mm_(params_.unmap, tables_, local_tlb_, flusher_, batch_),
      node_(layout_, functions_, params_.costs, rest_),
      services_{layout_, functions_, params_.costs, rest_, riscv_mm_, node_, stats_, context.observer, mutation},
      swap_(params_.reclaim.swap, params_.reclaim.swap_pages, layout_, functions_, params_.costs),
      rmap_(services_),
      shmem_(services_, swap_),
      reclaim_(params_.reclaim, services_, rmap_, shmem_),
      fault_(params_.reclaim, services_, rmap_, shmem_),
      scheduler_(params_.scheduler, context.cpus, layout_, functions_, params_.costs, *context.sbi, smp_, mm_context_,
                 stats_),
      calls_(functions_) {
  for (cpu::LogicalCpu* cpu : context_.cpus) {
    cpu->set_functions(&functions_);
    cpu->set_supervisor_handler(this);
    cpu->set_fault_handler(this);
  }
  init_mm_ = &make_address_space("init_mm", false);
  make_idle_tasks();
}

void LinuxRiscv::make_idle_tasks() {
  for (unsigned c = 0; c < context_.cpus.size(); ++c) {
    Task& idle = make_task("swapper/" + std::to_string(c));
    idle.calls_root.function = functions_.add("swapper", Domain::idle);
    idle.calls_root.domain = Domain::idle;
    idle.calls_root.text = functions_[idle.calls_root.function].text;
    idle.active_mm = init_mm_;
    scheduler_.start_idle(c, idle, [this](CpuOps& cpu) { boot_cpu(cpu); });
  }
}

void LinuxRiscv::boot_cpu(CpuOps& cpu) {
  cpu.write_translation_base(init_mm_->root, 0);
  cpu.flush_tlb({});
  if (context_.observer != nullptr) context_.observer->switched(cpu, init_mm_->root);
  cpu.set_interrupts(true);
}

AddressSpace& LinuxRiscv::make_address_space(const std::string& name, bool user) {
  auto mm = std::make_unique<AddressSpace>();
  mm->name = name;
  mm->fields.base = layout_.add_slab(name + ".mm_struct", MmFields::size(cpu_count(context_)), MmFields::kAlignment);
  mm->maple_node = layout_.add_slab(name + ".maple_node", 256, 256);
  mm->root = user ? tables_.build_user() : tables_.build_kernel();
  mm->next_map = kUserEnd / 2;
  context_.memory->poke(layout_.physical(mm->fields.pgd()), layout_.linear(mm->root));
  spaces_.push_back(std::move(mm));
  return *spaces_.back();
}

Task& LinuxRiscv::make_task(const std::string& name) {
  auto task = std::make_unique<Task>();
  task->name = name;
  task->id = static_cast<unsigned>(tasks_.size());
  task->task_struct = layout_.add_slab(name + ".task_struct", Thread::kBytes, 64);
  task->stack_end = layout_.add_stack(name + ".stack");
  tasks_.push_back(std::move(task));
  return *tasks_.back();
}

Task& LinuxRiscv::make_user_task(const std::string& name, AddressSpace& mm, Body body) {
  Task& task = make_task(name);
  task.mm = &mm;
  task.user_function = functions_.add(mm.name, Domain::user);
  task.calls_root.function = functions_.add("ret_from_fork", Domain::kernel);
  task.calls_root.domain = Domain::kernel;
  task.calls_root.text = functions_[task.calls_root.function].text;
  task.body = [this, body = std::move(body)](Task& self) {
    const auto scope = self.cpu().function(self.user_function);
    const cpu::PrivilegeScope user(self.cpu(), Privilege::user);
    user_checkpoint(self);
    body(self);
  };
  return task;
}

Task& LinuxRiscv::spawn_process(const std::string& name, Body body) {
  SWITCHYARD_ASSERT(sc_core::sc_get_status() != sc_core::SC_RUNNING, "processes are made before the simulation starts");
  AddressSpace& mm = make_address_space(name, true);
  Task& task = make_user_task(name, mm, std::move(body));
  const Address text = functions_[task.user_function].text / kPageSize * kPageSize;
  add_area(mm, text, kPageSize, MapKind::text);
  tables_.map_user(mm.root, text, layout_.pages().allocate(), kUserText);
  scheduler_.start(task, nullptr);
  return task;
}

Task& LinuxRiscv::spawn_thread(Task& parent, const std::string& name, int pin, Body body) {
  if (pin >= static_cast<int>(context_.cpus.size()))
    throw base::ConfigError(name, "cannot be pinned to CPU " + std::to_string(pin) + ": the machine has " +
                                      std::to_string(context_.cpus.size()));
  Task& task = make_user_task(name, *parent.mm, std::move(body));
  if (pin >= 0) task.pinned = static_cast<unsigned>(pin);
  if (sc_core::sc_get_status() != sc_core::SC_RUNNING) {
    scheduler_.start(task, nullptr);
    return task;
  }
  system_call(parent, calls_.clone, [&] {
    parent.cpu().atomic(cpu::AtomicOp::add, parent.mm->fields.mm_users(), 1, 4);
    scheduler_.start(task, &parent);
  });
  return task;
}

}  // namespace switchyard::kernel::riscv

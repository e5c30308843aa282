// SPDX-License-Identifier: Apache-2.0
#include "kernel/linux.h"

#include "base/errors.h"

namespace switchyard::kernel {

using cpu::CpuOps;
using cpu::Domain;
using cpu::Privilege;

namespace {

constexpr std::uint64_t kTextStride = 64;
constexpr Address kIdleText = 6 << 20;  // offset in the kernel text

/// Sets where functions lie before the first part names its own.
cpu::FunctionTable& with_text(cpu::FunctionTable& functions, const Layout& layout, Address user_text) {
  functions.set_text(Domain::kernel, layout.text(), kTextStride);
  functions.set_text(Domain::idle, layout.text() + kIdleText, kTextStride);
  functions.set_text(Domain::user, user_text, kPageSize);
  return functions;
}

}  // namespace

Linux::SystemCalls::SystemCalls(cpu::FunctionTable& functions, const LinuxArch& arch)
    : exception(functions.add(arch.exception, Domain::kernel)),
      irq(functions.add(arch.interrupt, Domain::kernel)),
      page_fault(functions.add(arch.page_fault, Domain::kernel)),
      system_call(functions.add(arch.system_call, Domain::kernel)),
      exit_to_user(functions.add(arch.exit_to_user, Domain::kernel)),
      mmap(functions.add("sys_mmap", Domain::kernel)),
      madvise(functions.add("sys_madvise", Domain::kernel)),
      nanosleep(functions.add("sys_clock_nanosleep", Domain::kernel)),
      sched_yield(functions.add("sys_sched_yield", Domain::kernel)),
      setaffinity(functions.add("sys_sched_setaffinity", Domain::kernel)),
      clone(functions.add("sys_clone", Domain::kernel)),
      futex(functions.add("sys_futex", Domain::kernel)),
      tgkill(functions.add("sys_tgkill", Domain::kernel)) {}

Linux::Linux(const KernelContext& context, LinuxArch arch, const LayoutParams& layout, const KernelCosts& costs)
    : context_(context),
      arch_(std::move(arch)),
      costs_(costs),
      layout_(layout, arch_.map, context.ram_base, context.ram_size, cpu_count(), context.seed),
      functions_(with_text(*context.functions, layout_, arch_.user_text)),
      primitives_(arch_.make_primitives(layout_, functions_, *context.memory)),
      services_{
          layout_, functions_, costs_, *primitives_.locks, *primitives_.atomics, stats_, Tracepoints(context.trace)},
      task_memory_(layout_) {
  primitives_.atomics->add_stats(stats_);
}

Smp& Linux::make_smp(IpiSender& sender) {
  smp_ = std::make_unique<Smp>(services_, sender, arch_.smp);
  return *smp_;
}

void Linux::boot(const SchedulerParams& params, TimerDevice& timer, MmSwitch& mm_switch) {
  SWITCHYARD_ASSERT(smp_ != nullptr, "the architecture's constructor calls make_smp() first");
  scheduler_ = std::make_unique<Scheduler>(params, context_.cpus, services_, timer, *smp_, mm_switch,
                                           arch_.has_polling_flag, context_.seed);
  scheduler_->set_owner(*this);
  mm_switch_ = &mm_switch;
  for (unsigned c = 0; c < cpu_count(); ++c) spin_lock_init(scheduler_->run_queue(c).lock());
  calls_ = std::make_unique<const SystemCalls>(functions_, arch_);
  for (cpu::LogicalCpu* cpu : context_.cpus) {
    cpu->set_functions(&functions_);
    cpu->set_supervisor_handler(this);
    cpu->set_fault_handler(this);
  }
  primitives_.locks->waits().set_names({[this](unsigned cpu) { return scheduler_->current(cpu).name; },
                                        [this](Address lock) { return layout_.name_of(lock); }});
  init_mm_ = &make_address_space("init_mm", false);
  make_idle_tasks();
}

// Each idle task starts with a reference to init_mm.
void Linux::make_idle_tasks() {
  context_.memory->poke(layout_.physical(init_mm_->fields.mm_count()), 1 + cpu_count(), 4);
  for (unsigned c = 0; c < cpu_count(); ++c) {
    Task& idle = make_task("swapper/" + std::to_string(c));
    idle.calls_root.function = functions_.add("swapper", Domain::idle);
    idle.calls_root.domain = Domain::idle;
    idle.calls_root.text = functions_[idle.calls_root.function].text;
    idle.active_mm = init_mm_;
    context_.memory->poke(layout_.physical(scheduler_->run_queue(c).curr()), idle.task_struct);
    scheduler_->start_idle(c, idle, [this](CpuOps& cpu) { boot_cpu(cpu); });
  }
}

void Linux::boot_cpu(CpuOps& cpu) {
  setup_cpu(cpu, *init_mm_);
  if (context_.observer != nullptr) context_.observer->switched(cpu, init_mm_->root);
  cpu.set_interrupts(true);
}

void Linux::setup_cpu(CpuOps& cpu, const AddressSpace& init_mm) {
  cpu.write_translation_base(init_mm.root, 0);
  cpu.flush_tlb({});
}

MmFields Linux::place_mm(const std::string& name, bool) {
  MmFields fields;
  fields.base = layout_.add_slab(name + ".mm_struct", MmFields::size(cpu_count()), MmFields::kAlignment);
  return fields;
}

AddressSpace& Linux::make_address_space(const std::string& name, bool user) {
  auto mm = std::make_unique<AddressSpace>();
  mm->name = name;
  mm->fields = place_mm(name, user);
  mm->maple_node = layout_.add_slab(name + ".maple_node", 256, 256);
  mm->root = make_page_table(user);
  mm->next_map = arch_.mmap_base;
  context_.memory->poke(layout_.physical(mm->fields.pgd()), layout_.linear(mm->root));
  context_.memory->poke(layout_.physical(mm->fields.mm_users()), 1, 4);
  context_.memory->poke(layout_.physical(mm->fields.mm_count()), 1, 4);
  spin_lock_init(mm->fields.page_table_lock());
  init_new_context(*mm, user);
  spaces_.push_back(std::move(mm));
  return *spaces_.back();
}

Task& Linux::new_task(const std::string& name) {
  tasks_.push_back(std::make_unique<Task>());
  Task& task = *tasks_.back();
  task.name = name;
  task.end.name = name + " to end";
  task.id = static_cast<unsigned>(tasks_.size() - 1);
  task.register_bytes = arch_.register_bytes;
  for (unsigned c = 0; c < cpu_count(); ++c)
    if (scheduler_->online(c)) task.allowed.set(c);
  return task;
}

Task& Linux::make_task(const std::string& name) {
  Task& task = new_task(name);
  task.task_struct = task_memory_.task_struct(name);
  task.stack_end = task_memory_.stack(0, name);
  return task;
}

void Linux::run_user_code(Task& task, const Body& body) {
  try {
    const auto scope = task.cpu().function(task.user_function);
    const cpu::PrivilegeScope user(task.cpu(), Privilege::user);
    user_checkpoint(task);
    body(task);
  } catch (const TaskExit&) {
  }
}

Task& Linux::make_user_task(const std::string& name, AddressSpace& mm, Body body) {
  Task& task = make_task(name);
  task.mm = &mm;
  task.user_function = functions_.add(mm.name, Domain::user);
  set_body(task, std::move(body));
  return task;
}

void Linux::set_body(Task& task, Body body) {
  task.calls_root.function = functions_.add("ret_from_fork", Domain::kernel);
  task.calls_root.domain = Domain::kernel;
  task.calls_root.text = functions_[task.calls_root.function].text;
  task.body = [this, body = std::move(body)](Task& self) {
    if (!self.cancelled) run_user_code(self, body);
    if (self.group->forked) return processes_->do_exit(self);
    if (files_ != nullptr) files_->exit_files(self);
  };
}

Vma& Linux::add_area(AddressSpace& mm, Address start, std::uint64_t size, MapKind kind) {
  auto vma = std::make_unique<Vma>();
  vma->start = start;
  vma->end = start + size;
  vma->kind = kind;
  vma->mm = &mm;
  vma->object = layout_.add_slab(mm.name + ".vm_area_struct", Vma::kBytes, 64);
  vma->lock = layout_.add_slab(mm.name + ".vma_lock", Vma::kLockBytes, 64);
  mm.areas.push_back(std::move(vma));
  return *mm.areas.back();
}

// One area on pages in a row, in the order of the list.
void Linux::place_data(AddressSpace& mm, Address start, const std::vector<UserData>& data) {
  if (data.empty()) return;
  mm.data = data;
  Address end = start;
  for (UserData& region : mm.data) {
    region.va = round_up(end - region.offset, region.alignment) + region.offset;
    end = region.va + region.size;
  }
  const std::uint64_t bytes = round_up(end - start, kPageSize);
  if (start + bytes > arch_.mmap_base)
    throw base::ConfigError(mm.name, "its data do not fit below the address where mappings start");
  const Address pa = layout_.pages().allocate_run(bytes / kPageSize);
  add_area(mm, start, bytes, MapKind::data);
  for (std::uint64_t offset = 0; offset < bytes; offset += kPageSize)
    map_user_page(mm, start + offset, pa + offset, UserPage::data);
  for (std::uint64_t offset = 0; offset < bytes; offset += kPageSize) count_page(pa + offset, 1);
  for (UserData& region : mm.data) {
    region.pa = pa + (region.va - start);
    layout_.add_symbol({mm.name + "." + region.name, region.va, region.pa, region.size, "user data"});
  }
}

void Linux::count_page(Address pa, unsigned references) {
  const Folio folio{layout_.page_struct(pa)};
  context_.memory->poke(layout_.physical(folio.mapcount()), 1, 4);
  context_.memory->poke(layout_.physical(folio.refcount()), references, 4);
}

// Every process that starts with the machine has pages of its own, as if each ran another program.
Address Linux::text_page(const std::string& program) {
  Address& page = text_pages_[program];
  page = layout_.pages().allocate();
  count_page(page, 2);  // one is that of the page cache
  return page;
}

Task& Linux::spawn_process(const std::string& name, Body body, const std::vector<UserData>& data,
                           const std::vector<unsigned>& allowed) {
  SWITCHYARD_ASSERT(sc_core::sc_get_status() != sc_core::SC_RUNNING, "processes are made before the simulation starts");
  AddressSpace& mm = make_address_space(name, true);
  Task& task = make_user_task(name, mm, std::move(body));
  groups_.push_back(std::make_unique<ThreadGroup>());
  task.group = groups_.back().get();
  task.group->leader = &task;
  task.group->threads = 1;
  spin_lock_init(task.pi_lock());
  if (!allowed.empty()) task.allowed = {};
  for (const unsigned c : allowed) {
    check_cpu(name, c);
    task.allowed.set(c);
  }
  const Address text = functions_[task.user_function].text / kPageSize * kPageSize;
  Vma& area = add_area(mm, text, kPageSize, MapKind::text);
  area.file_page = text_page(name);
  map_user_page(mm, text, area.file_page, UserPage::text);
  place_data(mm, text + kPageSize, data);
  start_with_machine(task);
  return task;
}

Task& Linux::spawn_thread(Task& parent, const std::string& name, int pin, Body body) {
  if (pin >= 0) check_cpu(name, static_cast<std::uint64_t>(pin));
  Task& task = make_user_task(name, *parent.mm, std::move(body));
  task.group = parent.group;
  ++task.group->threads;
  task.allowed = parent.allowed;
  if (pin >= 0) {
    task.allowed = {};
    task.allowed.set(static_cast<unsigned>(pin));
  }
  if (sc_core::sc_get_status() != sc_core::SC_RUNNING) {
    spin_lock_init(task.pi_lock());
    add_thread_at_start(*parent.mm);
    start_with_machine(task);
    return task;
  }
  system_call(parent, calls_->clone, [&] {
    services_.locks.spin_lock_init(parent.cpu(), task.pi_lock());
    if (task.group->forked) processes_->add_thread(parent.cpu(), task);
    if (parent.mm->files != 0) services_.atomics.atomic_add(parent.cpu(), FilesStruct{parent.mm->files}.count(), 1);
    services_.atomics.atomic_add(parent.cpu(), parent.mm->fields.mm_users(), 1);
    scheduler_->start(task, &parent);
  });
  return task;
}

void Linux::add_thread_at_start(AddressSpace& mm) {
  ++mm.threads_at_start;
  if (mm.files != 0) context_.memory->poke(layout_.physical(FilesStruct{mm.files}.count()), mm.threads_at_start, 4);
}

void Linux::start_with_machine(Task& task) {
  scheduler_->start(task, nullptr);
  const RunQueue& rq = scheduler_->run_queue(task.last_cpu);
  context_.memory->poke(layout_.physical(rq.nr_running()), rq.running(), 4);
  context_.memory->poke(layout_.physical(task.on_rq()), 1, 4);
}

Address Linux::data(const Task& task, const std::string& name) const {
  for (const UserData& region : task.mm->data)
    if (region.name == name) return region.va;
  throw base::ConfigError(task.mm->name, "has no data '" + name + "'");
}

std::uint64_t Linux::peek(const Task& task, Address va, unsigned bytes) const {
  for (const UserData& region : task.mm->data) {
    if (va < region.va || va - region.va + bytes > region.size) continue;
    const Address mapped = user_page(*task.mm, va);
    return context_.memory->peek(mapped != 0 ? mapped : region.pa + (va - region.va), bytes);
  }
  throw base::ConfigError(task.mm->name, "address " + std::to_string(va) + " is in none of its data");
}

}  // namespace switchyard::kernel

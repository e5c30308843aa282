// SPDX-License-Identifier: Apache-2.0
#include "kernel/files.h"

#include <algorithm>
#include <utility>

#include "base/errors.h"

namespace switchyard::kernel {

using cpu::CpuOps;

Files::Files(const KernelServices& services, cpu::DebugMemory& memory)
    : services_(services),
      memory_(memory),
      null_fops_(services.layout.add_data("null_fops", 256, 64)),
      fget_(services.functions.add("__fget", cpu::Domain::kernel)),
      vfs_read_(services.functions.add("vfs_read", cpu::Domain::kernel)),
      vfs_write_(services.functions.add("vfs_write", cpu::Domain::kernel)),
      fput_(services.functions.add("fput", cpu::Domain::kernel)),
      exit_(services.functions.add("exit_files", cpu::Domain::kernel)) {}

template <class Operation>
auto Files::with_file(Task& task, unsigned descriptor, Operation operation) {
  bool referenced = false;
  const File file = fdget(task.cpu(), task, descriptor, referenced);
  const auto result = operation(file);
  if (referenced) fput(task.cpu(), file);
  return result;
}

File Files::make_file(const std::string& symbol, FileOps* ops, unsigned end) {
  const File file{services_.layout.add_slab(symbol, File::kBytes, File::kBytes), ops, end};
  poke(file.f_op(), null_fops_, 8);
  return file;
}

void Files::make_table(AddressSpace& mm) {
  if (mm.files != 0) return;
  mm.files = services_.layout.add_slab(mm.name + ".files_struct", FilesStruct::kBytes, 64);
  const FilesStruct table{mm.files};
  poke(table.count(), mm.threads_at_start, 4);
  poke(table.fdt(), table.max_fds(), 8);
  poke(table.max_fds(), FilesStruct::kDescriptors, 4);
  poke(table.fd(), table.fd_array(0), 8);
}

unsigned Files::free_descriptor(const AddressSpace& mm) {
  std::vector<File>& files = open_[&mm];
  const auto free = std::find_if(files.begin(), files.end(), [](const File& file) { return file.object == 0; });
  const auto descriptor = static_cast<unsigned>(free - files.begin());
  if (descriptor >= FilesStruct::kDescriptors)
    throw base::ConfigError(mm.name,
                            "cannot have more than " + std::to_string(FilesStruct::kDescriptors) + " open files");
  if (free == files.end()) files.emplace_back();
  return descriptor;
}

unsigned Files::install(AddressSpace& mm, const File& file) {
  const unsigned descriptor = free_descriptor(mm);
  make_table(mm);
  const Address count = services_.layout.physical(file.f_count());
  memory_.poke(count, memory_.peek(count, 8) + 1, 8);
  poke(FilesStruct{mm.files}.fd_array(descriptor), file.object, 8);
  open_[&mm][descriptor] = file;
  return descriptor;
}

// get_unused_fd_flags and fd_install.
unsigned Files::fd_install(CpuOps& cpu, const AddressSpace& mm, const File& file) {
  const FilesStruct table{mm.files};
  const unsigned descriptor = free_descriptor(mm);
  open_[&mm][descriptor] = file;
  const SpinGuard guard(services_.locks, cpu, table.file_lock());
  cpu.load(table.fdt());
  cpu.load(table.open_fds());
  cpu.store(table.open_fds(), 1);
  cpu.store(table.fd_array(descriptor), file.object);
  return descriptor;
}

std::array<File, 2> Files::place_pair(const std::array<std::string, 2>& symbols, FileOps& ops) {
  Layout& layout = services_.layout;
  return {File{layout.add_slab(symbols[0], File::kBytes, File::kBytes), &ops, 0},
          File{layout.add_slab(symbols[1], File::kBytes, File::kBytes), &ops, 1}};
}

std::array<unsigned, 2> Files::open_pair(Task& task, const std::array<File, 2>& pair) {
  make_table(*task.mm);
  CpuOps& cpu = task.cpu();
  std::array<unsigned, 2> descriptors{};
  for (const File& file : pair) {
    for (Address line = 0; line < File::kBytes; line += 64) cpu.store(file.object + line, 0);
    cpu.store(file.f_op(), null_fops_);
    cpu.store(file.f_count(), 1);
    descriptors[file.end] = fd_install(cpu, *task.mm, file);
  }
  return descriptors;
}

void Files::close(Task& task, unsigned descriptor) {
  CpuOps& cpu = task.cpu();
  cpu.execute(services_.costs.call);
  const FilesStruct table{task.mm->files};
  File& open = open_.at(task.mm).at(descriptor);
  const File file = std::exchange(open, {});
  {
    const SpinGuard guard(services_.locks, cpu, table.file_lock());
    cpu.load(table.fdt());
    cpu.load(table.fd_array(descriptor));
    cpu.store(table.fd_array(descriptor), 0);
    cpu.store(table.open_fds(), 0);
  }
  put(task, file);
}

void Files::put(Task& task, const File& file) {
  if (services_.atomics.atomic_add(task.cpu(), file.f_count(), -1, 8) == 0 && file.ops != nullptr)
    file.ops->release(task, file.end);
}

PollEvents Files::poll(Task& task, const PollRequest& request, PollTable& table) {
  return with_file(task, request.descriptor, [&](const File& file) -> PollEvents {
    if (file.ops == nullptr) return request.events & (kPollIn | kPollOut);  // DEFAULT_POLLMASK
    const PollEvents wanted = request.events | kPollError | kPollHangup;
    begin(task.cpu(), file, 64);  // poll
    table.look_at(file.f_count(), wanted);
    return file.ops->poll(task, file.end, table) & wanted;
  });
}

unsigned Files::open(AddressSpace& mm, const std::string& name, unsigned count) {
  make_table(mm);
  unsigned last = 0;
  for (unsigned i = 0; i < count; ++i)
    last = install(mm, make_file(mm.name + "." + name + "[" + std::to_string(i) + "].file", nullptr, 0));
  return last + 1 - count;
}

bool Files::read(Task& task, unsigned descriptor, std::uint64_t bytes) {
  return with_file(task, descriptor, [&](const File& file) { return vfs_read(task, file, bytes); });
}

bool Files::write(Task& task, unsigned descriptor, std::uint64_t bytes) {
  return with_file(task, descriptor, [&](const File& file) { return vfs_write(task, file, bytes); });
}

// __fget_light: who does not share the table with anybody needs no reference.
File Files::fdget(CpuOps& cpu, const Task& task, unsigned descriptor, bool& referenced) {
  const auto scope = cpu.function(fget_);
  cpu.execute(services_.costs.call);
  const FilesStruct files{task.mm->files};
  referenced = cpu.load(files.count(), 4) != 1;
  cpu.load(files.fdt());
  cpu.load(files.max_fds(), 4);
  cpu.load(files.fd());
  const File& file = open_.at(task.mm).at(descriptor);
  cpu.load(files.fd_array(descriptor));
  cpu.load(file.f_mode(), 4);
  if (!referenced) return file;
  for (std::uint64_t count = cpu.load(file.f_count());;) {
    const std::uint64_t old = services_.atomics.cmpxchg(cpu, file.f_count(), count, count + 1);
    if (old == count) return file;
    count = old;
  }
}

void Files::begin(CpuOps& cpu, const File& file, unsigned operation) {
  cpu.load(file.f_mode(), 4);
  cpu.load(file.f_inode());
  cpu.load(cpu.load(file.f_op()) + operation);
}

bool Files::vfs_read(Task& task, const File& file, std::uint64_t bytes) {
  const auto scope = task.cpu().function(vfs_read_);
  begin(task.cpu(), file, 16);  // read
  task.cpu().execute(services_.costs.read);
  if (file.ops == nullptr) return true;
  std::uint64_t left = bytes;
  while (left != 0 && !task.cancelled) {
    const std::uint64_t got = file.ops->read(task, file.end, left);
    if (got == 0) return false;
    left -= got;
  }
  return true;
}

bool Files::vfs_write(Task& task, const File& file, std::uint64_t bytes) {
  const auto scope = task.cpu().function(vfs_write_);
  begin(task.cpu(), file, 24);  // write
  task.cpu().execute(services_.costs.read);
  return file.ops == nullptr || file.ops->write(task, file.end, bytes);
}

void Files::exit_files(Task& task) {
  if (task.mm->files == 0) return;
  const auto scope = task.cpu().function(exit_);
  task.cpu().execute(services_.costs.call);
  if (services_.atomics.atomic_add(task.cpu(), FilesStruct{task.mm->files}.count(), -1) != 0) return;
  for (const File& file : open_.at(task.mm))
    if (file.object != 0) put(task, file);
  if (!task.group->forked) return;
  open_.erase(task.mm);
  free_tables_.push_back(task.mm->files);
}

void Files::dup_fd(CpuOps& cpu, const AddressSpace& from, AddressSpace& to, std::uint64_t path) {
  if (dup_fd_ == 0) dup_fd_ = services_.functions.add("dup_fd", cpu::Domain::kernel);
  const auto scope = cpu.function(dup_fd_);
  cpu.execute(services_.costs.call);
  if (free_tables_.empty())
    free_tables_.push_back(services_.layout.add_slab(to.name + ".files_struct", FilesStruct::kBytes, 64));
  to.files = free_tables_.back();
  free_tables_.pop_back();
  const FilesStruct old{from.files}, made{to.files};
  const SpinGuard guard(services_.locks, cpu, old.file_lock());
  cpu.copy(made.object, old.object, FilesStruct::kBytes);
  cpu.store(made.count(), 1, 4);
  cpu.store(made.file_lock(), services_.locks.unlocked(), 4);
  for (const File& file : open_[&to] = open_.at(&from)) {
    if (file.object == 0) continue;
    cpu.execute(path);
    services_.atomics.atomic_add(cpu, file.f_count(), 1, 8);
  }
}

void Files::move(AddressSpace& from, AddressSpace& to) {
  to.files = std::exchange(from.files, 0);
  open_[&to] = std::move(open_.at(&from));
  open_.erase(&from);
}

void Files::fput(CpuOps& cpu, const File& file) {
  const auto scope = cpu.function(fput_);
  cpu.execute(services_.costs.call);
  services_.atomics.atomic_add(cpu, file.f_count(), -1, 8);
}

}  // namespace switchyard::kernel

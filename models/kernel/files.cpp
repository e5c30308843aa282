// SPDX-License-Identifier: Apache-2.0
#include "kernel/files.h"

#include "base/errors.h"

namespace switchyard::kernel {

using cpu::CpuOps;

Files::Files(const KernelServices& services, cpu::DebugMemory& memory)
    : services_(services),
      memory_(memory),
      null_fops_(services.layout.add_data("null_fops", 256, 64)),
      fget_(services.functions.add("__fget", cpu::Domain::kernel)),
      vfs_read_(services.functions.add("vfs_read", cpu::Domain::kernel)),
      fput_(services.functions.add("fput", cpu::Domain::kernel)) {}

unsigned Files::open(AddressSpace& mm, const std::string& name, unsigned count) {
  const auto poke = [this](Address va, std::uint64_t value, unsigned bytes) {
    memory_.poke(services_.layout.physical(va), value, bytes);
  };
  std::vector<File>& files = open_[&mm];
  if (files.size() + count > FilesStruct::kDescriptors)
    throw base::ConfigError(mm.name, "cannot have " + std::to_string(files.size() + count) + " open files, at most " +
                                         std::to_string(FilesStruct::kDescriptors));
  if (mm.files == 0) {
    mm.files = services_.layout.add_slab(mm.name + ".files_struct", FilesStruct::kBytes, 64);
    const FilesStruct table{mm.files};
    poke(table.count(), 1, 4);
    poke(table.fdt(), table.max_fds(), 8);
    poke(table.max_fds(), FilesStruct::kDescriptors, 4);
    poke(table.fd(), table.fd_array(0), 8);
  }
  const auto first = static_cast<unsigned>(files.size());
  for (unsigned i = 0; i < count; ++i) {
    const std::string symbol = mm.name + "." + name + "[" + std::to_string(i) + "].file";
    const File file{services_.layout.add_slab(symbol, File::kBytes, File::kBytes)};
    poke(file.f_op(), null_fops_, 8);
    poke(file.f_count(), 1, 8);
    poke(FilesStruct{mm.files}.fd_array(first + i), file.object, 8);
    files.push_back(file);
  }
  return first;
}

void Files::read(CpuOps& cpu, const Task& task, unsigned descriptor) {
  bool referenced = false;
  const File file = fdget(cpu, task, descriptor, referenced);
  vfs_read(cpu, file);
  if (referenced) fput(cpu, file);
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
  const File file{cpu.load(files.fd_array(descriptor))};
  cpu.load(file.f_mode(), 4);
  if (!referenced) return file;
  for (std::uint64_t count = cpu.load(file.f_count());;) {
    const std::uint64_t old = services_.atomics.cmpxchg(cpu, file.f_count(), count, count + 1);
    if (old == count) return file;
    count = old;
  }
}

void Files::vfs_read(CpuOps& cpu, const File& file) {
  const auto scope = cpu.function(vfs_read_);
  cpu.load(file.f_mode(), 4);
  cpu.load(file.f_inode());
  cpu.load(cpu.load(file.f_op()) + 16);  // read_null
  cpu.execute(services_.costs.read);
}

void Files::fput(CpuOps& cpu, const File& file) {
  const auto scope = cpu.function(fput_);
  cpu.execute(services_.costs.call);
  services_.atomics.atomic_add(cpu, file.f_count(), -1, 8);
}

}  // namespace switchyard::kernel

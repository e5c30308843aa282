// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "kernel/file_ops.h"
#include "kernel/kernel_services.h"

namespace switchyard::kernel {

/// A struct file. Members: Linux v4.2 include/linux/fs.h, offsets assumed for 64 bits without lock debugging; the
/// size is assumed: an object of filp_cachep, SLAB_HWCACHE_ALIGN.
struct File {
  static constexpr std::uint64_t kBytes = 256;

  Address object = 0;
  FileOps* ops = nullptr;  ///< null: /dev/null
  unsigned end = 0;
  Address f_inode() const { return object + 32; }
  Address f_op() const { return object + 40; }
  Address f_count() const { return object + 56; }
  Address f_mode() const { return object + 68; }
};

/// A struct files_struct with its first fdtable. Source and offsets as File: Linux v4.2 include/linux/fdtable.h.
struct FilesStruct {
  static constexpr std::uint64_t kBytes = 640;
  static constexpr unsigned kDescriptors = 64;  ///< NR_OPEN_DEFAULT

  Address object = 0;
  Address count() const { return object; }
  Address fdt() const { return object + 8; }
  Address max_fds() const { return object + 16; }
  Address fd() const { return object + 24; }
  Address file_lock() const { return object + 64; }
  Address open_fds() const { return object + 80; }
  Address fd_array(unsigned descriptor) const { return object + 88 + 8 * descriptor; }
};

/// Open files, and read(2) and write(2) on them. A thread of a process with more than one takes a reference for the
/// call: atomic_long_inc_not_zero, a loop of cmpxchg, and atomic_long_dec_and_test. Sources: Linux v4.2
/// fs/{file,read_write,file_table}.c, drivers/char/mem.c.
class Files {
 public:
  Files(const KernelServices& services, cpu::DebugMemory& memory);

  /// Opens /dev/null `count` times for a process with one thread, before the simulation; returns the first descriptor.
  unsigned open(AddressSpace& mm, const std::string& name, unsigned count);
  /// A struct file of `ops` that processes can share.
  File make_file(const std::string& symbol, FileOps* ops, unsigned end);
  /// Gives a process a descriptor of a file, before the simulation.
  unsigned install(AddressSpace& mm, const File& file);
  /// Two struct files of `ops`, one for each end, that open_pair() fills in.
  std::array<File, 2> place_pair(const std::array<std::string, 2>& symbols, FileOps& ops);
  /// Descriptors of the two for the process of a task that asks for them.
  std::array<unsigned, 2> open_pair(Task& task, const std::array<File, 2>& pair);
  /// sys_close. The last reference to a file releases what is behind it.
  void close(Task& task, unsigned descriptor);
  /// do_pollfd: which of what is asked for the file is ready for, or that nobody is at the other end any more.
  PollEvents poll(Task& task, const PollRequest& request, PollTable& table);
  /// sys_read and sys_write, inside the system call's frame; both may block. False when not all could be read or
  /// written, because nobody is at the other end any more.
  bool read(Task& task, unsigned descriptor, std::uint64_t bytes);
  bool write(Task& task, unsigned descriptor, std::uint64_t bytes);
  /// A thread ends: with the last one of its process the files are closed.
  void exit_files(Task& task);

  /// Copies the table of a process; `path` are the instructions for each descriptor.
  void dup_fd(cpu::CpuOps& cpu, const AddressSpace& from, AddressSpace& to, std::uint64_t path);
  /// The table goes with a process to its next address space.
  void move(AddressSpace& from, AddressSpace& to);

  File file(const AddressSpace& mm, unsigned descriptor) const { return open_.at(&mm).at(descriptor); }

 private:
  /// Runs operation(file) between fdget and fput.
  template <class Operation>
  auto with_file(Task& task, unsigned descriptor, Operation operation);
  File fdget(cpu::CpuOps& cpu, const Task& task, unsigned descriptor, bool& referenced);
  bool vfs_read(Task& task, const File& file, std::uint64_t bytes);
  bool vfs_write(Task& task, const File& file, std::uint64_t bytes);
  void make_table(AddressSpace& mm);
  /// The lowest descriptor that is free.
  unsigned free_descriptor(const AddressSpace& mm);
  unsigned fd_install(cpu::CpuOps& cpu, const AddressSpace& mm, const File& file);
  void put(Task& task, const File& file);
  void begin(cpu::CpuOps& cpu, const File& file, unsigned operation);
  void fput(cpu::CpuOps& cpu, const File& file);
  void poke(Address va, std::uint64_t value, unsigned bytes) {
    memory_.poke(services_.layout.physical(va), value, bytes);
  }

  const KernelServices services_;
  cpu::DebugMemory& memory_;
  const Address null_fops_;
  const cpu::FunctionId fget_, vfs_read_, vfs_write_, fput_, exit_;
  std::map<const AddressSpace*, std::vector<File>> open_;  ///< by descriptor; without an object: closed
  std::vector<Address> free_tables_;
  cpu::FunctionId dup_fd_ = 0;  ///< named with the first fork
};

}  // namespace switchyard::kernel

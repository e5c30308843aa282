// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel/costs/kernel_costs.h"
#include "kernel/costs/slab_costs.h"

namespace switchyard::kernel {

/// Path lengths of fork, exit, wait and exec, and of user memory: instructions besides the modelled accesses. All are
/// assumed, from the size of the functions, not counted in a compiled kernel. Slab and page allocator come on top.
struct ProcessCosts : base::ParamSet {
  SlabCosts slab;
  std::uint64_t handle_mm_fault = 160;
  std::uint64_t anonymous_page = 220;
  std::uint64_t wp_page = 260;
  std::uint64_t file_page = 200;
  std::uint64_t mmap = 700;
  std::uint64_t munmap = 500;
  std::uint64_t madvise = 200;
  std::uint64_t split_vma = 400;
  std::uint64_t zap_entry = 20;
  std::uint64_t release_page = 60;
  std::uint64_t copy_process = 2600;
  std::uint64_t dup_mm = 900;
  std::uint64_t dup_vma = 350;
  std::uint64_t copy_entry = 30;
  std::uint64_t dup_file = 12;
  std::uint64_t exit = 1800;
  std::uint64_t exit_mmap = 300;
  std::uint64_t remove_vma = 120;
  std::uint64_t wait4 = 350;
  std::uint64_t release_task = 700;
  std::uint64_t execve = 25000;

  void visit(base::ParamVisitor& v) override {
    visit_memory(v);
    visit_processes(v);
  }

  /// As KernelCosts::scale_paths(), for all of them.
  void scale_paths(std::uint64_t thousandths) {
    scale({&slab.allocate,
           &slab.refill,
           &slab.new_slab,
           &slab.free,
           &slab.free_elsewhere,
           &handle_mm_fault,
           &anonymous_page,
           &wp_page,
           &file_page,
           &mmap,
           &munmap,
           &madvise,
           &split_vma,
           &zap_entry,
           &release_page,
           &copy_process,
           &dup_mm,
           &dup_vma,
           &copy_entry,
           &dup_file,
           &exit,
           &exit_mmap,
           &remove_vma,
           &wait4,
           &release_task,
           &execve},
          thousandths);
  }

 private:
  void visit_memory(base::ParamVisitor& v) {
    count_instructions(v, "handle_mm_fault", handle_mm_fault, "Page fault between finding the area and the entry");
    count_instructions(v, "anonymous_page", anonymous_page, "First access to a page of private memory");
    count_instructions(v, "wp_page", wp_page, "Write to a page that is shared after a fork, without copying");
    count_instructions(v, "file_page", file_page, "Access to a page of the page cache that is not mapped yet");
    count_instructions(v, "mmap", mmap, "mmap(2)");
    count_instructions(v, "munmap", munmap, "munmap(2) without its pages");
    count_instructions(v, "madvise", madvise, "madvise(2) without its pages");
    count_instructions(v, "split_vma", split_vma, "Division of an area in two");
    count_instructions(v, "zap_entry", zap_entry, "Look at one entry of a page table that is unmapped");
    count_instructions(v, "release_page", release_page, "Freeing one page besides the page allocator");
    count_instructions(v, "slab_allocate", slab.allocate, "An object from the slab of this CPU");
    count_instructions(v, "slab_refill", slab.refill, "Another slab for this CPU");
    count_instructions(v, "slab_new", slab.new_slab, "A slab from the page allocator");
    count_instructions(v, "slab_free", slab.free, "An object back to the slab of this CPU");
    count_instructions(v, "slab_free_elsewhere", slab.free_elsewhere, "In addition for an object of another slab");
  }
  void visit_processes(base::ParamVisitor& v) {
    count_instructions(v, "copy_process", copy_process, "copy_process without memory and files");
    count_instructions(v, "dup_mm", dup_mm, "Copy of an address space without its areas");
    count_instructions(v, "dup_vma", dup_vma, "Copy of an area, with its anon_vma, without its entries");
    count_instructions(v, "copy_entry", copy_entry, "Copy of one entry of a page table");
    count_instructions(v, "dup_file", dup_file, "Copy of one descriptor");
    count_instructions(v, "exit", exit, "do_exit without memory and files");
    count_instructions(v, "exit_mmap", exit_mmap, "End of an address space without its areas");
    count_instructions(v, "remove_vma", remove_vma, "End of an area without its entries");
    count_instructions(v, "wait4", wait4, "One look for a child that has ended");
    count_instructions(v, "release_task", release_task, "End of a child that was waited for");
    count_instructions(v, "execve", execve, "execve(2) without what is mapped and unmapped");
  }
};

}  // namespace switchyard::kernel

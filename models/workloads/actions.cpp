// SPDX-License-Identifier: Apache-2.0
#include "workloads/actions.h"

namespace switchyard::workloads {

void Mmap::run(Process& process, kernel::Task& task) const {
  const base::Address va = process.kernel().mmap(task, params_.size.value, params_.kind);
  process.add_region(params_.name, task, params_.each, {va, params_.size.value});
}

// The name goes first: another thread may map it again before this one is back.
void Munmap::run(Process& process, kernel::Task& task) const {
  const Process::Region region = process.region(params_.region, task);
  process.remove_region(params_.region, task);
  process.kernel().munmap(task, region.va, region.size);
}

void Touch::run(Process& process, kernel::Task& task) const {
  if (!params_.data.empty())
    return process.kernel().touch(task, process.kernel().data(task, params_.data),
                                  process.data(params_.data).size.value, params_.stride.value, params_.access);
  const Process::Region& region = process.region(params_.region, task);
  process.kernel().touch(task, region.va, region.size, params_.stride.value, params_.access);
}

void Madvise::run(Process& process, kernel::Task& task) const {
  const Process::Region& region = process.region(params_.region, task);
  if (params_.advice == Advice::dontneed) return process.kernel().madvise_dontneed(task, region.va, region.size);
  process.kernel().madvise_pageout(task, region.va, region.size);
}

void Read::run(Process& process, kernel::Task& task) const {
  if (!params_.channel.empty())
    return process.kernel().read(task, process.channel(params_.channel, channel_end()), params_.size.value);
  const Process::Files files = process.files(params_.files);
  const std::uint64_t index = params_.each ? process.thread_index(task) % files.count : 0;
  process.kernel().read(task, files.first + static_cast<unsigned>(index), params_.size.value);
}

void Write::run(Process& process, kernel::Task& task) const {
  process.kernel().write(task, process.channel(params_.channel, channel_end()), params_.size.value);
}

void Nanosleep::run(Process& process, kernel::Task& task) const { process.kernel().nanosleep(task, params_.time.ps); }

void Compute::run(Process& process, kernel::Task& task) const { process.kernel().compute(task, params_.instructions); }

void SchedYield::run(Process& process, kernel::Task& task) const { process.kernel().sched_yield(task); }

}  // namespace switchyard::workloads

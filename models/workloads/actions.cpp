// SPDX-License-Identifier: Apache-2.0
#include "workloads/actions.h"

namespace switchyard::workloads {

namespace {

template <class Params>
unsigned end_of(const Params& params) {
  return static_cast<unsigned>(params.end);
}

}  // namespace

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
    return process.for_channels(params_.channel, params_.which, [&](std::size_t i) {
      process.kernel().read(task, process.channel(params_.channel, end_of(params_), i), params_.size.value);
    });
  const Process::Files files = process.files(params_.files);
  const std::uint64_t index = params_.each ? process.thread_index(task) % files.count : 0;
  process.kernel().read(task, files.first + static_cast<unsigned>(index), params_.size.value);
}

std::vector<ChannelUse> Read::channels_used() const {
  if (params_.channel.empty()) return {};
  return {{params_.channel, end_of(params_)}};
}

void Write::run(Process& process, kernel::Task& task) const {
  process.for_channels(params_.channel, params_.which, [&](std::size_t i) {
    process.kernel().write(task, process.channel(params_.channel, end_of(params_), i), params_.size.value);
  });
}

std::vector<ChannelUse> Write::channels_used() const { return {{params_.channel, end_of(params_)}}; }

void Close::run(Process& process, kernel::Task& task) const {
  process.for_channels(params_.channel, params_.which, [&](std::size_t i) {
    process.kernel().close(task, process.channel(params_.channel, end_of(params_), i));
    process.close_channel(params_.channel, end_of(params_), i);
  });
  process.forget_closed(params_.channel);
}

std::vector<ChannelUse> Close::channels_used() const { return {{params_.channel, end_of(params_)}}; }

void PollFiles::run(Process& process, kernel::Task& task) const {
  kernel::PollSet set;
  for (const PollFileParams& file : params_.files)
    set.files[set.count++] = {process.channel(file.channel, end_of(file)),
                              file.access == cpu::Access::load ? kernel::kPollIn : kernel::kPollOut};
  process.kernel().poll(task, set);
}

std::vector<ChannelUse> PollFiles::channels_used() const {
  std::vector<ChannelUse> result;
  for (const PollFileParams& file : params_.files) result.push_back({file.channel, end_of(file)});
  return result;
}

void Nanosleep::run(Process& process, kernel::Task& task) const { process.kernel().nanosleep(task, params_.time.ps); }

void Compute::run(Process& process, kernel::Task& task) const { process.kernel().compute(task, params_.instructions); }

void SchedYield::run(Process& process, kernel::Task& task) const { process.kernel().sched_yield(task); }

}  // namespace switchyard::workloads

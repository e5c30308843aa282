// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

#include "workloads/action.h"

namespace switchyard::workloads {

inline constexpr std::array<std::string_view, 2> kSharingNames{"shared", "private"};
/// `mmap: {name: p, size: 1 MiB, kind: private}`
struct MmapParams : base::ParamSet {
  std::string name;
  base::Bytes size;
  kernel::MapKind kind = kernel::MapKind::shared_anonymous;
  bool each = false;
  void visit(base::ParamVisitor& v) override {
    v.value({"name", "Name of the region for later steps", "", true}, name);
    v.value({"size", "Length, rounded up to pages", "", true}, size, {1, 1ull << 40});
    v.choice({"kind", "Whether processes that are forked later share it"}, kind, kSharingNames);
    v.value({"each", "The name is of this thread alone: others may map regions of the same name"}, each);
  }
};
/// Maps anonymous memory (mmap with MAP_ANONYMOUS and MAP_SHARED or MAP_PRIVATE); nothing is allocated yet.
class Mmap : public Action {
 public:
  using Params = MmapParams;
  explicit Mmap(const Params& params) : params_(params) {}
  void run(Process& process, kernel::Task& task) const override;
  std::string region_made() const override { return params_.name; }

 private:
  const Params params_;
};

/// `munmap: {region: p}`
struct MunmapParams : base::ParamSet {
  std::string region;
  void visit(base::ParamVisitor& v) override { v.value({"region", "Region to unmap", "", true}, region); }
};
/// munmap(2) of a whole region, whose name can be mapped again.
class Munmap : public Action {
 public:
  using Params = MunmapParams;
  explicit Munmap(const Params& params) : params_(params) {}
  void run(Process& process, kernel::Task& task) const override;
  std::string region_used() const override { return params_.region; }

 private:
  const Params params_;
};

inline constexpr std::array<std::string_view, 2> kTouchNames{"read", "write"};
/// `touch: {region: p, access: read, stride: 4 KiB}`, `touch: {data: footprint, stride: 64 B}`
struct TouchParams : base::ParamSet {
  std::string region;
  std::string data;
  cpu::Access access = cpu::Access::load;
  base::Bytes stride{4096};
  void visit(base::ParamVisitor& v) override {
    v.value({"region", "Region to walk over once"}, region);
    v.value({"data", "Static data of the process to walk over once, in place of a region"}, data);
    v.choice({"access", "What is done at each address"}, access, kTouchNames);
    v.value({"stride", "Distance of the addresses"}, stride, {1, 1ull << 30});
  }
  std::string check() const override {
    return region.empty() == data.empty() ? "needs either a region or data to walk over" : "";
  }
};
/// User code that accesses one byte every `stride` bytes of a region or of static data. A memset is `access: write`
/// with the line size.
class Touch : public Action {
 public:
  using Params = TouchParams;
  explicit Touch(const Params& params) : params_(params) {}
  void run(Process& process, kernel::Task& task) const override;
  std::string region_used() const override { return params_.region; }
  std::string data_used() const override { return params_.data; }

 private:
  const Params params_;
};

enum class Advice : std::uint8_t { pageout, dontneed };
inline constexpr std::array<std::string_view, 2> kAdviceNames{"pageout", "dontneed"};
/// `madvise: {region: p, advice: pageout}`
struct MadviseParams : base::ParamSet {
  std::string region;
  Advice advice = Advice::pageout;
  void visit(base::ParamVisitor& v) override {
    v.value({"region", "Region that the advice is about", "", true}, region);
    v.choice({"advice", "Kind of advice"}, advice, kAdviceNames);
  }
};
/// madvise(2) over a whole region.
class Madvise : public Action {
 public:
  using Params = MadviseParams;
  explicit Madvise(const Params& params) : params_(params) {}
  void run(Process& process, kernel::Task& task) const override;
  std::string region_used() const override { return params_.region; }

 private:
  const Params params_;
};

/// `read: {files: nulls, each: true}`, `read: {channel: back, size: 4 B}`
struct ReadParams : base::ParamSet {
  std::string files;
  bool each = false;
  std::string channel;
  base::Bytes size{1};
  std::uint64_t end = 0;
  Which which = Which::first;
  void visit(base::ParamVisitor& v) override {
    v.value({"files", "Open files of the process"}, files);
    v.value({"each", "Thread i reads file i, modulo their number; else every thread reads the first"}, each);
    v.value({"channel", "Channel to read from, in place of files"}, channel);
    v.value({"size", "Bytes to read, waiting until all are there"}, size, {1, 1ull << 30});
    v.value({"end", "The end of the channel that this process holds; of a pipe, 0 is read"}, end, {0, 1});
    v.choice({"which", "Of several channels of the name: the first, the last, or each in turn"}, which, kWhichNames);
  }
  std::string check() const override {
    return files.empty() == channel.empty() ? "needs either files or a channel to read from" : "";
  }
};
/// read(2) of a file, /dev/null, so that there is nothing to copy; or of a channel.
class Read : public Action {
 public:
  using Params = ReadParams;
  explicit Read(const Params& params) : params_(params) {}
  void run(Process& process, kernel::Task& task) const override;
  std::string files_used() const override { return params_.files; }
  std::vector<ChannelUse> channels_used() const override;
  std::string channel_fault(const ChannelParams& channel) const override {
    return channel.kind == kernel::ChannelKind::pipe && params_.end != 0 ? "end 1 of a pipe is written, end 0 is read"
                                                                         : "";
  }

 private:
  const Params params_;
};

/// `write: {channel: there, size: 4 B}`
struct WriteParams : base::ParamSet {
  std::string channel;
  base::Bytes size{1};
  std::uint64_t end = 1;
  Which which = Which::first;
  void visit(base::ParamVisitor& v) override {
    v.value({"channel", "Channel to write to", "", true}, channel);
    v.value({"size", "Bytes to write"}, size, {1, 1ull << 30});
    v.value({"end", "The end of the channel that this process holds; of a pipe, 1 is written"}, end, {0, 1});
    v.choice({"which", "Of several channels of the name: the first, the last, or each in turn"}, which, kWhichNames);
  }
};
/// write(2) to a channel.
class Write : public Action {
 public:
  using Params = WriteParams;
  explicit Write(const Params& params) : params_(params) {}
  void run(Process& process, kernel::Task& task) const override;
  std::vector<ChannelUse> channels_used() const override;
  std::string channel_fault(const ChannelParams& channel) const override {
    return channel.kind == kernel::ChannelKind::pipe && params_.end != 1 ? "end 0 of a pipe is read, end 1 is written"
                                                                         : "";
  }

 private:
  const Params params_;
};

/// `close: {channel: pairs, end: 0, which: last}`
struct CloseParams : base::ParamSet {
  std::string channel;
  std::uint64_t end = 0;
  Which which = Which::first;
  void visit(base::ParamVisitor& v) override {
    v.value({"channel", "Channel to close an end of", "", true}, channel);
    v.value({"end", "The end that this process closes"}, end, {0, 1});
    v.choice({"which", "Of several channels of the name: the first, the last, or each in turn"}, which, kWhichNames);
  }
};
/// close(2) of an end of a channel. A channel with both ends closed no longer counts among those of its name.
class Close : public Action {
 public:
  using Params = CloseParams;
  explicit Close(const Params& params) : params_(params) {}
  void run(Process& process, kernel::Task& task) const override;
  std::vector<ChannelUse> channels_used() const override;

 private:
  const Params params_;
};

/// `pipe: {channel: there}`, `socketpair: {channel: pairs}`
struct MakeChannelParams : base::ParamSet {
  std::string channel;
  void visit(base::ParamVisitor& v) override {
    v.value({"channel", "Name of the channel for later steps; one more if there is one of that name", "", true},
            channel);
  }
};
/// pipe(2), or socketpair(2) of AF_UNIX stream sockets: the process holds both ends, as do children that it forks.
template <kernel::ChannelKind kind>
class MakeChannel : public Action {
 public:
  using Params = MakeChannelParams;
  explicit MakeChannel(const Params& params) : params_(params) {}
  void run(Process& process, kernel::Task& task) const override {
    process.add_channel(params_.channel, process.kernel().make_channel(task, params_.channel, kind));
  }
  std::string channel_made() const override { return params_.channel; }

 private:
  const Params params_;
};
using MakePipe = MakeChannel<kernel::ChannelKind::pipe>;
using MakeSocketPair = MakeChannel<kernel::ChannelKind::unix_stream>;

inline constexpr std::array<std::string_view, 2> kReadyNames{"read", "write"};
/// `{channel: wake, end: 0, for: read}`
struct PollFileParams : base::ParamSet {
  std::string channel;
  std::uint64_t end = 0;
  cpu::Access access = cpu::Access::load;
  void visit(base::ParamVisitor& v) override {
    v.value({"channel", "Channel to wait for; of several of the name, the first", "", true}, channel);
    v.value({"end", "The end of the channel that this process holds; of a pipe, 0 is read"}, end, {0, 1});
    v.choice({"for", "What it must be possible to do without waiting"}, access, kReadyNames);
  }
};
/// `poll: {files: [{channel: wake}]}`
struct PollParams : base::ParamSet {
  std::vector<PollFileParams> files;
  void visit(base::ParamVisitor& v) override { v.sequence({"files", "What to wait for", "", true}, files); }
  std::string check() const override {
    const std::string count = std::to_string(files.size());
    if (files.empty()) return "files is empty: such a call would never end";
    return files.size() <= kernel::PollSet::kMost
               ? ""
               : count + " files are more than the " + std::to_string(kernel::PollSet::kMost) + " that are modelled";
  }
};
/// poll(2) without a timeout: waits until one of the files is ready, or nobody is at its other end any more.
class PollFiles : public Action {
 public:
  using Params = PollParams;
  explicit PollFiles(const Params& params) : params_(params) {}
  void run(Process& process, kernel::Task& task) const override;
  std::vector<ChannelUse> channels_used() const override;

 private:
  const Params params_;
};

/// `nanosleep: {time: 1 s}`
struct NanosleepParams : base::ParamSet {
  base::Duration time;
  void visit(base::ParamVisitor& v) override { v.value({"time", "Time to sleep", "", true}, time); }
};
/// nanosleep(2).
class Nanosleep : public Action {
 public:
  using Params = NanosleepParams;
  explicit Nanosleep(const Params& params) : params_(params) {}
  void run(Process& process, kernel::Task& task) const override;

 private:
  const Params params_;
};

/// `compute: {instructions: 10000}`
struct ComputeParams : base::ParamSet {
  std::uint64_t instructions = 0;
  void visit(base::ParamVisitor& v) override {
    v.value({"instructions", "User instructions to run", "instructions", true}, instructions, {1, 1e15});
  }
};
/// User code without memory accesses of its own.
class Compute : public Action {
 public:
  using Params = ComputeParams;
  explicit Compute(const Params& params) : params_(params) {}
  void run(Process& process, kernel::Task& task) const override;

 private:
  const Params params_;
};

/// `sched_yield: {}`
struct SchedYieldParams : base::ParamSet {
  void visit(base::ParamVisitor&) override {}
};
/// sched_yield(2).
class SchedYield : public Action {
 public:
  using Params = SchedYieldParams;
  explicit SchedYield(const Params&) {}
  void run(Process& process, kernel::Task& task) const override;
};

}  // namespace switchyard::workloads

// SPDX-License-Identifier: Apache-2.0
// A MESI model in plain C++: private 32 KiB 8-way first levels, a shared inclusive 1 MiB 16-way second level with a
// full-map directory, LRU, 64-byte lines with their bytes. Accesses are atomic and go round the CPUs.
#include <array>
#include <cstring>
#include <memory>
#include <vector>

#include "bench/measure.h"

namespace switchyard::bench {

namespace {

enum State : std::uint8_t { kInvalid, kShared, kExclusive, kModified };
constexpr unsigned kLineBits = 6, kL1Sets = 64, kL1Ways = 8, kL2Sets = 1024, kL2Ways = 16;

struct Line {
  std::uint64_t word[8];
};

struct L1 {
  std::uint64_t tag[kL1Sets][kL1Ways];
  State state[kL1Sets][kL1Ways];
  std::uint32_t age[kL1Sets][kL1Ways];
  std::uint32_t clock = 0;
  std::vector<Line> data{kL1Sets * kL1Ways};
  std::uint64_t cycles = 0;
  L1() {
    std::memset(tag, 0xff, sizeof tag);
    std::memset(state, 0, sizeof state);
    std::memset(age, 0, sizeof age);
  }
};

struct L2 {
  std::uint64_t tag[kL2Sets][kL2Ways];
  std::uint64_t sharers[kL2Sets][kL2Ways];
  int owner[kL2Sets][kL2Ways];
  bool valid[kL2Sets][kL2Ways], dirty[kL2Sets][kL2Ways];
  std::uint32_t age[kL2Sets][kL2Ways];
  std::uint32_t clock = 0;
  std::vector<Line> data{kL2Sets * kL2Ways};
  L2() {
    std::memset(tag, 0xff, sizeof tag);
    std::memset(sharers, 0, sizeof sharers);
    std::memset(valid, 0, sizeof valid);
    std::memset(dirty, 0, sizeof dirty);
    std::memset(age, 0, sizeof age);
    for (auto& set : owner)
      for (int& way : set) way = -1;
  }
};

class System {
 public:
  System(unsigned cpus, std::uint64_t bytes) : memory_(bytes >> kLineBits) {
    for (unsigned i = 0; i < cpus; ++i) l1_.push_back(std::make_unique<L1>());
  }

  std::uint64_t access(unsigned cpu, std::uint64_t address, bool write, std::uint64_t value) {
    L1& l1 = *l1_[cpu];
    const std::uint64_t line = address >> kLineBits;
    const unsigned set = line % kL1Sets;
    int way = find1(l1, line);
    if (way >= 0 && (!write || l1.state[set][way] >= kExclusive)) {
      l1.cycles += 2;
      if (write) l1.state[set][way] = kModified;
    } else {
      way = miss(cpu, line, write, way);
    }
    l1.age[set][way] = ++l1.clock;
    std::uint64_t& word = l1.data[set * kL1Ways + static_cast<unsigned>(way)].word[address >> 3 & 7];
    if (write) word = value;
    return word;
  }

 private:
  static int find1(const L1& l1, std::uint64_t line) {
    const unsigned set = line % kL1Sets;
    for (unsigned way = 0; way < kL1Ways; ++way)
      if (l1.tag[set][way] == line && l1.state[set][way] != kInvalid) return static_cast<int>(way);
    return -1;
  }
  int find2(std::uint64_t line) const {
    const unsigned set = line % kL2Sets;
    for (unsigned way = 0; way < kL2Ways; ++way)
      if (l2_->tag[set][way] == line && l2_->valid[set][way]) return static_cast<int>(way);
    return -1;
  }
  void pull(unsigned cpu, std::uint64_t line, unsigned set2, unsigned way2, bool invalidate) {
    L1& l1 = *l1_[cpu];
    const int way = find1(l1, line);
    if (way < 0) return;
    const unsigned set = line % kL1Sets;
    if (l1.state[set][way] == kModified) {
      l2_->data[set2 * kL2Ways + way2] = l1.data[set * kL1Ways + static_cast<unsigned>(way)];
      l2_->dirty[set2][way2] = true;
    }
    l1.state[set][way] = invalidate ? kInvalid : kShared;
  }
  unsigned fill2(std::uint64_t line) {
    const unsigned set = line % kL2Sets;
    unsigned victim = 0;
    for (unsigned way = 0; way < kL2Ways; ++way) {
      if (!l2_->valid[set][way]) {
        victim = way;
        break;
      }
      if (l2_->age[set][way] < l2_->age[set][victim]) victim = way;
    }
    if (l2_->valid[set][victim]) {
      const std::uint64_t old = l2_->tag[set][victim];
      for (std::uint64_t rest = l2_->sharers[set][victim]; rest != 0; rest &= rest - 1)
        pull(static_cast<unsigned>(__builtin_ctzll(rest)), old, set, victim, true);
      if (l2_->dirty[set][victim]) memory_[old] = l2_->data[set * kL2Ways + victim];
    }
    l2_->tag[set][victim] = line;
    l2_->valid[set][victim] = true;
    l2_->dirty[set][victim] = false;
    l2_->sharers[set][victim] = 0;
    l2_->owner[set][victim] = -1;
    l2_->data[set * kL2Ways + victim] = memory_[line];
    return victim;
  }
  void evict1(unsigned cpu, unsigned set, unsigned way) {
    L1& l1 = *l1_[cpu];
    const std::uint64_t old = l1.tag[set][way];
    const unsigned set2 = old % kL2Sets;
    const int way2 = find2(old);
    if (way2 < 0) return;
    if (l1.state[set][way] == kModified) {
      l2_->dirty[set2][way2] = true;
      l2_->data[set2 * kL2Ways + static_cast<unsigned>(way2)] = l1.data[set * kL1Ways + way];
    }
    l2_->sharers[set2][way2] &= ~(std::uint64_t{1} << cpu);
    if (l2_->owner[set2][way2] == static_cast<int>(cpu)) l2_->owner[set2][way2] = -1;
  }
  [[gnu::noinline]] int miss(unsigned cpu, std::uint64_t line, bool write, int have) {
    L1& l1 = *l1_[cpu];
    const unsigned set = line % kL1Sets, set2 = line % kL2Sets;
    int found = find2(line);
    unsigned latency = 20;
    if (found < 0) {
      found = static_cast<int>(fill2(line));
      latency += 100;
    }
    const auto way2 = static_cast<unsigned>(found);
    l2_->age[set2][way2] = ++l2_->clock;
    const std::uint64_t me = std::uint64_t{1} << cpu;
    const int owner = l2_->owner[set2][way2];
    std::uint64_t& sharers = l2_->sharers[set2][way2];
    if (owner >= 0 && owner != static_cast<int>(cpu)) {
      pull(static_cast<unsigned>(owner), line, set2, way2, write);
      latency += 20;
      l2_->owner[set2][way2] = -1;
      if (write) sharers &= ~(std::uint64_t{1} << owner);
    }
    if (write) {
      for (std::uint64_t rest = sharers & ~me; rest != 0; rest &= rest - 1)
        pull(static_cast<unsigned>(__builtin_ctzll(rest)), line, set2, way2, true);
      sharers = me;
      l2_->owner[set2][way2] = static_cast<int>(cpu);
    }
    l1.cycles += latency;
    if (have >= 0) {
      l1.state[set][have] = kModified;
      return have;
    }
    unsigned way = 0;
    for (unsigned x = 0; x < kL1Ways; ++x) {
      if (l1.state[set][x] == kInvalid) {
        way = x;
        break;
      }
      if (l1.age[set][x] < l1.age[set][way]) way = x;
    }
    if (l1.state[set][way] != kInvalid) evict1(cpu, set, way);
    l1.tag[set][way] = line;
    l1.data[set * kL1Ways + way] = l2_->data[set2 * kL2Ways + way2];
    const bool only = sharers == 0 || sharers == me;
    l1.state[set][way] = write ? kModified : only ? kExclusive : kShared;
    sharers |= me;
    if (!write && only) l2_->owner[set2][way2] = static_cast<int>(cpu);
    return static_cast<int>(way);
  }

  std::vector<std::unique_ptr<L1>> l1_;
  std::unique_ptr<L2> l2_ = std::make_unique<L2>();
  std::vector<Line> memory_;
};

}  // namespace

Result ceiling(Mix mix, unsigned cpus, std::uint64_t accesses) {
  System system(cpus, footprint(cpus));
  std::vector<AccessStream> streams;
  for (unsigned i = 0; i < cpus; ++i) streams.emplace_back(mix, i);
  std::uint64_t sum = 0, value = 0;
  const auto run = [&](std::uint64_t each) {
    for (std::uint64_t n = 0; n < each; ++n)
      for (unsigned cpu = 0; cpu < cpus; ++cpu) {
        const auto access = streams[cpu].next();
        sum += system.access(cpu, access.address, access.store, ++value);
      }
  };
  run(20'000);
  const double start = user_seconds();
  run(accesses / cpus);
  return {user_seconds() - start, accesses / cpus * cpus, static_cast<double>(sum & 0xffff)};
}

}  // namespace switchyard::bench

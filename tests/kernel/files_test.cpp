// SPDX-License-Identifier: Apache-2.0
#include "kernel/files.h"

#include <set>
#include <utility>

#include "base/errors.h"
#include "kernel/arch/parisc/hashed_atomics.h"
#include "kernel/kernel_bench.h"

namespace switchyard::test {

using cpu::AtomicOp;
using kernel::File;
using kernel::Files;
using kernel::FilesStruct;

namespace {

/// Another thread takes a reference before the first cmpxchg.
class OvertakenAtomics : public kernel::NativeAtomics {
 public:
  std::uint64_t cmpxchg(cpu::CpuOps& cpu, Address v, std::uint64_t expected, std::uint64_t value,
                        unsigned bytes) override {
    if (!std::exchange(overtaken_, true)) atomic_add(cpu, v, 1, bytes);
    return NativeAtomics::cmpxchg(cpu, v, expected, value, bytes);
  }

 private:
  bool overtaken_ = false;
};

/// Open files of one process on a recording CPU.
struct FilesTest : KernelBench {
  std::unique_ptr<Files> files;
  kernel::Task task;
  kernel::AddressSpace* mm = nullptr;

  FilesTest() {
    build(1);
    files = std::make_unique<Files>(*basics, *linear);
    mm = &make_mm("main");
    task.mm = mm;
    task.context.cpu = &cpu();
  }
  FilesStruct table() const { return FilesStruct{mm->files}; }
  Address null_fops() { return memory.peek(files->file(*mm, 0).f_op()); }
  Trace table_loads(unsigned descriptor) const {
    return {load(table().count()), load(table().fdt()), load(table().max_fds()), load(table().fd()),
            load(table().fd_array(descriptor))};
  }
};

void append(Trace& trace, const Trace& more) {
  for (const TraceEntry& entry : more.entries()) trace.push_back(entry);
}

/// The locks of __atomic_hash that the reference counts of 16 files in a row use.
struct HashTest : FilesTest {
  kernel::parisc::LdcwLocks ldcw;
  kernel::PariscCosts costs;

  std::size_t locks_of_16_files(std::uint64_t size, std::uint64_t divisor) {
    kernel::parisc::AtomicHashParams hash;
    hash.size = size;
    hash.divisor = {divisor};
    const kernel::parisc::HashedAtomics hashed(hash, *layout, functions, *linear, ldcw, costs);
    const unsigned first = files->open(*mm, "nulls", 16);
    std::set<Address> used;
    for (unsigned i = 0; i < 16; ++i) used.insert(hashed.lock_of(files->file(*mm, first + i).f_count()));
    return used.size();
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(files, FilesTest)

BOOST_AUTO_TEST_CASE(descriptors_follow_each_other_and_files_lie_256_bytes_apart) {
  BOOST_TEST(files->open(*mm, "a", 2) == 0u);
  BOOST_TEST(files->open(*mm, "b", 3) == 2u);
  for (unsigned i = 0; i < 5; ++i) {
    BOOST_TEST(files->file(*mm, i).object % File::kBytes == 0u);
    BOOST_TEST(memory.peek(table().fd_array(i)) == files->file(*mm, i).object);
    BOOST_TEST(memory.peek(files->file(*mm, i).f_count()) == 1u);
  }
}

BOOST_AUTO_TEST_CASE(a_read_of_a_process_with_one_thread_takes_no_reference) {
  files->open(*mm, "nulls", 1);
  const File file = files->file(*mm, 0);
  clear();
  files->read(task, 0, 1);
  Trace expected = table_loads(0);
  append(expected,
         {load(file.f_mode()), load(file.f_mode()), load(file.f_inode()), load(file.f_op()), load(null_fops() + 16)});
  BOOST_TEST(trace() == expected);
}

BOOST_AUTO_TEST_CASE(a_read_of_a_process_with_threads_takes_a_reference_and_drops_it) {
  files->open(*mm, "nulls", 2);
  memory.poke(table().count(), 2, 4);
  const File file = files->file(*mm, 1);
  clear();
  files->read(task, 1, 1);
  Trace expected = table_loads(1);
  append(expected, {load(file.f_mode()), load(file.f_count()), atomic(AtomicOp::compare_swap, file.f_count()),
                    load(file.f_mode()), load(file.f_inode()), load(file.f_op()), load(null_fops() + 16),
                    atomic(AtomicOp::add, file.f_count())});
  BOOST_TEST(trace() == expected);
  BOOST_TEST(memory.peek(file.f_count()) == 1u);
}

BOOST_AUTO_TEST_CASE(a_reference_that_another_thread_takes_meanwhile_costs_one_more_try) {
  OvertakenAtomics overtaken;
  Files slow({*layout, functions, params.costs, locks, overtaken, stats}, *linear);
  mm->files = 0;
  slow.open(*mm, "nulls", 1);
  memory.poke(table().count(), 2, 4);
  clear();
  slow.read(task, 0, 1);
  const Address count = slow.file(*mm, 0).f_count();
  BOOST_TEST(cpu().trace(TraceEntry::Kind::atomic) ==
             (Trace{atomic(AtomicOp::add, count), atomic(AtomicOp::compare_swap, count),
                    atomic(AtomicOp::compare_swap, count), atomic(AtomicOp::add, count)}));
  BOOST_TEST(memory.peek(count) == 2u);
}

BOOST_AUTO_TEST_CASE(more_files_than_a_table_holds_are_refused) {
  files->open(*mm, "a", 60);
  BOOST_CHECK_EXCEPTION(files->open(*mm, "b", 5), base::ConfigError, [](const base::ConfigError& error) {
    return std::string(error.what()) == "main: cannot have more than 64 open files";
  });
}

BOOST_AUTO_TEST_SUITE_END()

// f_count of file k lies at 256 k + 56 from a boundary of 256 B.
BOOST_FIXTURE_TEST_SUITE(atomic_hash_of_files, HashTest)

BOOST_AUTO_TEST_CASE(four_locks_for_blocks_of_64_bytes_are_one_for_all_files) {
  BOOST_TEST(locks_of_16_files(4, 64) == 1u);
}
BOOST_AUTO_TEST_CASE(sixty_four_locks_for_blocks_of_64_bytes_are_one_for_each) {
  BOOST_TEST(locks_of_16_files(64, 64) == 16u);
}
BOOST_AUTO_TEST_CASE(four_locks_for_blocks_of_16_bytes_are_one_for_all) { BOOST_TEST(locks_of_16_files(4, 16) == 1u); }
BOOST_AUTO_TEST_CASE(sixty_four_locks_for_blocks_of_16_bytes_are_four) { BOOST_TEST(locks_of_16_files(64, 16) == 4u); }
BOOST_AUTO_TEST_CASE(four_locks_for_blocks_of_128_bytes_are_two) { BOOST_TEST(locks_of_16_files(4, 128) == 2u); }
BOOST_AUTO_TEST_CASE(sixty_four_locks_for_blocks_of_128_bytes_are_one_for_each) {
  BOOST_TEST(locks_of_16_files(64, 128) == 16u);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

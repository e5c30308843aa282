// SPDX-License-Identifier: Apache-2.0
#include "workloads/data.h"

#include <bit>

#include "base/errors.h"
#include "kernel/atomic_ops.h"

namespace switchyard::workloads {

namespace {

std::string bytes_text(std::uint64_t bytes) { return std::to_string(bytes) + " B"; }

/// The number that the low `bytes` bytes of `word` hold.
std::int64_t sign_extended(std::uint64_t word, std::uint64_t bytes) {
  const auto unused = static_cast<unsigned>(64 - 8 * bytes);
  return static_cast<std::int64_t>(word << unused) >> unused;
}

/// Empty if a word of `bytes` bytes can hold `value`, taken as signed or as unsigned.
std::string width_fault(std::int64_t value, std::uint64_t bytes) {
  if (!std::has_single_bit(bytes)) return "width must be a power of two, got " + bytes_text(bytes);
  const bool fits = bytes == 8 || sign_extended(static_cast<std::uint64_t>(value), bytes) == value ||
                    (value >= 0 && static_cast<std::uint64_t>(value) >> (8 * bytes) == 0);
  return fits ? "" : "value " + std::to_string(value) + " does not fit into " + bytes_text(bytes);
}

}  // namespace

std::string DataParams::check() const {
  if (!std::has_single_bit(alignment.value))
    return "alignment must be a power of two, got " + bytes_text(alignment.value);
  if (offset.value >= alignment.value)
    return "offset must be less than alignment, got " + bytes_text(offset.value) + " of " + bytes_text(alignment.value);
  return "";
}

std::string AtomicAddParams::check() const {
  if (const std::string fault = width_fault(value, width.value); !fault.empty()) return fault;
  if (stride.value % width.value != 0)
    return "stride must be a multiple of width, got " + bytes_text(stride.value) + " and " + bytes_text(width.value);
  return "";
}

std::string AtomicAdd::data_fault(const DataParams& data) const {
  const std::uint64_t width = params_.width.value;
  const std::uint64_t offset = params_.offset.value;
  if (offset > data.size.value || data.size.value - offset < width)
    return bytes_text(width) + " at offset " + bytes_text(offset) + " lie beyond its " + bytes_text(data.size.value);
  if (data.alignment.value % width != 0 || (data.offset.value + offset) % width != 0)
    return bytes_text(width) + " at offset " + bytes_text(offset) +
           " are not aligned there; its alignment and offset and this offset must be multiples of the width";
  return "";
}

void AtomicAdd::run(Process& process, kernel::Task& task) const {
  const DataParams& data = process.data(params_.data);
  const std::uint64_t width = params_.width.value;
  const std::uint64_t thread = process.thread_index(task);
  const std::uint64_t last = data.size.value - width;
  if (params_.stride.value != 0 && thread > (last - params_.offset.value) / params_.stride.value)
    throw base::CheckError("workload: atomic_add: the word of thread " + std::to_string(thread) + " of '" + task.name +
                           "' lies beyond the " + bytes_text(data.size.value) + " of data '" + params_.data + "'");
  const base::Address va =
      process.kernel().data(task, params_.data) + params_.offset.value + params_.stride.value * thread;
  process.kernel().atomic_add(task, va, params_.value, static_cast<unsigned>(width));
}

std::string ExpectParams::check() const { return width_fault(value, width.value); }

std::string Expect::data_fault(const DataParams& data) const {
  if (data.size.value % params_.width.value == 0) return "";
  return "its " + bytes_text(data.size.value) + " are no multiple of " + bytes_text(params_.width.value);
}

void Expect::run(Process& process, kernel::Task& task) const {
  const auto width = static_cast<unsigned>(params_.width.value);
  const std::uint64_t wanted = kernel::low_bytes(static_cast<std::uint64_t>(params_.value), width);
  const base::Address start = process.kernel().data(task, params_.data);
  const std::uint64_t words = process.data(params_.data).size.value / width;
  for (std::uint64_t i = 0; i < words; ++i) {
    const std::uint64_t word = kernel::low_bytes(process.kernel().peek(task, start + i * width, width), width);
    if (word == wanted) continue;
    throw base::CheckError("workload: expect: word " + std::to_string(i) + " of data '" + params_.data + "' is " +
                           std::to_string(sign_extended(word, width)) + ", expected " +
                           std::to_string(sign_extended(wanted, width)));
  }
}

}  // namespace switchyard::workloads

// SPDX-License-Identifier: Apache-2.0
#include "memory/memory.h"

#include <algorithm>

#include "memory/hierarchy.h"

namespace switchyard::test {

using Bytes = std::vector<std::uint8_t>;

namespace {

/// 256 KiB at 0x80000000, 100 ns, with a device at it.
struct MemoryTest : SimTest {
  static constexpr Address kBase = 0x80000000, kSize = 256 * 1024, kEnd = kBase + kSize;
  memory::Memory ram{"ram", params()};
  Device device{"device"};

  MemoryTest() {
    bind_ports({&device.out, nullptr}, ram.target("in"));
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
  static memory::MemoryParams params() {
    memory::MemoryParams p;
    p.size = {kSize};
    return p;
  }
  Bytes read(Address pa, unsigned bytes) {
    Bytes data(bytes, 0xee);
    BOOST_TEST(device.transport(tlm::TLM_READ_COMMAND, pa, data.data(), bytes) == tlm::TLM_OK_RESPONSE);
    return data;
  }
  tlm::tlm_response_status masked(tlm::tlm_command command, Address pa, Bytes& data, Bytes enable) {
    tlm::tlm_generic_payload tx;
    Device::fill(tx, command, pa, data.data(), static_cast<unsigned>(data.size()));
    tx.set_byte_enable_ptr(enable.data());
    tx.set_byte_enable_length(static_cast<unsigned>(enable.size()));
    sc_core::sc_time delay;
    device.out->b_transport(tx, delay);
    return tx.get_response_status();
  }
};

Bytes counting(unsigned bytes) {
  Bytes data(bytes);
  for (unsigned i = 0; i < bytes; ++i) data[i] = static_cast<std::uint8_t>(i * 7 + 1);
  return data;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(flat_memory, MemoryTest)

BOOST_AUTO_TEST_CASE(unwritten_bytes_are_zero) {
  BOOST_TEST(read(kBase, 16) == Bytes(16), boost::test_tools::per_element());
  BOOST_TEST(read(kEnd - 8, 8) == Bytes(8), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(what_was_written_is_read_at_any_alignment_and_length) {
  for (const unsigned length : {1u, 2u, 3u, 8u, 17u, 64u, 1000u})
    for (const Address offset : {Address{0}, Address{5}, Address{65536 - 3}, kSize - 1000}) {
      Bytes data = counting(length);
      BOOST_TEST(device.transport(tlm::TLM_WRITE_COMMAND, kBase + offset, data.data(), length) == tlm::TLM_OK_RESPONSE);
      BOOST_TEST(read(kBase + offset, length) == data, boost::test_tools::per_element());
    }
}

BOOST_AUTO_TEST_CASE(an_access_across_storage_chunks_is_one_access) {
  Bytes data = counting(200'000);
  device.transport(tlm::TLM_WRITE_COMMAND, kBase + 100, data.data(), 200'000);
  BOOST_TEST(device.took_ps == 100'000u);
  BOOST_TEST((read(kBase + 100, 200'000) == data));
  BOOST_TEST(CacheTest::count(ram, "writes") == 1u);
  BOOST_TEST(CacheTest::count(ram, "reads") == 1u);
}

BOOST_AUTO_TEST_CASE(an_access_takes_the_latency_on_top_of_what_was_annotated) {
  device.ahead_ps = 5;
  device.read(kBase);
  BOOST_TEST(device.took_ps == 100'000u);
}

BOOST_AUTO_TEST_CASE(addresses_outside_get_an_address_error_and_change_nothing) {
  std::uint64_t value = 0x1111;
  for (const Address pa : {Address{0}, kBase - 1, kBase - 8, kEnd, kEnd + 1, ~Address{0}, ~Address{0} - 7}) {
    BOOST_TEST(device.transport(tlm::TLM_READ_COMMAND, pa, &value, 8) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    BOOST_TEST(device.transport(tlm::TLM_WRITE_COMMAND, pa, &value, 8) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    BOOST_TEST(device.debug(tlm::TLM_READ_COMMAND, pa, &value, 8) == 0u);
  }
  BOOST_TEST(value == 0x1111u);
  BOOST_TEST(device.took_ps == 0u);
}

BOOST_AUTO_TEST_CASE(an_access_that_crosses_the_end_is_refused_as_a_whole) {
  device.write(kEnd - 8, 0x77);
  std::uint64_t value = 0xabcdef;
  BOOST_TEST(device.transport(tlm::TLM_WRITE_COMMAND, kEnd - 7, &value, 8) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  BOOST_TEST(device.transport(tlm::TLM_READ_COMMAND, kEnd - 4, &value, 8) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  BOOST_TEST(value == 0xabcdefu);
  BOOST_TEST(device.read(kEnd - 8) == 0x77u);
}

BOOST_AUTO_TEST_CASE(byte_enables_select_the_bytes_of_a_write) {
  Bytes before(8, 0x11), data = counting(8);
  device.transport(tlm::TLM_WRITE_COMMAND, kBase, before.data(), 8);
  BOOST_TEST(masked(tlm::TLM_WRITE_COMMAND, kBase, data, {0xff, 0, 0, 0xff, 0xff, 0, 0, 0}) == tlm::TLM_OK_RESPONSE);
  BOOST_TEST(read(kBase, 8) == (Bytes{data[0], 0x11, 0x11, data[3], data[4], 0x11, 0x11, 0x11}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(byte_enables_select_the_bytes_of_a_read) {
  Bytes stored = counting(4), data(4, 0xaa);
  device.transport(tlm::TLM_WRITE_COMMAND, kBase, stored.data(), 4);
  masked(tlm::TLM_READ_COMMAND, kBase, data, {0, 0xff, 0, 0xff});
  BOOST_TEST(data == (Bytes{0xaa, stored[1], 0xaa, stored[3]}), boost::test_tools::per_element());
  Bytes unwritten(4, 0xaa);
  masked(tlm::TLM_READ_COMMAND, kBase + 0x20000, unwritten, {0, 0xff, 0, 0xff});
  BOOST_TEST(unwritten == (Bytes{0xaa, 0, 0xaa, 0}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(short_byte_enables_repeat) {
  Bytes data = counting(6);
  masked(tlm::TLM_WRITE_COMMAND, kBase, data, {0, 0xff});
  BOOST_TEST(read(kBase, 6) == (Bytes{0, data[1], 0, data[3], 0, data[5]}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_transaction_without_bytes_moves_none) {
  std::uint64_t value = 0x55;
  BOOST_TEST(device.transport(tlm::TLM_WRITE_COMMAND, kBase, &value, 0) == tlm::TLM_OK_RESPONSE);
  BOOST_TEST(device.transport(tlm::TLM_READ_COMMAND, kBase, &value, 0) == tlm::TLM_OK_RESPONSE);
  BOOST_TEST(value == 0x55u);
  BOOST_TEST(device.read(kBase) == 0u);
}

BOOST_AUTO_TEST_CASE(the_ignore_command_moves_no_data_and_takes_no_time) {
  device.write(kBase, 0x55);
  std::uint64_t value = 0x66;
  BOOST_TEST(device.transport(tlm::TLM_IGNORE_COMMAND, kBase, &value, 8) == tlm::TLM_OK_RESPONSE);
  BOOST_TEST(device.took_ps == 0u);
  BOOST_TEST(value == 0x66u);
  BOOST_TEST(device.read(kBase) == 0x55u);
  BOOST_TEST(CacheTest::count(ram, "reads") == 1u);
  BOOST_TEST(CacheTest::count(ram, "writes") == 1u);
}

BOOST_AUTO_TEST_CASE(debug_accesses_take_no_time_and_are_not_counted) {
  device.poke(kBase + 8, 0x0123456789abcdef);
  BOOST_TEST(device.peek(kBase + 8) == 0x0123456789abcdefu);
  BOOST_TEST(device.read(kBase + 8) == 0x0123456789abcdefu);
  BOOST_TEST(CacheTest::count(ram, "reads") == 1u);
  BOOST_TEST(CacheTest::count(ram, "writes") == 0u);
}

BOOST_AUTO_TEST_CASE(a_nonblocking_request_is_completed_at_once_with_its_time) {
  std::uint64_t value = 0;
  device.poke(kBase, 0x99);
  tlm::tlm_generic_payload tx;
  Device::fill(tx, tlm::TLM_READ_COMMAND, kBase, &value, 8);
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay;
  BOOST_TEST(device.out->nb_transport_fw(tx, phase, delay) == tlm::TLM_COMPLETED);
  BOOST_TEST(value == 0x99u);
  BOOST_TEST(sim::to_ps(delay) == 100'000u);
  BOOST_TEST(tx.get_response_status() == tlm::TLM_OK_RESPONSE);
}

BOOST_AUTO_TEST_CASE(there_is_no_direct_access) {
  tlm::tlm_generic_payload tx;
  tlm::tlm_dmi dmi;
  BOOST_TEST(!device.out->get_direct_mem_ptr(tx, dmi));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(memory_params)

BOOST_AUTO_TEST_CASE(memory_refuses_what_it_cannot_be) {
  memory::MemoryParams p;
  BOOST_TEST(p.check() == "");
  p.latency = base::cycles(3);
  BOOST_TEST(p.check() == "latency must be a time such as `100 ns`, not cycles");
  p = {};
  p.size = {4097};
  BOOST_TEST(p.check() == "size must be a multiple of 4 KiB, got 4097 B");
  p = {};
  p.base = ~Address{0} - 4095;
  p.size = base::kib(8);
  BOOST_TEST(p.check() == "base + size goes beyond the 64-bit address space");
}

BOOST_AUTO_TEST_CASE(a_cache_refuses_lines_and_sizes_that_do_not_fit_and_says_the_values) {
  CacheParams p;
  BOOST_TEST(p.check() == "");
  p.line = {48};
  BOOST_TEST(p.check() == "line must be a power of two, got 48 B");
  p = {};
  p.size = {1000};
  BOOST_TEST(p.check() == "size 1000 B is not a whole number of sets of 8 lines of 64 B");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/test/unit_test.hpp>
#include <cstring>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "memory/bus.h"
#include "memory/cache.h"
#include "memory/memory.h"
#include "support/sim_test.h"

namespace switchyard::memory {

inline std::ostream& operator<<(std::ostream& out, LineState state) {
  return out << "ISEM"[static_cast<unsigned>(state)];
}

}  // namespace switchyard::memory

namespace switchyard::test {

using base::Address;
using memory::Cache;
using memory::CacheParams;
using memory::LineState;

/// An initiator that sends plain transactions, as a DMA engine does.
class Device : public sc_core::sc_module, tlm::tlm_bw_transport_if<> {
 public:
  InitiatorSocket out{"out"};
  std::uint64_t ahead_ps = 0;  ///< annotated at the start of each access
  std::uint64_t took_ps = 0;   ///< of the last access

  explicit Device(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {
    out.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
  }
  tlm::tlm_response_status transport(tlm::tlm_command command, Address pa, void* data, unsigned bytes) {
    tlm::tlm_generic_payload tx;
    fill(tx, command, pa, data, bytes);
    sc_core::sc_time delay = sim::from_ps(ahead_ps);
    out->b_transport(tx, delay);
    took_ps = sim::to_ps(delay) - ahead_ps;
    return tx.get_response_status();
  }
  std::uint64_t read(Address pa, unsigned bytes = 8) {
    std::uint64_t value = 0;
    BOOST_TEST(transport(tlm::TLM_READ_COMMAND, pa, &value, bytes) == tlm::TLM_OK_RESPONSE);
    return value;
  }
  void write(Address pa, std::uint64_t value, unsigned bytes = 8) {
    BOOST_TEST(transport(tlm::TLM_WRITE_COMMAND, pa, &value, bytes) == tlm::TLM_OK_RESPONSE);
  }
  unsigned debug(tlm::tlm_command command, Address pa, void* data, unsigned bytes) {
    tlm::tlm_generic_payload tx;
    fill(tx, command, pa, data, bytes);
    return out->transport_dbg(tx);
  }
  std::uint64_t peek(Address pa, unsigned bytes = 8) {
    std::uint64_t value = 0;
    BOOST_TEST(debug(tlm::TLM_READ_COMMAND, pa, &value, bytes) == bytes);
    return value;
  }
  void poke(Address pa, std::uint64_t value, unsigned bytes = 8) {
    BOOST_TEST(debug(tlm::TLM_WRITE_COMMAND, pa, &value, bytes) == bytes);
  }
  static void fill(tlm::tlm_generic_payload& tx, tlm::tlm_command command, Address pa, void* data, unsigned bytes) {
    tx.set_command(command);
    tx.set_address(pa);
    tx.set_data_ptr(static_cast<unsigned char*>(data));
    tx.set_data_length(bytes);
    tx.set_streaming_width(bytes);
    tx.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  }

 private:
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) override {
    return tlm::TLM_COMPLETED;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
};

/// What a CPU is to its first-level cache: asks for lines, then reads and writes the bytes there. Takes no time itself.
class Agent : public Device {
 public:
  tlm::tlm_response_status status = tlm::TLM_OK_RESPONSE;  ///< of the last access
  LatencyBreakdown spent;                                  ///< of the last access
  std::uint64_t fills = 0;
  std::uint64_t* now_ps = nullptr;  ///< where accesses start; moved to the end of those that go to memory

  Agent(const sc_core::sc_module_name& name, unsigned id, Cache& l1) : Device(name), id_(id), l1_(l1) {
    tx_.set_extension(&ext_);
    fill(tx_, tlm::TLM_IGNORE_COMMAND, 0, nullptr, 1);
  }
  ~Agent() override { tx_.clear_extension(&ext_); }

  void set_check(memory::CoherenceCheck* check) { check_ = check; }
  Cache& l1() { return l1_; }
  LineState state(Address pa) {
    const std::size_t slot = l1_.array().find(pa);
    return slot == memory::CacheArray::kNone ? LineState::invalid : l1_.array().state(slot);
  }
  std::uint64_t load(Address pa, unsigned bytes = 8) {
    std::uint64_t value = 0;
    if (const std::uint8_t* at = reach(pa, LineState::shared)) std::memcpy(&value, at, bytes);
    if (check_ != nullptr && status == tlm::TLM_OK_RESPONSE) check_->read(id_, pa, value, bytes);
    return value;
  }
  void store(Address pa, std::uint64_t value, unsigned bytes = 8) {
    if (std::uint8_t* at = reach(pa, LineState::exclusive)) std::memcpy(at, &value, bytes);
    if (check_ != nullptr && status == tlm::TLM_OK_RESPONSE) check_->wrote(pa, value, bytes);
  }
  /// The bytes of `pa` with the rights of `need`; null, and `status` set, where the bus refuses the address.
  std::uint8_t* reach(Address pa, LineState need) {
    spent = {};
    took_ps = 0;
    status = tlm::TLM_OK_RESPONSE;
    std::size_t slot;
    while ((slot = l1_.array().settled_hit(pa, need)) == memory::CacheArray::kNone) {
      ask(pa, need);
      if (status != tlm::TLM_OK_RESPONSE) return nullptr;
    }
    if (need == LineState::exclusive) l1_.array().set_state(slot, LineState::modified);
    return l1_.array().byte(slot, pa);
  }

 private:
  void ask(Address pa, LineState need) {
    ++fills;
    ext_.request = need == LineState::shared ? Coherence::read_shared : Coherence::read_unique;
    ext_.spent = {};
    tx_.set_address(pa);
    const std::uint64_t start = ahead_ps + (now_ps != nullptr ? *now_ps : 0);
    sc_core::sc_time delay = sim::from_ps(start);
    out->b_transport(tx_, delay);
    took_ps = sim::to_ps(delay) - start;
    spent = ext_.spent;
    status = tx_.get_response_status();
    if (now_ps != nullptr && spent.memory != 0) *now_ps = sim::to_ps(delay);
  }

  unsigned id_;
  Cache& l1_;
  tlm::tlm_generic_payload tx_;
  CoherenceExtension ext_;
  memory::CoherenceCheck* check_ = nullptr;
};

/// Caches above a bus (10 ns) with memory (100 ns) at address 0. Everything runs outside of processes and at one
/// instant, but for lines from memory, which are waited for.
struct CacheTest : SimTest {
  static constexpr std::uint64_t kNs = 1000, kBus = 10 * kNs, kRam = 100 * kNs;

  memory::Bus bus{"bus", bus_params()};
  memory::Memory ram{"ram", ram_params()};
  memory::CoherenceCheck check;
  std::uint64_t now_ps = 0;  ///< end of the last access that went to memory
  std::vector<std::unique_ptr<Cache>> caches;
  std::vector<std::unique_ptr<Agent>> agents;
  std::vector<std::unique_ptr<Device>> devices;
  std::function<Module::Target()> bottom = [this] { return bus.target("in"); };  ///< below the last caches

  CacheTest() {
    bind_ports(bus.initiator("out"), ram.target("in"));
    bus.route("out", ram.address_range());
  }
  static memory::BusParams bus_params() {
    memory::BusParams p;
    p.latency = base::nanoseconds(10);
    return p;
  }
  static memory::MemoryParams ram_params() {
    memory::MemoryParams p;
    p.base = 0;
    p.size = base::mib(1);
    p.latency = base::nanoseconds(100);
    return p;
  }
  /// `lines` lines in sets of `ways`; latency and transfer in cycles of 1 GHz.
  static CacheParams params(std::uint64_t lines, std::uint64_t ways, std::uint64_t line = 64, std::uint64_t latency = 3,
                            std::uint64_t transfer = 0) {
    CacheParams p;
    p.size = {lines * line};
    p.ways = ways;
    p.line = {line};
    p.latency = base::cycles(latency);
    p.transfer = base::cycles(transfer);
    return p;
  }
  static CacheParams l2_params() { return params(256, 8, 64, 12, 20); }

  /// A cache above `below`, or above the bottom.
  Cache& add_cache(const CacheParams& p, Cache* below = nullptr) {
    const std::string name = "cache" + std::to_string(caches.size());
    caches.push_back(std::make_unique<Cache>(name.c_str(), p));
    bind_ports(caches.back()->initiator("mem"), below != nullptr ? below->target("cpu") : bottom());
    return *caches.back();
  }
  Agent& add_agent(Cache& l1) {
    const auto id = static_cast<unsigned>(agents.size());
    agents.push_back(std::make_unique<Agent>(("agent" + std::to_string(id)).c_str(), id, l1));
    agents.back()->now_ps = &now_ps;
    bind_ports({&agents.back()->out, nullptr}, l1.target("cpu"));
    return *agents.back();
  }
  Device& add_device(Module::Target target) {
    devices.push_back(std::make_unique<Device>(("device" + std::to_string(devices.size())).c_str()));
    bind_ports({&devices.back()->out, nullptr}, target);
    return *devices.back();
  }
  /// `count` agents with private first levels above one second level, started.
  void build(unsigned count, const CacheParams& l1 = params(16, 4), const CacheParams& l2 = l2_params()) {
    Cache& below = add_cache(l2);
    for (unsigned i = 0; i < count; ++i) add_agent(add_cache(l1, &below));
    add_device(bus.target("in"));
    start();
  }
  void start() {
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    for (const auto& cache : caches) {
      BOOST_TEST_REQUIRE(cache->check_wiring() == "");
      cache->set_check(&check);
    }
    for (const auto& agent : agents) agent->set_check(&check);
  }
  Cache& l2() { return *caches.front(); }
  /// What memory holds, past all caches.
  std::uint64_t in_ram(Address pa, unsigned bytes = 8) { return devices.front()->peek(pa, bytes); }
  /// The state of the line of `pa` in each agent's cache, as text: "MI", "SS".
  std::string states(Address pa) {
    std::string text;
    for (const auto& agent : agents) text += "ISEM"[static_cast<unsigned>(agent->state(pa))];
    return text;
  }
  static std::uint64_t count(const Module& module, const std::string& name) {
    for (const auto* counter : module.stats().counters())
      if (counter->name() == name) return counter->value();
    throw std::runtime_error("no counter " + name);
  }
};

}  // namespace switchyard::test

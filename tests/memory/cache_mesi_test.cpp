// SPDX-License-Identifier: Apache-2.0
// State changes of one line in two and three first-level caches, request by request.
#include "base/random.h"
#include "memory/hierarchy.h"

namespace switchyard::test {

namespace {

constexpr Address kX = 0x1000, kY = 0x2000;

struct Step {
  unsigned agent;
  char action;  ///< (l)oad, (s)tore, (d)rop by loading a line of the same set
  const char* states;
};

struct Mesi : CacheTest {
  void run(std::initializer_list<Step> steps) {
    unsigned number = 0;
    for (const Step& step : steps) {
      Agent& agent = *agents[step.agent];
      if (step.action == 'l')
        agent.load(kX);
      else if (step.action == 's')
        agent.store(kX, ++number);
      else
        agent.load(kY);
      BOOST_TEST_CONTEXT("agent " << step.agent << " " << step.action) BOOST_TEST(states(kX) == step.states);
    }
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(mesi, Mesi)

BOOST_AUTO_TEST_CASE(the_first_reader_gets_the_line_exclusively) {
  build(2);
  run({{0, 'l', "EI"}, {0, 'l', "EI"}});
}

BOOST_AUTO_TEST_CASE(an_exclusive_line_is_written_without_a_request) {
  build(2);
  run({{0, 'l', "EI"}, {0, 's', "MI"}});
  BOOST_TEST(agents[0]->fills == 1u);
}

BOOST_AUTO_TEST_CASE(two_cpus_take_every_transition) {
  build(2, params(1, 1));
  run({{0, 'l', "EI"},
       {1, 'l', "SS"},
       {0, 's', "MI"},
       {1, 'l', "SS"},
       {1, 's', "IM"},
       {0, 's', "MI"},
       {0, 'l', "MI"},
       {0, 'd', "II"},
       {1, 'l', "IE"},
       {0, 's', "MI"},
       {0, 'd', "II"},
       {1, 's', "IM"},
       {1, 'd', "II"},
       {0, 'l', "EI"},
       {1, 's', "IM"},
       {0, 'l', "SS"},
       {0, 'd', "IS"},
       {1, 's', "IM"}});
}

BOOST_AUTO_TEST_CASE(three_cpus_take_every_transition) {
  build(3, params(1, 1));
  run({{0, 'l', "EII"},
       {1, 'l', "SSI"},
       {2, 'l', "SSS"},
       {1, 's', "IMI"},
       {0, 'l', "SSI"},
       {2, 'l', "SSS"},
       {0, 'd', "ISS"},
       {2, 's', "IIM"},
       {1, 's', "IMI"},
       {2, 'l', "ISS"},
       {1, 'd', "IIS"},
       {2, 'd', "III"},
       {2, 's', "IIM"},
       {2, 'd', "III"},
       {0, 'l', "EII"}});
}

BOOST_AUTO_TEST_CASE(the_last_of_several_readers_stays_shared_and_has_to_ask) {
  build(2, params(1, 1));
  run({{0, 'l', "EI"}, {1, 'l', "SS"}, {1, 'd', "SI"}, {0, 's', "MI"}});
  BOOST_TEST(count(agents[0]->l1(), "upgrades") == 1u);
}

BOOST_AUTO_TEST_CASE(modified_data_moves_with_the_line) {
  build(3);
  agents[0]->store(kX, 0x1111);
  agents[1]->store(kX + 8, 0x2222);
  agents[2]->store(kX + 16, 0x3333);
  for (const auto& agent : agents) {
    BOOST_TEST(agent->load(kX) == 0x1111u);
    BOOST_TEST(agent->load(kX + 8) == 0x2222u);
    BOOST_TEST(agent->load(kX + 16) == 0x3333u);
  }
  BOOST_TEST(in_ram(kX) == 0u);
}

BOOST_AUTO_TEST_CASE(an_evicted_line_takes_its_data_to_the_second_level) {
  build(1, params(1, 1));
  agents[0]->store(kX, 0x1111);
  agents[0]->load(kY);
  BOOST_TEST(in_ram(kX) == 0u);
  BOOST_TEST(agents[0]->load(kX) == 0x1111u);
  BOOST_TEST(agents[0]->spent.memory == 0u);
}

BOOST_AUTO_TEST_CASE(replacing_a_line_below_recalls_the_copies_above_and_writes_their_data) {
  build(2, params(16, 4), params(2, 2, 64, 12, 20));
  agents[0]->store(kX, 0x1111);
  agents[0]->load(kY);
  agents[1]->load(kY);
  agents[1]->load(0x3000);  // X is the second level's oldest
  BOOST_TEST(states(kX) == "II");
  BOOST_TEST(in_ram(kX) == 0x1111u);
  BOOST_TEST(agents[1]->load(kX) == 0x1111u);  // now Y goes
  BOOST_TEST(states(kY) == "II");
  BOOST_TEST(agents[0]->load(kX) == 0x1111u);
}

BOOST_AUTO_TEST_CASE(data_survives_when_everything_is_replaced_all_the_time) {
  build(2, params(2, 1), params(4, 2, 64, 12, 20));
  base::RandomStream random(5, "thrash");
  std::vector<std::uint64_t> expected(64);
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t line = random.below(64);
    Agent& agent = *agents[random.below(2)];
    if (random.below(2) == 0)
      agent.store(line * 64, expected[line] = random.next());
    else
      BOOST_TEST_REQUIRE(agent.load(line * 64) == expected[line]);
  }
}

BOOST_AUTO_TEST_CASE(a_refused_address_leaves_no_line_and_says_so) {
  build(2);
  agents[0]->load(0x100000);  // the end of memory
  BOOST_TEST(agents[0]->status == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  agents[0]->store(0x100000, 1);
  BOOST_TEST(agents[0]->status == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  BOOST_TEST(states(0x100000) == "II");
  BOOST_TEST(l2().array().find(0x100000) == memory::CacheArray::kNone);
  agents[0]->store(0xfffc0, 7);  // the line before it
  BOOST_TEST(agents[1]->load(0xfffc0) == 7u);
}

BOOST_AUTO_TEST_CASE(a_watcher_hears_of_a_lost_line_once) {
  build(2);
  struct : memory::LineWatcher {
    void line_lost(const sc_core::sc_time&) override { ++lost; }
    int lost = 0;
  } watcher;
  Cache& l1 = agents[0]->l1();
  l1.add_watcher(watcher);
  agents[0]->load(kX);
  agents[1]->store(kX, 1);  // not watched
  BOOST_TEST(watcher.lost == 0);
  agents[0]->load(kX);
  l1.array().set_watched(l1.array().find(kX), true);
  agents[1]->load(kX);  // a reader takes nothing away
  BOOST_TEST(watcher.lost == 0);
  agents[1]->store(kX, 2);
  BOOST_TEST(watcher.lost == 1);
  agents[0]->load(kX);
  agents[1]->store(kX, 3);
  BOOST_TEST(watcher.lost == 1);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

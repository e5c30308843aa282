// SPDX-License-Identifier: Apache-2.0
#include "sc_main/report_symbols.h"

#include <boost/test/unit_test.hpp>

using namespace switchyard;

namespace {

/// Lines of 64 B: a is in lines 40 and 41, b and c in 41, d alone in 43; e begins where d's line ends.
platforms::SymbolList five(std::uint64_t granule = 64) {
  return {{{"a", "", 0x9000'1000, 0x1000, 72},
           {"b", "", 0x9000'1048, 0x1048, 8},
           {"c", "", 0x9000'107c, 0x107c, 4},
           {"d", "", 0x9000'10c0, 0x10c0, 64},
           {"e", "", 0x9000'1100, 0x1100, 4}},
          {granule, granule == 0 ? "" : "l1d"}};
}

using Sharers = std::vector<std::vector<std::size_t>>;

}  // namespace

BOOST_AUTO_TEST_SUITE(symbol_report)

BOOST_AUTO_TEST_CASE(who_has_a_byte_in_a_line_shares_it) {
  BOOST_TEST((cli::line_sharers(five()) == Sharers{{1, 2}, {0, 2}, {0, 1}, {}, {}}));
  BOOST_TEST((cli::line_sharers(five(128)) == Sharers{{1, 2}, {0, 2}, {0, 1}, {}, {}}));
  BOOST_TEST((cli::line_sharers(five(16)) == Sharers{{1}, {0}, {}, {}, {}}));
  BOOST_TEST((cli::line_sharers(five(256)) == Sharers{{1, 2, 3}, {0, 2, 3}, {0, 1, 3}, {0, 1, 2}, {}}));
}

BOOST_AUTO_TEST_CASE(physical_addresses_decide) {
  platforms::SymbolList list = five();
  list.symbols[4].pa = 0x1000;  // mapped elsewhere, in the first line
  BOOST_TEST((cli::line_sharers(list)[4] == std::vector<std::size_t>{0}));
}

BOOST_AUTO_TEST_CASE(the_table_shows_lines_and_sharers) {
  BOOST_TEST(cli::symbols_text(five()) ==
             "# coherence granule 64 B: the line of l1d, the first cache of CPU 0\n"
             "virtual           physical          bytes  line   offset  name  shares a line with\n"
             "0000000090001000  0000000000001000  72     40-41  0       a     b, c\n"
             "0000000090001048  0000000000001048  8      41     8       b     a, c\n"
             "000000009000107c  000000000000107c  4      41     60      c     a, b\n"
             "00000000900010c0  00000000000010c0  64     43     0       d\n"
             "0000000090001100  0000000000001100  4      44     0       e\n");
}

BOOST_AUTO_TEST_CASE(sections_have_a_column_where_they_are_known) {
  platforms::SymbolList list = five();
  list.symbols[1].section = ".data..percpu";
  BOOST_TEST(cli::symbols_text(list).find("  section        name  shares a line with\n") != std::string::npos);
  BOOST_TEST(cli::symbols_json(list)["symbols"][1]["section"] == ".data..percpu");
}

BOOST_AUTO_TEST_CASE(a_long_list_of_sharers_is_cut_in_the_table_only) {
  platforms::SymbolList list{{}, {64, "l1d"}};
  for (std::uint64_t i = 0; i < 9; ++i) list.symbols.push_back({"s" + std::to_string(i), "", i, i, 1});
  BOOST_TEST(cli::symbols_text(list).find("s0    s1, s2, s3, s4, s5, s6, 2 more\n") != std::string::npos);
  BOOST_TEST(cli::symbols_json(list)["symbols"][0]["shares_line_with"].size() == 8u);
}

BOOST_AUTO_TEST_CASE(without_a_cache_there_are_no_lines) {
  BOOST_TEST(cli::symbols_text(five(0)).starts_with("# no cache, so no coherence granule\nvirtual           physical"));
  const auto json = cli::symbols_json(five(0));
  BOOST_TEST(json["granule"].is_null());
  BOOST_TEST(json["symbols"][0]["first_line"].is_null());
}

BOOST_AUTO_TEST_CASE(the_json_has_all_of_it) {
  const auto json = cli::symbols_json(five());
  BOOST_TEST(json["granule"]["size_bytes"] == 64u);
  BOOST_TEST(json["granule"]["cache"] == "l1d");
  const auto& a = json["symbols"][0];
  BOOST_TEST(a["va"] == "0x0000000090001000");
  BOOST_TEST(a["first_line"] == 0x40u);
  BOOST_TEST(a["last_line"] == 0x41u);
  BOOST_TEST(json["symbols"][2]["line_offset"] == 60u);
  BOOST_TEST(a["section"].is_null());
  BOOST_TEST(a["shares_line_with"] == (nlohmann::ordered_json{"b", "c"}));
}

BOOST_AUTO_TEST_SUITE_END()

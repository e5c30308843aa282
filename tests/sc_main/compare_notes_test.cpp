// SPDX-License-Identifier: Apache-2.0
#include "sc_main/compare_notes.h"

#include "sc_main/compare_cells.h"
#include "sc_main/compare_table.h"
#include "sc_main/experiment_fixture.h"
#include "sc_main/format.h"

using namespace switchyard;

namespace {

const char* const kHead =
    "schema: 1\n"
    "experiment: lock\n"
    "variants: [{name: before, baseline: true}, {name: after, files: [after.yaml]}]\n"
    "cases:\n"
    "  - {name: board, files: [a.yaml], over: {parameter: kernel.rest, values: [\"1000\", \"2000\"], reference: "
    "\"1000\"}}\n"
    "  - {name: other, files: [b.yaml]}\n"
    "published:\n";

std::string figure(const std::string& subject, const std::string& change, const std::string& why) {
  return "  - {case: " + subject + ", variant: after, change_percent: " + change +
         ", tolerance_points: 5, expect: no-effect, unexplained: " + why + ", ref: m}\n";
}

/// Nothing but the length of the page matters; the larger value gains 1 %.
double seconds(const std::string& label, const test::FormulaMachine::Values& values) {
  return label.ends_with("after") && values.at("kernel.rest") == 2000 ? 0.99 : 1;
}

struct NotesTest : test::ExperimentTest {
  test::FormulaMachine machine{seconds};
  std::vector<platforms::LoopRecord> loops;  // [run]; the last one stays

  cli::Simulator simulator() {
    cli::Simulator result = machine.simulator();
    result.run = [this, run = result.run](const std::vector<cli::RunRequest>& requests) {
      auto results = run(requests);
      for (cli::RunResult& one : results) {
        if (loops.empty()) continue;
        one.outcome.loop = loops.front();
        one.outcome.has_loop = one.outcome.loop.count > 0;
        if (loops.size() > 1) loops.erase(loops.begin());
      }
      return results;
    };
    return result;
  }
  std::vector<std::string> notes(const std::string& figures) {
    const cli::Simulator simulation = simulator();
    return compare_notes(cli::Comparison(load(kHead + figures, machine), simulation));
  }
  std::vector<std::string> lengths() {
    const cli::Simulator simulation = simulator();
    return scale_notes(cli::Comparison(load(kHead + figure("other", "61", "why"), machine), simulation));
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(compare_notes_text, NotesTest)

BOOST_AUTO_TEST_CASE(one_figure_has_a_note_of_its_own) {
  const auto text = notes(figure("other", "61", "nothing uses it"));
  BOOST_REQUIRE(text.size() == 1u);
  BOOST_TEST(text[0] == "other/after real: not explained: nothing uses it (published +61.0 %, predicted +0.0 %)");
}

BOOST_AUTO_TEST_CASE(the_values_of_a_parameter_are_one_figure) {
  const auto text = notes(figure("board", "61", "nothing uses it"));
  BOOST_REQUIRE(text.size() == 1u);
  BOOST_TEST(text[0] ==
             "board/after real: not explained: nothing uses it (published +61.0 %, predicted -1.0 % to +0.0 %)");
}

BOOST_AUTO_TEST_CASE(figures_with_the_same_reason_are_one_note) {
  const auto text = notes(figure("board", "61", "nothing uses it") + figure("other", "51.5", "nothing uses it"));
  BOOST_REQUIRE(text.size() == 1u);
  BOOST_TEST(text[0] ==
             "board/after real (published +61.0 %, predicted -1.0 % to +0.0 %), other/after real (published +51.5 %, "
             "predicted +0.0 %): not explained: nothing uses it");
}

BOOST_AUTO_TEST_CASE(figures_with_different_reasons_are_not) {
  const auto text = notes(figure("board", "61", "nothing uses it") + figure("other", "51.5", "another"));
  BOOST_REQUIRE(text.size() == 2u);
}

BOOST_AUTO_TEST_CASE(runs_of_one_length_are_a_line) {
  loops = {{"main", 10'000, 3, 20, true, {1, 0}}};
  const auto text = lengths();
  BOOST_REQUIRE(text.size() == 1u);
  BOOST_TEST(text[0] == "6 runs: 20 iterations simulated after 3 of warm-up, scaled to 10000");
}

BOOST_AUTO_TEST_CASE(runs_of_different_lengths_are_a_line_too) {
  loops = {{"main", 32'000'000, 80'000, 11'620, true, {1, 0}},
           {"main", 32'000'000, 80'000, 386'107, false, {1, 0}},
           {"main", 32'000'000, 80'000, 20'000, true, {1, 0}}};
  const auto text = lengths();
  BOOST_REQUIRE(text.size() == 1u);
  BOOST_TEST(text[0] ==
             "6 runs: 11620 to 386107 iterations simulated after 80000 of warm-up, scaled to 32000000; 1 of them "
             "stopped before the confidence interval was reached");
}

BOOST_AUTO_TEST_CASE(runs_without_a_loop_are_told_apart) {
  loops = {{"", 0, 0, 0, true, {1, 0}}, {"main", 10'000, 3, 20, true, {1, 0}}};
  const auto text = lengths();
  BOOST_REQUIRE(text.size() == 2u);
  BOOST_TEST(text[0] == "5 runs: 20 iterations simulated after 3 of warm-up, scaled to 10000");
  BOOST_TEST(text[1] == "1 run: the whole run, nothing scaled");
}

BOOST_AUTO_TEST_CASE(no_line_below_the_tables_is_longer_than_a_screen) {
  std::string why;
  for (int i = 0; i < 60; ++i) why += "reason ";
  const cli::Simulator simulation = simulator();
  const std::string text =
      compare_text(cli::Comparison(load(kHead + figure("other", "61", why + "x"), machine), simulation));
  const std::string below = text.substr(text.find("\nNotes\n"));
  std::size_t lines = 0;
  for (std::size_t at = 0; at < below.size(); ++lines) {
    const std::size_t end = std::min(below.find('\n', at), below.size());
    BOOST_TEST(cli::shown_width(below.substr(at, end - at)) <= 120u);
    at = end + 1;
  }
  BOOST_TEST(below.find("\n  other/after real: not explained: reason") != std::string::npos, below);
  BOOST_TEST(below.find("\n    reason reason") != std::string::npos, below);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(text_in_lines)

BOOST_AUTO_TEST_CASE(a_long_line_goes_on_below_its_indent) {
  BOOST_TEST(cli::wrapped("  one two three four\nfive\n", 11) == "  one two\n    three\n    four\nfive\n");
}

BOOST_AUTO_TEST_CASE(a_line_that_just_fits_stays) { BOOST_TEST(cli::wrapped("  one two", 9) == "  one two"); }

BOOST_AUTO_TEST_CASE(a_long_word_stays_whole) {
  BOOST_TEST(cli::wrapped("  a-very-long-word and more", 8) == "  a-very-long-word\n    and\n    more");
}

BOOST_AUTO_TEST_CASE(characters_are_counted_not_bytes) { BOOST_TEST(cli::wrapped("±±± ±±±", 7) == "±±± ±±±"); }

BOOST_AUTO_TEST_CASE(empty_lines_stay) { BOOST_TEST(cli::wrapped("\n\na\n") == "\n\na\n"); }

BOOST_AUTO_TEST_SUITE_END()

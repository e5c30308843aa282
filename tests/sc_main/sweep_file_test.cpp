// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <set>

#include "base/errors.h"
#include "platforms/config/config_loader.h"
#include "platforms/config/param_reader.h"
#include "platforms/config_fixture.h"
#include "sc_main/sweep/filter.h"
#include "sc_main/sweep/sweep_points.h"
#include "sc_main/sweep/value_range.h"

using namespace switchyard;

namespace {

using Names = std::vector<std::string>;
const auto each = boost::test_tools::per_element();

const std::string kHead = "schema: 1\nsweep: s\nbase: {files: [b.yaml], set: [\"x=0\"]}\nmeasure: [real]\n";

/// A sweep file that is read and written out into points; nothing else exists.
struct SweepFileTest : test::ConfigTest {
  static cli::SweepPoints expand(const std::string& text, std::vector<cli::SweepBase> bases = {}) {
    write("s.yaml", kHead + text);
    platforms::Diagnostics diagnostics;
    platforms::Provenance provenance;
    cli::SweepParams params;
    const platforms::ConfigTree tree = platforms::load_config({"s.yaml"}, {}, diagnostics);
    platforms::read_params(tree, params, diagnostics, provenance);
    diagnostics.throw_if_any();
    if (bases.empty()) bases = {{"", "", {"b.yaml"}, params.base.set}};
    cli::SweepPoints points = cli::expand_sweep(params, bases, "", tree.root, diagnostics);
    diagnostics.throw_if_any();
    return points;
  }
  static Names names(const cli::SweepPoints& points) {
    Names result;
    for (const auto& point : points.points) result.push_back(point.name);
    return result;
  }
  static std::string refusal(const std::string& text) {
    try {
      expand(text);
    } catch (const base::ConfigError& error) {
      return error.what();
    }
    return "accepted";
  }
  static Names column(const std::string& text) {
    Names result;
    for (const auto& point : expand("axes: {c: {parameter: p, " + text + "}}\n").points)
      result.push_back(point.values.front().value());
    return result;
  }
  static bool keeps(const std::string& filter, const cli::Filter::Row& row) {
    const auto parsed = cli::Filter::parse(filter, {"line", "harts", "kernel"});
    BOOST_REQUIRE_MESSAGE(parsed.error.empty(), parsed.error);
    return parsed.value.keeps(row);
  }
  static std::string filter_error(const std::string& filter) {
    return cli::Filter::parse(filter, {"line", "harts"}).error;
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(sweep_file, SweepFileTest)

BOOST_AUTO_TEST_CASE(axes_cross_and_the_last_varies_fastest) {
  const auto points = expand("axes: {a: {parameter: p, values: [1, 2]}, b: {parameters: [q, r], values: [x, y]}}\n");
  BOOST_TEST(names(points) == (Names{"a=1, b=x", "a=1, b=y", "a=2, b=x", "a=2, b=y"}), each);
  BOOST_TEST(points.points[1].sets == (Names{"x=0", "p=1", "q=y", "r=y"}), each);
  BOOST_TEST(points.points[1].files == (Names{"b.yaml"}), each);
}

BOOST_AUTO_TEST_CASE(columns_of_one_axis_advance_together) {
  const auto points = expand(
      "axes: {shape: {zip: {a: {parameter: p, values: [1, 2]}, b: {parameter: q, from: 10, to: 20, step: 10}}}}\n");
  BOOST_TEST(names(points) == (Names{"a=1, b=10", "a=2, b=20"}), each);
  BOOST_TEST(
      refusal("axes: {shape: {zip: {a: {parameter: p, values: [1, 2]}, b: {parameter: q, values: [1]}}}}\n") ==
      "s.yaml:5:72: axes.shape.zip.b.parameter: columns of one axis advance together: 1 values here, 2 in the first");
}

BOOST_AUTO_TEST_CASE(an_axis_of_files_lays_one_over_the_base) {
  const auto points = expand("axes: {k: {files: [../p/old.yaml, new.yaml]}}\n");
  BOOST_TEST(names(points) == (Names{"k=old", "k=new"}), each);
  BOOST_TEST(points.points[0].files == (Names{"b.yaml", "../p/old.yaml"}), each);
  BOOST_TEST(names(expand("axes: {k: {files: [o.yaml], values: [before]}}\n")) == (Names{"k=before"}), each);
}

BOOST_AUTO_TEST_CASE(a_range_by_step_is_exact) {
  BOOST_TEST(column("from: 1, to: 4, step: 1") == (Names{"1", "2", "3", "4"}), each);
  BOOST_TEST(column("from: 4, to: 1, step: -2") == (Names{"4", "2"}), each);
  BOOST_TEST(column("from: 0.1, to: 0.5, step: 0.1") == (Names{"0.1", "0.2", "0.3", "0.4", "0.5"}), each);
  BOOST_TEST(column("from: 512 B, to: 1 KiB, step: 256 B") == (Names{"512 B", "768 B", "1 KiB"}), each);
  BOOST_TEST(column("from: 0 %, to: 10 %, step: 5 %") == (Names{"0 %", "5 %", "10 %"}), each);
}

BOOST_AUTO_TEST_CASE(a_range_by_count_is_linear_or_logarithmic) {
  BOOST_TEST(column("from: 16 B, to: 128 B, count: 4, scale: log") == (Names{"16 B", "32 B", "64 B", "128 B"}), each);
  BOOST_TEST(column("from: 1 us, to: 2 us, count: 3") == (Names{"1 us", "1.5 us", "2 us"}), each);
  BOOST_TEST(column("from: 1, to: 1000, count: 4, scale: log") == (Names{"1", "10", "100", "1000"}), each);
  BOOST_TEST(column("from: 10 cycles, to: 30 cycles, count: 3") == (Names{"10 cycles", "20 cycles", "30 cycles"}),
             each);
}

BOOST_AUTO_TEST_CASE(a_range_that_makes_no_sense_is_refused) {
  const auto range = [](const std::string& text) { return refusal("axes: {c: {parameter: p, " + text + "}}\n"); };
  const std::string at = "s.yaml:5:23: axes.c.parameter: ", group = "s.yaml:5:11: axes.c: ";
  BOOST_TEST(range("from: 1 B, to: 2 us, count: 2") == at + "1 B and 2 us are of different kinds");
  BOOST_TEST(range("from: 1, to: 3, step: 1 B") == at + "step 1 B is not of the kind of from, 1");
  BOOST_TEST(range("from: 1, to: 3, step: -1") == at + "step -1 never comes from 1 to 3");
  BOOST_TEST(range("from: 1, to: 2, count: 5") == at + "two of 5 values are 1; take fewer");
  BOOST_TEST(range("from: 0, to: 2, count: 2, scale: log") == at + "scale log needs values above 0, found 0 and 2");
  BOOST_TEST(range("from: 1") == group + "a range needs both from and to");
  BOOST_TEST(range("values: [1], from: 1, to: 2, step: 1") == group + "give values, or a range by from and to");
  BOOST_TEST(range("from: 1, to: 2") == group + "a range needs step or count, one of them");
}

BOOST_AUTO_TEST_CASE(unknown_keys_are_refused_with_the_nearest_one) {
  BOOST_TEST(refusal("axes: {c: {paramter: p, values: [1]}}\n")
                 .starts_with("s.yaml:5:12: axes.c.paramter: unknown key; did you mean parameter?"));
  BOOST_TEST(refusal("axes: {and: {parameter: p, values: [1]}}\n") ==
             "s.yaml:5:25: axes.and.parameter: a column cannot be called and");
  BOOST_TEST(refusal("axes: {\"a b\": {parameter: p, values: [1]}}\n")
                 .ends_with("a b is no name for a column; use letters, digits and _, a letter first"));
}

BOOST_AUTO_TEST_CASE(a_latin_hypercube_has_one_sample_in_each_part) {
  const auto points = expand(
      "samples: {count: 50, seed: 3, over: {a: {parameter: p, from: 0.0, to: 50.0}, b: {parameter: q, from: 1, to: "
      "50}}}\n");
  BOOST_REQUIRE(points.points.size() == 50u);
  std::set<int> parts;
  std::set<std::string> second;
  for (const auto& point : points.points) {
    parts.insert(static_cast<int>(std::floor(std::stod(*point.values[0]))));
    second.insert(*point.values[1]);
  }
  BOOST_TEST(parts.size() == 50u);
  BOOST_TEST(second.size() == 50u);
}

BOOST_AUTO_TEST_CASE(samples_follow_from_their_seed_alone) {
  const auto text = [](int seed, const std::string& more) {
    return "samples: {count: 20, method: random, seed: " + std::to_string(seed) +
           ", over: {a: {parameter: p, values: [x, y, z]}" + more + "}}\n";
  };
  const auto first = [](const cli::SweepPoints& points) {
    Names result;
    for (const auto& point : points.points) result.push_back(*point.values[0]);
    return result;
  };
  const Names one = first(expand(text(1, "")));
  BOOST_TEST(one == first(expand(text(1, ", b: {parameter: q, from: 1 ns, to: 1 ms, scale: log}"))), each);
  BOOST_TEST((one != first(expand(text(2, "")))));
}

BOOST_AUTO_TEST_CASE(points_stand_beside_the_axes) {
  const auto points = expand(
      "axes: {a: {parameter: p, values: [1]}, b: {parameter: q, values: [2]}}\n"
      "points: [{name: far, at: [\"b=9\"], set: [\"z=1\"], files: [f.yaml]}]\n");
  BOOST_TEST(names(points) == (Names{"a=1, b=2", "far"}), each);
  BOOST_TEST(points.points[1].sets == (Names{"x=0", "q=9", "z=1"}), each);
  BOOST_TEST(!points.points[1].values[0].has_value());
  BOOST_TEST(
      refusal("axes: {line: {parameter: p, values: [1]}}\npoints: [{name: n, at: [\"lin=9\"]}]\n")
          .starts_with("s.yaml:6:25: points[0].at[0]: no column of parameters is called lin; did you mean line?"));
}

BOOST_AUTO_TEST_CASE(filters_leave_points_out) {
  const auto points = expand(
      "axes: {a: {parameter: p, values: [1, 2, 3]}, b: {parameter: q, values: [1, 2]}}\n"
      "filters: [\"a != 2\", \"a + b <= 4\"]\n");
  BOOST_TEST(names(points) == (Names{"a=1, b=1", "a=1, b=2", "a=3, b=1"}), each);
  BOOST_TEST(refusal("axes: {a: {parameter: p, values: [1]}}\nfilters: [\"a > 1\"]\n").find("no point is left") !=
             std::string::npos);
  BOOST_TEST(refusal("axes: {line: {parameter: p, values: [1]}}\nfilters: [\"lin > 1\"]\n")
                 .starts_with("s.yaml:6:11: filters[0]: unknown column lin; did you mean line?"));
}

BOOST_AUTO_TEST_CASE(filters_know_units_texts_and_precedence) {
  const cli::Filter::Row row{{"line", "64 B"}, {"harts", "4"}, {"kernel", "before"}};
  BOOST_TEST(keeps("line == 64 B", row));
  BOOST_TEST(keeps("line < 1 KiB and line >= 0.0625 KiB", row));
  BOOST_TEST(keeps("kernel == 'before'", row));
  BOOST_TEST(!keeps("kernel != \"before\"", row));
  BOOST_TEST(keeps("harts == 2 or harts == 4 and line > 16 B", row));
  BOOST_TEST(!keeps("(harts == 2 or harts == 4) and line > 64 B", row));
  BOOST_TEST(keeps("not harts > 4", row));
  BOOST_TEST(keeps("harts + 2 * 3 == 10", row));
  BOOST_TEST(keeps("(harts + 2) * 3 == 18", row));
  BOOST_TEST(!keeps("kernel < 3", row));  // a text is not below a number
}

BOOST_AUTO_TEST_CASE(a_filter_that_cannot_be_read_says_where) {
  BOOST_TEST(filter_error("line >") == "a column or a value was expected at the end");
  BOOST_TEST(filter_error("line") == "a comparison (== != < <= > >=) was expected at the end");
  BOOST_TEST(filter_error("line > 1 harts") == "an operator was expected at harts");
  BOOST_TEST(filter_error("line == 'x") == "the closing quote is missing at 'x");
  BOOST_TEST(filter_error("(line > 1").find("was expected") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(cases_of_an_experiment_are_columns) {
  const auto points = expand("axes: {a: {parameter: p, values: [1, 2]}}\n",
                             {{"board", "before", {"x.yaml"}, {}}, {"board", "after", {"y.yaml"}, {"s=1"}}});
  BOOST_TEST(names(points) == (Names{"case=board, variant=before, a=1", "case=board, variant=before, a=2",
                                     "case=board, variant=after, a=1", "case=board, variant=after, a=2"}),
             each);
  BOOST_TEST(points.points[3].sets == (Names{"s=1", "p=2"}), each);
}

BOOST_AUTO_TEST_SUITE_END()

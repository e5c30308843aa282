// SPDX-License-Identifier: Apache-2.0
// Experiments for which nothing was published: only what follows from where locks and counts lie.
#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "sc_main/experiment_output.h"

namespace {

using Json = nlohmann::json;

/// One comparison.
struct Compared {
  Json document;

  explicit Compared(const std::string& experiment) : document(switchyard::test::compared(experiment, "--check")) {}
  double value(const std::string& name, const std::string& variant, const std::string& metric) const {
    return switchyard::test::row_of(document, name, variant, metric)["value"].get<double>();
  }
  void require_values_without_reference() const {
    for (const Json& row : document["rows"]) {
      BOOST_TEST(row["value"].is_number());
      BOOST_TEST(row["verdict"] == "no-reference");
    }
  }
};

struct AtomicHash : Compared {
  AtomicHash() : Compared("parisc-atomic-hash") {}
};
struct Spacing : Compared {
  Spacing() : Compared("parisc-pa8800-spacing") {}
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(experiment_parisc_atomic_hash, AtomicHash)

// All counts hash to one of four locks, whatever line it lies in, and each to a lock of its own among 64.
BOOST_AUTO_TEST_CASE(a_lock_for_each_file_beats_one_for_all_and_padding_that_one_changes_little) {
  require_values_without_reference();
  for (const std::string machine : {"rp5470", "rp3440"}) {
    const double vanilla = value(machine, "vanilla", "real");
    BOOST_TEST(value(machine, "h64-pad-div64", "real") < vanilla);
    BOOST_TEST(value(machine, "h4-pad-div64", "real") == vanilla, boost::test_tools::tolerance(0.1));
  }
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(experiment_parisc_pa8800_spacing, Spacing)

// Four locks 16 B apart share a line, and 128 B apart have one each, wherever in a line the first one is.
BOOST_AUTO_TEST_CASE(where_the_first_lock_lies_matters_only_64_bytes_apart) {
  require_values_without_reference();
  for (const std::string machine : {"rp3440", "c8000"})
    for (const std::string spacing : {"16", "128"})
      BOOST_TEST(value(machine + "@0 B", spacing, "real") == value(machine + "@64 B", spacing, "real"),
                 boost::test_tools::tolerance(0.01));
}

BOOST_AUTO_TEST_SUITE_END()

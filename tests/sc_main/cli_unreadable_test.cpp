// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>

#include "sc_main/cli_fixture.h"

/// Files that exist and that the user may not read.
namespace switchyard::test {

namespace {

namespace fs = std::filesystem;

/// `secret.yaml` may not be read. The superuser may read everything, so a test that runs as one gives the program to
/// another user, who may write in the folder and reaches a copy of the program there.
struct UnreadableTest : CliTest {
  UnreadableTest() {
    write("secret.yaml", "schema: 1\nseed: 1\n");
    BOOST_REQUIRE(chmod("secret.yaml", 0) == 0);
    if (geteuid() != 0) return;
    BOOST_REQUIRE(chmod(directory().c_str(), 0755) == 0);
    BOOST_REQUIRE(chmod(".", 0777) == 0);
    const std::string program = (directory() / "switchyard").string();
    fs::copy_file(SWITCHYARD_BINARY, program);
    BOOST_REQUIRE(chmod(program.c_str(), 0755) == 0);
    prefix_ = {"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", program};
  }

  Result run_unprivileged(const std::vector<std::string>& arguments) const {
    std::vector<std::string> words = prefix_;
    words.insert(words.end(), arguments.begin(), arguments.end());
    return execute(std::move(words));
  }
  /// One error, which begins with the place; nothing printed, nothing left.
  void check_refused(const std::vector<std::string>& arguments, const std::string& place) const {
    const std::vector<std::string> before = names(".");
    const Result result = run_unprivileged(arguments);
    BOOST_TEST(result.code == 2, result.err);
    BOOST_TEST(result.out == "");
    BOOST_TEST(result.err.starts_with("switchyard: " + place), result.err);
    BOOST_TEST(contains(result.err, "secret.yaml"), result.err);
    BOOST_TEST(contains(result.err, "Permission denied"), result.err);
    BOOST_TEST(std::count(result.err.begin(), result.err.end(), '\n') == 1, result.err);
    BOOST_TEST(names(".") == before, boost::test_tools::per_element());
  }

 private:
  std::vector<std::string> prefix_{SWITCHYARD_BINARY};
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(cli_unreadable, UnreadableTest)

BOOST_AUTO_TEST_CASE(the_same_run_with_files_that_may_be_read_succeeds) {
  const Result result = run_unprivileged({"run", "machine.yaml", "workload.yaml", "--out", "results"});
  BOOST_TEST(result.code == 0, result.err);
  BOOST_TEST(fs::exists("results/stats.json"));
}

BOOST_AUTO_TEST_CASE(a_configuration_file_is_refused) {
  for (const std::string command : {"run", "check"})
    check_refused({command, "machine.yaml", "workload.yaml", "secret.yaml"}, "secret.yaml: ");
  check_refused({"run", "secret.yaml", "workload.yaml"}, "secret.yaml: ");
}

BOOST_AUTO_TEST_CASE(an_included_file_is_refused_where_it_is_named) {
  write("m.yaml", "schema: 1\ninclude: [machine.yaml, secret.yaml]\n");
  for (const std::string command : {"run", "check"})
    check_refused({command, "m.yaml", "workload.yaml"}, "m.yaml:2:25: ");
}

BOOST_AUTO_TEST_CASE(an_experiment_file_is_refused) {
  for (const std::string command : {"compare", "run", "check"}) check_refused({command, "./secret.yaml"}, "");
}

BOOST_AUTO_TEST_CASE(a_platform_file_of_an_experiment_is_refused) {
  write("e.yaml", R"(schema: 1
experiment: e
cases:
  - {name: one, files: [machine.yaml, secret.yaml, workload.yaml]}
variants:
  - {name: before, baseline: true}
  - {name: after}
metrics: [real]
)");
  check_refused({"compare", "e.yaml", "--out", "results"}, "");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <boost/test/unit_test.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

namespace switchyard::test {

/// What `switchyard compare` prints about a shipped experiment with --json and `options`.
inline nlohmann::json compared(const std::string& experiment, const std::string& options = "") {
  const std::string command = "cd '" SWITCHYARD_SOURCE_DIR "' && '" SWITCHYARD_BINARY "' compare " + experiment + " " +
                              options + " --json 2>/dev/null";
  FILE* const pipe = popen(command.c_str(), "r");
  BOOST_REQUIRE(pipe != nullptr);
  std::string text;
  std::array<char, 4096> chunk{};
  for (std::size_t n = 0; (n = std::fread(chunk.data(), 1, chunk.size(), pipe)) > 0;) text.append(chunk.data(), n);
  BOOST_REQUIRE(pclose(pipe) == 0);
  return nlohmann::json::parse(text);
}

/// The row of one figure of such a document.
inline const nlohmann::json& row_of(const nlohmann::json& document, const std::string& name, const std::string& variant,
                                    const std::string& metric) {
  const nlohmann::json& rows = document["rows"];
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const nlohmann::json& row) {
    return row["case"] == name && row["variant"] == variant && row["metric"] == metric;
  });
  BOOST_REQUIRE(found != rows.end());
  return *found;
}

}  // namespace switchyard::test

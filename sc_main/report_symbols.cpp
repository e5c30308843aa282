// SPDX-License-Identifier: Apache-2.0
#include "sc_main/report_symbols.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "platforms/config/text.h"
#include "sc_main/compare_cells.h"

namespace switchyard::cli {
namespace {

using Json = nlohmann::ordered_json;
using platforms::PlacedSymbol;
using platforms::SymbolList;

constexpr std::size_t kNamed = 6;  // sharers in the table; JSON has them all

std::uint64_t first_line(const PlacedSymbol& symbol, std::uint64_t granule) { return symbol.pa / granule; }
std::uint64_t last_line(const PlacedSymbol& symbol, std::uint64_t granule) {
  return (symbol.pa + std::max<std::uint64_t>(symbol.size, 1) - 1) / granule;
}

std::string lines_text(const PlacedSymbol& symbol, std::uint64_t granule) {
  const std::uint64_t first = first_line(symbol, granule), last = last_line(symbol, granule);
  return first == last ? fmt::format("{:x}", first) : fmt::format("{:x}-{:x}", first, last);
}

std::string sharers_text(const SymbolList& list, const std::vector<std::size_t>& sharers) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(sharers.size(), kNamed); ++i) names.push_back(list.symbols[sharers[i]].name);
  if (sharers.size() > kNamed) names.push_back(fmt::format("{} more", sharers.size() - kNamed));
  return platforms::join(names);
}

}  // namespace

std::vector<std::vector<std::size_t>> line_sharers(const SymbolList& list) {
  const std::uint64_t granule = list.granule.bytes;
  std::vector<std::vector<std::size_t>> sharers(list.symbols.size());
  if (granule == 0) return sharers;
  std::vector<std::size_t> order(list.symbols.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return list.symbols[a].pa < list.symbols[b].pa; });
  std::vector<std::size_t> open;  // symbols that reach into the lines now looked at
  for (const std::size_t i : order) {
    const std::uint64_t first = first_line(list.symbols[i], granule);
    std::erase_if(open, [&](std::size_t k) { return last_line(list.symbols[k], granule) < first; });
    for (const std::size_t k : open) {
      sharers[i].push_back(k);
      sharers[k].push_back(i);
    }
    open.push_back(i);
  }
  for (auto& list_of_one : sharers) std::sort(list_of_one.begin(), list_of_one.end());
  return sharers;
}

std::string symbols_text(const SymbolList& list) {
  const std::uint64_t granule = list.granule.bytes;
  const auto sharers = line_sharers(list);
  const bool has_sections =
      std::any_of(list.symbols.begin(), list.symbols.end(), [](const PlacedSymbol& s) { return !s.section.empty(); });
  std::vector<std::string> heading{"virtual", "physical", "bytes"};
  if (granule != 0) heading.insert(heading.end(), {"line", "offset"});
  if (has_sections) heading.emplace_back("section");
  heading.emplace_back("name");
  if (granule != 0) heading.emplace_back("shares a line with");
  TextTable table(heading);
  for (std::size_t i = 0; i < list.symbols.size(); ++i) {
    const PlacedSymbol& symbol = list.symbols[i];
    std::vector<std::string> cells{fmt::format("{:016x}", symbol.va), fmt::format("{:016x}", symbol.pa),
                                   fmt::format("{}", symbol.size)};
    if (granule != 0) cells.insert(cells.end(), {lines_text(symbol, granule), fmt::format("{}", symbol.pa % granule)});
    if (has_sections) cells.push_back(symbol.section);
    cells.push_back(symbol.name);
    if (granule != 0) cells.push_back(sharers_text(list, sharers[i]));
    table.add(std::move(cells));
  }
  const std::string head = granule == 0 ? "# no cache, so no coherence granule\n"
                                        : fmt::format(
                                              "# coherence granule {} B: the line of {}, the first cache of "
                                              "CPU 0\n",
                                              granule, list.granule.cache);
  return head + table.text();
}

Json symbols_json(const SymbolList& list) {
  const std::uint64_t granule = list.granule.bytes;
  const auto sharers = line_sharers(list);
  Json document;
  document["granule"] = granule == 0 ? Json(nullptr) : Json{{"size_bytes", granule}, {"cache", list.granule.cache}};
  document["symbols"] = Json::array();
  for (std::size_t i = 0; i < list.symbols.size(); ++i) {
    const PlacedSymbol& symbol = list.symbols[i];
    Json one{{"name", symbol.name}};
    one["section"] = symbol.section.empty() ? Json(nullptr) : Json(symbol.section);
    one["va"] = fmt::format("0x{:016x}", symbol.va);
    one["pa"] = fmt::format("0x{:016x}", symbol.pa);
    one["size_bytes"] = symbol.size;
    one["first_line"] = granule == 0 ? Json(nullptr) : Json(first_line(symbol, granule));
    one["last_line"] = granule == 0 ? Json(nullptr) : Json(last_line(symbol, granule));
    one["line_offset"] = granule == 0 ? Json(nullptr) : Json(symbol.pa % granule);
    one["shares_line_with"] = Json::array();
    for (const std::size_t k : sharers[i]) one["shares_line_with"].push_back(list.symbols[k].name);
    document["symbols"].push_back(std::move(one));
  }
  return document;
}

}  // namespace switchyard::cli

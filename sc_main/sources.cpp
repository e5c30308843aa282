// SPDX-License-Identifier: Apache-2.0
#include "sc_main/sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "platforms/config/annotation.h"

namespace switchyard::cli {
namespace {

using Json = nlohmann::ordered_json;
using platforms::Provenance;
using platforms::SourcedValue;

std::vector<const SourcedValue*> annotated(const Provenance& provenance) {
  std::vector<const SourcedValue*> values;
  for (const SourcedValue& value : provenance.entries())
    if (!value.from.empty()) values.push_back(&value);
  return values;
}

}  // namespace

Json source_counts_json(const Provenance& provenance) {
  Json counts = Json::object();
  for (const std::string_view from : platforms::kKnownFrom) counts[std::string(from)] = provenance.count(from);
  return counts;
}

std::string source_counts_text(const Provenance& provenance) {
  return fmt::format("sources of values: {} assumed, {} calibrated, {} documented, {} measured",
                     provenance.count("assumed"), provenance.count("calibrated"), provenance.count("documented"),
                     provenance.count("measured"));
}

std::string sources_text(const Provenance& provenance) {
  const auto values = annotated(provenance);
  std::size_t path = 4, value = 5;
  for (const SourcedValue* entry : values) {
    path = std::max(path, entry->path.size());
    value = std::max(value, entry->value.size());
  }
  std::string text = fmt::format("{:<{}}  {:<{}}  {:<10}  ref\n", "path", path, "value", value, "from");
  for (const SourcedValue* entry : values) {
    text += fmt::format("{:<{}}  {:<{}}  {:<10}  {}", entry->path, path, entry->value, value, entry->from, entry->ref);
    text.erase(text.find_last_not_of(' ') + 1);
    text += "\n";
  }
  return text + "\n" + source_counts_text(provenance) + "\n";
}

Json sources_json(const Provenance& provenance) {
  Json values = Json::array();
  for (const SourcedValue* entry : annotated(provenance))
    values.push_back({{"path", entry->path},
                      {"value", entry->value},
                      {"from", entry->from},
                      {"ref", entry->ref},
                      {"origin", entry->origin}});
  return {{"values", values}, {"counts", source_counts_json(provenance)}};
}

}  // namespace switchyard::cli

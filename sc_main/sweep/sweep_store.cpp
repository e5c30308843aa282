// SPDX-License-Identifier: Apache-2.0
#include "sc_main/sweep/sweep_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/errors.h"
#include "platforms/config/text.h"
#include "sc_main/sweep/value_range.h"

namespace switchyard::cli {
namespace {

constexpr std::array<std::string_view, 3> kStatusNames{"missing", "done", "failed"};
constexpr int kFormat = 1;  // of the tables; PRAGMA user_version

// Tables are ordered by key, so that their content does not depend on when a row came. `column` to `plan` are what the
// sweep file shows; `run` and `value` are for ever.
const char* const kTables = R"(
CREATE TABLE IF NOT EXISTS sweep(name TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS "column"(position INTEGER PRIMARY KEY, name TEXT, title TEXT, axis TEXT, paths TEXT) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS measure(position INTEGER PRIMARY KEY, metric TEXT) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS point(number INTEGER PRIMARY KEY, name TEXT) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS setting(point INTEGER, "column" INTEGER, value, number REAL, PRIMARY KEY(point, "column")) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS plan(point INTEGER, position INTEGER, seed INTEGER, run TEXT, PRIMARY KEY(point, position)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS run(key TEXT PRIMARY KEY, config_hash TEXT, seed INTEGER, status TEXT, error TEXT, folder TEXT) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS value(run TEXT, metric TEXT, value REAL, ci95 REAL, unit TEXT, PRIMARY KEY(run, metric)) WITHOUT ROWID;
)";

std::int64_t whole(std::uint64_t value) { return static_cast<std::int64_t>(value); }

/// Plain numbers are numbers in SQL as well; quantities stay text.
SqlValue setting_value(const std::string& text) {
  const auto amount = amount_of(text);
  if (!amount || !amount->is_plain()) return text;
  if (amount->kind == Amount::Kind::whole) return static_cast<std::int64_t>(amount->number);
  return amount->number;
}

}  // namespace

RunStatus status_of(const std::string& name) {
  const auto found = std::find(kStatusNames.begin(), kStatusNames.end(), name);
  return found == kStatusNames.end() ? RunStatus::missing : static_cast<RunStatus>(found - kStatusNames.begin());
}

std::string_view status_name(RunStatus status) { return kStatusNames[static_cast<std::size_t>(status)]; }

const MetricValue* StoredRun::find(const std::string& metric) const {
  const auto found = std::find_if(values.begin(), values.end(), [&](const auto& one) { return one.metric == metric; });
  return found == values.end() ? nullptr : &*found;
}

SweepStore::SweepStore(const std::filesystem::path& folder, const std::string& sweep)
    : folder_(folder), lock_(folder), database_(folder / kStoreFile, Database::Access::write) {
  database_.execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;");
  const auto version = std::get<std::int64_t>(database_.query("PRAGMA user_version").front().front());
  if (version != 0 && version != kFormat)
    throw base::ConfigError(
        (folder / kStoreFile).generic_string(),
        fmt::format("has format {}, this program writes {}; give another folder", version, kFormat));
  database_.transaction([&] {
    database_.execute(kTables);
    database_.execute(fmt::format("PRAGMA user_version={}", kFormat));
    const auto owner = database_.query("SELECT name FROM sweep");
    if (!owner.empty() && sql_text(owner.front().front()) != sweep)
      throw base::ConfigError(folder.generic_string(),
                              fmt::format("holds the sweep {}, not {}; give another folder with --out",
                                          sql_text(owner.front().front()), sweep));
    database_.query("INSERT OR IGNORE INTO sweep VALUES(?)", {sweep});
  });
}

SweepStore::~SweepStore() {
  try {
    database_.execute("PRAGMA journal_mode=DELETE");  // one file again, unless somebody reads just now
  } catch (const base::ConfigError&) {
  }
}

void SweepStore::show(SweepPlan& plan) {
  database_.transaction([&] {
    database_.execute(
        "DELETE FROM \"column\"; DELETE FROM measure; DELETE FROM point; DELETE FROM setting; DELETE FROM plan");
    for (std::size_t c = 0; c < plan.columns().size(); ++c) {
      const SweepColumn& column = plan.columns()[c];
      database_.query("INSERT INTO \"column\" VALUES(?, ?, ?, ?, ?)",
                      {whole(c), column.name, column.title, column.axis, platforms::join(column.paths)});
    }
    for (std::size_t m = 0; m < plan.params().measure.size(); ++m)
      database_.query("INSERT INTO measure VALUES(?, ?)", {whole(m), plan.params().measure[m]});
    for (std::size_t p = 0; p < plan.points().size(); ++p) {
      const SweepPoint& point = plan.points()[p];
      database_.query("INSERT INTO point VALUES(?, ?)", {whole(p + 1), point.name});
      for (std::size_t c = 0; c < point.values.size(); ++c) {
        if (!point.values[c]) continue;
        const auto amount = amount_of(*point.values[c]);
        database_.query(
            "INSERT INTO setting VALUES(?, ?, ?, ?)",
            {whole(p + 1), whole(c), setting_value(*point.values[c]), amount ? SqlValue(amount->number) : SqlValue()});
      }
      show_seeds(p, 0, plan.runs(p, plan.first_seeds()));
    }
    make_view(plan);
  });
}

void SweepStore::show_seeds(std::size_t point, std::size_t first, const std::vector<PlannedRun>& runs) {
  for (std::size_t i = first; i < runs.size(); ++i)
    database_.query("INSERT INTO plan VALUES(?, ?, ?, ?)",
                    {whole(point + 1), whole(i + 1), whole(runs[i].seed), runs[i].key});
}

/// `results`: a row for each run that is shown, with a column for each axis and each metric.
void SweepStore::make_view(const SweepPlan& plan) {
  std::string columns, joins;
  for (std::size_t c = 0; c < plan.columns().size(); ++c)
    columns += fmt::format(", (SELECT value FROM setting WHERE point = point.number AND \"column\" = {}) AS {}", c,
                           sql_name(plan.columns()[c].name));
  for (const std::string& metric : plan.params().measure)
    joins += fmt::format(", (SELECT value FROM value WHERE run = plan.run AND metric = {}) AS {}", sql_string(metric),
                         sql_name(metric));
  database_.execute("DROP VIEW IF EXISTS results");
  database_.execute(fmt::format(
      "CREATE VIEW results AS SELECT point.number AS point, point.name AS name{}, plan.seed AS seed, "
      "coalesce(run.status, 'missing') AS status, run.error AS error, run.folder AS folder{} FROM point JOIN plan ON "
      "plan.point = point.number LEFT JOIN run ON run.key = plan.run ORDER BY plan.point, plan.position",
      columns, joins));
}

std::map<std::string, StoredRun> SweepStore::runs() {
  std::map<std::string, StoredRun> result;
  for (const SqlRow& row : database_.query("SELECT key, config_hash, seed, status, error, folder FROM run"))
    result[sql_text(row[0])] = {sql_text(row[0]),
                                sql_text(row[1]),
                                static_cast<std::uint64_t>(std::get<std::int64_t>(row[2])),
                                status_of(sql_text(row[3])),
                                sql_text(row[4]),
                                sql_text(row[5]),
                                {}};
  for (const SqlRow& row : database_.query("SELECT run, metric, unit, value, ci95 FROM value"))
    if (const auto run = result.find(sql_text(row[0])); run != result.end())
      run->second.values.push_back(
          {sql_text(row[1]), sql_text(row[2]), std::get<double>(row[3]), std::get<double>(row[4])});
  return result;
}

void SweepStore::put(const std::vector<StoredRun>& runs) {
  database_.transaction([&] {
    for (const StoredRun& run : runs) put_one(run);
  });
}

void SweepStore::put_one(const StoredRun& run) {
  database_.query(
      "INSERT OR REPLACE INTO run VALUES(?, ?, ?, ?, ?, ?)",
      {run.key, run.config_hash, whole(run.seed), std::string(status_name(run.status)), run.error, run.folder});
  database_.query("DELETE FROM value WHERE run = ?", {run.key});
  for (const MetricValue& one : run.values)
    database_.query("INSERT INTO value VALUES(?, ?, ?, ?, ?)", {run.key, one.metric, one.value, one.ci95, one.unit});
}

}  // namespace switchyard::cli

// SPDX-License-Identifier: Apache-2.0
#include "sc_main/sweep/database.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include "base/errors.h"
#include "platforms/config/text.h"
#include "platforms/config/value_text.h"

namespace switchyard::cli {
namespace {

constexpr int kPatienceMs = 10'000;  // for another process that reads or commits

struct Finalize {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Statement = std::unique_ptr<sqlite3_stmt, Finalize>;

void bind(sqlite3_stmt* statement, int index, const SqlValue& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) sqlite3_bind_int64(statement, index, *whole);
  if (const auto* number = std::get_if<double>(&value)) sqlite3_bind_double(statement, index, *number);
  if (const auto* text = std::get_if<std::string>(&value))
    sqlite3_bind_text(statement, index, text->c_str(), static_cast<int>(text->size()), SQLITE_TRANSIENT);
}

SqlValue column_value(sqlite3_stmt* statement, int index) {
  switch (sqlite3_column_type(statement, index)) {
    case SQLITE_INTEGER:
      return sqlite3_column_int64(statement, index);
    case SQLITE_FLOAT:
      return sqlite3_column_double(statement, index);
    case SQLITE_NULL:
      return std::monostate{};
    default: {
      const auto* text = static_cast<const char*>(sqlite3_column_blob(statement, index));
      return std::string(text ? text : "", static_cast<std::size_t>(sqlite3_column_bytes(statement, index)));
    }
  }
}

std::string doubled(std::string_view text, char quote) {
  std::string result(1, quote);
  for (const char c : text) result += c == quote ? std::string(2, c) : std::string(1, c);
  return result + quote;
}

}  // namespace

void Database::Close::operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }

void Database::fail(const std::string& doing) const {
  const int code = sqlite3_errcode(handle_.get());
  std::string why = sqlite3_errmsg(handle_.get());
  if (code == SQLITE_FULL) why = "the disk is full";
  if ((code & 0xff) == SQLITE_IOERR) why += " (is the disk full or a file size limited?)";
  throw base::ConfigError(name_, fmt::format("cannot {}: {}", doing, why));
}

void Database::check(int code, const std::string& doing) const {
  if (code != SQLITE_OK) fail(doing);
}

Database::Database(const std::filesystem::path& file, Access access) : name_(file.generic_string()) {
  sqlite3* handle = nullptr;
  const int flags = access == Access::read ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  const int code = sqlite3_open_v2(name_.c_str(), &handle, flags, nullptr);
  handle_.reset(handle);
  if (!handle) throw base::ConfigError(name_, "cannot open: out of memory");
  check(code, "open");
  sqlite3_busy_timeout(handle, kPatienceMs);
  sqlite3_extended_result_codes(handle, 0);
}

void Database::execute(const std::string& sql) {
  check(sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr), "write");
}

std::vector<SqlRow> Database::query(std::string_view sql, const SqlRow& values) {
  sqlite3_stmt* raw = nullptr;
  check(sqlite3_prepare_v2(handle_.get(), sql.data(), static_cast<int>(sql.size()), &raw, nullptr), "read");
  const Statement statement(raw);
  for (std::size_t i = 0; i < values.size(); ++i) bind(raw, static_cast<int>(i) + 1, values[i]);
  std::vector<SqlRow> rows;
  int code = 0;
  while ((code = sqlite3_step(raw)) == SQLITE_ROW) {
    SqlRow& row = rows.emplace_back();
    for (int c = 0; c < sqlite3_column_count(raw); ++c) row.push_back(column_value(raw, c));
  }
  if (code != SQLITE_DONE) fail(sqlite3_stmt_readonly(raw) != 0 ? "read" : "write");
  return rows;
}

std::vector<SqlRow> Database::query_read_only(const std::string& sql, std::vector<std::string>& columns) {
  sqlite3_limit(handle_.get(), SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_stmt* raw = nullptr;
  const char* rest = nullptr;
  if (sqlite3_prepare_v2(handle_.get(), sql.c_str(), -1, &raw, &rest) != SQLITE_OK)
    throw base::ConfigError("--sql", sqlite3_errmsg(handle_.get()));
  const Statement statement(raw);
  if (!raw) throw base::ConfigError("--sql", "expected a SELECT, found nothing");
  if (std::string_view(rest).find_first_not_of(" \t\r\n;") != std::string_view::npos)
    throw base::ConfigError("--sql", fmt::format("expected one statement, found more: {}", platforms::shown(rest)));
  if (sqlite3_stmt_readonly(raw) == 0 || sqlite3_column_count(raw) == 0)
    throw base::ConfigError("--sql", "results are only read; expected a SELECT");
  for (int c = 0; c < sqlite3_column_count(raw); ++c) columns.emplace_back(sqlite3_column_name(raw, c));
  return query(sql);
}

void Database::transaction(const std::function<void()>& work) {
  execute(sqlite3_db_readonly(handle_.get(), "main") != 0 ? "BEGIN" : "BEGIN IMMEDIATE");
  try {
    work();
    execute("COMMIT");
  } catch (...) {
    sqlite3_exec(handle_.get(), "ROLLBACK", nullptr, nullptr, nullptr);  // fails when SQLite has done it already
    throw;
  }
}

std::string sql_text(const SqlValue& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return std::to_string(*whole);
  if (const auto* number = std::get_if<double>(&value)) return platforms::value_text(*number);
  const auto* text = std::get_if<std::string>(&value);
  return text ? *text : "";
}

std::string sql_name(std::string_view name) { return doubled(name, '"'); }
std::string sql_string(std::string_view text) { return doubled(text, '\''); }

}  // namespace switchyard::cli

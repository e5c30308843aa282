// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

struct sqlite3;

namespace switchyard::cli {

/// A value of SQL.
using SqlValue = std::variant<std::monostate, std::int64_t, double, std::string>;
using SqlRow = std::vector<SqlValue>;

/// One SQLite database. Everything throws base::ConfigError that names the file: a full disk or a file that is none is
/// the user's to mend.
/// A connection belongs to the process that opened it; a forked child must neither use nor close it.
class Database {
 public:
  enum class Access : std::uint8_t { read, write };
  Database(const std::filesystem::path& file, Access access);

  /// Statements without result, separated by `;`.
  void execute(const std::string& sql);
  /// One statement with `?` for each of `values`; its rows.
  std::vector<SqlRow> query(std::string_view sql, const SqlRow& values = {});
  /// The same for a statement of somebody else: refuses what would change anything. `columns` becomes their names.
  std::vector<SqlRow> query_read_only(const std::string& sql, std::vector<std::string>& columns);
  /// Does `work` in one transaction: all of it or, when it throws, nothing. Readers see one state throughout.
  void transaction(const std::function<void()>& work);

 private:
  struct Close {
    void operator()(sqlite3* handle) const;
  };
  [[noreturn]] void fail(const std::string& doing) const;
  void check(int code, const std::string& doing) const;

  std::string name_;
  std::unique_ptr<sqlite3, Close> handle_;
};

/// The text of a value: nothing for null, numbers so that they read back exactly.
std::string sql_text(const SqlValue& value);
/// `name` as an SQL identifier, and `text` as an SQL string.
std::string sql_name(std::string_view name);
std::string sql_string(std::string_view text);

}  // namespace switchyard::cli

// SPDX-License-Identifier: Apache-2.0
#include "sc_main/sweep/filter.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "platforms/config/text.h"
#include "sc_main/sweep/value_range.h"

namespace switchyard::cli {
namespace {

using platforms::shown;
using Row = Filter::Row;
using Condition = std::function<bool(const Row&)>;

/// A number, or a text that is none (`number` is then not a number).
struct Operand {
  double number = std::numeric_limits<double>::quiet_NaN();
  std::string text;
};
using Expression = std::function<Operand(const Row&)>;

Operand operand_of(const std::string& text) {
  const auto amount = amount_of(text);
  return amount ? Operand{amount->number, text} : Operand{std::numeric_limits<double>::quiet_NaN(), text};
}

bool compare(const std::string& op, const Operand& a, const Operand& b) {
  const bool are_numbers = !std::isnan(a.number) && !std::isnan(b.number);
  if (op == "==") return are_numbers ? a.number == b.number : a.text == b.text;
  if (op == "!=") return are_numbers ? a.number != b.number : a.text != b.text;
  if (op == "<") return a.number < b.number;
  if (op == "<=") return a.number <= b.number;
  return op == ">" ? a.number > b.number : a.number >= b.number;
}

double calculate(char op, double a, double b) {
  if (op == '+') return a + b;
  if (op == '-') return a - b;
  return op == '*' ? a * b : a / b;
}

/// Recursive descent over the text; throws std::invalid_argument with what is wrong.
class Reader {
 public:
  Reader(const std::string& text, const std::vector<std::string>& columns) : text_(text), columns_(columns) {}

  Condition read() {
    Condition result = read_or();
    skip_spaces();
    if (at_ < text_.size()) fail("an operator was expected");
    return result;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw std::invalid_argument(
        fmt::format("{} at {}", what, at_ < text_.size() ? shown(text_.substr(at_)) : "the end"));
  }
  void skip_spaces() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  static bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
  std::string peek_word() {
    skip_spaces();
    std::size_t end = at_;
    while (end < text_.size() && is_word(text_[end])) ++end;
    return text_.substr(at_, end - at_);
  }
  bool take_word(std::string_view word) {
    if (peek_word() != word) return false;
    at_ += word.size();
    return true;
  }
  bool take(std::string_view symbol) {
    skip_spaces();
    if (text_.compare(at_, symbol.size(), symbol) != 0) return false;
    at_ += symbol.size();
    return true;
  }

  Condition read_or() {
    Condition left = read_and();
    while (take_word("or")) left = [left, right = read_and()](const Row& row) { return left(row) || right(row); };
    return left;
  }
  Condition read_and() {
    Condition left = read_not();
    while (take_word("and")) left = [left, right = read_not()](const Row& row) { return left(row) && right(row); };
    return left;
  }
  Condition read_not() {
    if (take_word("not")) return [inner = read_not()](const Row& row) { return !inner(row); };
    const std::size_t start = at_;
    if (take("(")) {  // of a condition, or of a sum
      try {
        Condition inner = read_or();
        if (take(")")) return inner;
      } catch (const std::invalid_argument&) {
      }
      at_ = start;
    }
    return read_comparison();
  }
  Condition read_comparison() {
    const Expression left = read_sum();
    for (const char* op : {"==", "!=", "<=", ">=", "<", ">"})
      if (take(op)) {
        return [left, right = read_sum(), op = std::string(op)](const Row& row) {
          return compare(op, left(row), right(row));
        };
      }
    fail("a comparison (== != < <= > >=) was expected");
  }

  template <class Next>
  Expression read_chain(std::array<char, 2> operators, Next next) {
    Expression left = next();
    while (true) {
      const auto found =
          std::find_if(operators.begin(), operators.end(), [&](char c) { return take(std::string_view(&c, 1)); });
      if (found == operators.end()) return left;
      left = [left, right = next(), op = *found](const Row& row) {
        return Operand{calculate(op, left(row).number, right(row).number), ""};
      };
    }
  }
  Expression read_sum() {
    return read_chain({'+', '-'}, [this] { return read_product(); });
  }
  Expression read_product() {
    return read_chain({'*', '/'}, [this] { return read_operand(); });
  }

  Expression read_operand() {
    if (take("(")) {
      Expression inner = read_sum();
      if (!take(")")) fail("a closing ) was expected");
      return inner;
    }
    skip_spaces();
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    if (quote == '"' || quote == '\'') return read_quoted(quote);
    if (std::isdigit(static_cast<unsigned char>(quote)) != 0) return read_amount();
    const std::string word = peek_word();
    if (word.empty()) fail("a column or a value was expected");
    if (std::find(columns_.begin(), columns_.end(), word) == columns_.end())
      throw std::invalid_argument(fmt::format("unknown column {}{} (texts stand in quotes)", shown(word),
                                              platforms::allowed_names(word, columns_)));
    at_ += word.size();
    return [word](const Row& row) {
      const auto found = row.find(word);
      return found == row.end() ? Operand{} : operand_of(found->second);
    };
  }
  Expression read_quoted(char quote) {
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string::npos) fail("the closing quote is missing");
    const Operand value = operand_of(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return [value](const Row&) { return value; };
  }
  Expression read_amount() {
    std::size_t end = at_;
    while (end < text_.size() && (is_word(text_[end]) || text_[end] == '.')) ++end;
    std::string number = text_.substr(at_, end - at_);
    at_ = end;
    const std::string unit = take("%") ? "%" : peek_word();
    if (!unit.empty() && amount_of(number + " " + unit)) {
      number += " " + unit;
      if (unit != "%") at_ += unit.size();
    }
    const auto amount = amount_of(number);
    if (!amount) throw std::invalid_argument(fmt::format("{} is no number with a unit", shown(number)));
    return [value = Operand{amount->number, number}](const Row&) { return value; };
  }

  const std::string& text_;
  const std::vector<std::string>& columns_;
  std::size_t at_ = 0;
};

}  // namespace

platforms::Parsed<Filter> Filter::parse(const std::string& text, const std::vector<std::string>& columns) {
  platforms::Parsed<Filter> result;
  try {
    result.value.holds_ = Reader(text, columns).read();
  } catch (const std::invalid_argument& error) {
    result.error = error.what();
  }
  return result;
}

}  // namespace switchyard::cli

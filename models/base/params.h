// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/quantity.h"

namespace switchyard::base {

/// What a parameter is for, for the reader, `describe`, the reference pages and the JSON Schema.
/// `unit` names what a plain number counts (`entries`, `instructions`); quantities bring their own.
struct ParamDoc {
  std::string_view key;
  std::string_view text;
  std::string_view unit = "";
  bool required = false;
};

/// Inclusive bounds of a value, in its base unit (bytes, hertz, picoseconds, plain number).
struct Bounds {
  double min = 0;
  double max = 18446744073709551615.0;
  friend bool operator==(const Bounds&, const Bounds&) = default;
};

/// Bounds of times and latencies that state none: 10^6 s, and 10 s or 10^13 cycles. They only keep sums from
/// overflowing.
inline constexpr Bounds kTimes{0, 1e18};
inline constexpr Bounds kLatencies{0, 1e13};

/// All 64-bit integers with a sign; the upper bound rounds up to 2^63.
inline constexpr Bounds kSigned{-9223372036854775808.0, 9223372036854775808.0};

class ParamVisitor;

/// A group of parameters that one declaration, `visit`, makes readable, describable and checkable.
class ParamSet {
 public:
  ParamSet() = default;
  ParamSet(const ParamSet&) = default;
  ParamSet& operator=(const ParamSet&) = default;
  virtual ~ParamSet() = default;
  /// Lists every parameter once, in the order of the documentation. The only such list.
  virtual void visit(ParamVisitor& v) = 0;
  /// What is wrong with the combination of values, values included; empty when all is well.
  virtual std::string check() const { return ""; }
  /// Memory of the host that one object with these parameters takes, where it is large; for refusing machines that
  /// would not fit.
  virtual std::uint64_t host_bytes() const { return 0; }
};

/// A named group of parameters whose type is chosen by a sibling key (`type: cache` decides what `params` may hold).
/// `make` returns nullptr for an unknown name; `names` are the valid ones.
class ParamSetFactory {
 public:
  virtual ~ParamSetFactory() = default;
  virtual std::unique_ptr<ParamSet> make(std::string_view name) const = 0;
  virtual std::vector<std::string> names() const = 0;
};

/// Visits parameters: the YAML reader fills them, the writer and the describers read them.
/// A reading visitor reports all errors it meets to its own diagnostics and leaves the field as it was.
class ParamVisitor {
 public:
  virtual ~ParamVisitor() = default;

  virtual void value(const ParamDoc& doc, bool& field) = 0;
  virtual void value(const ParamDoc& doc, std::uint64_t& field, Bounds bounds = {}) = 0;
  virtual void value(const ParamDoc& doc, std::int64_t& field, Bounds bounds = kSigned) = 0;
  virtual void value(const ParamDoc& doc, double& field, Bounds bounds = {}) = 0;
  virtual void value(const ParamDoc& doc, std::string& field) = 0;
  virtual void value(const ParamDoc& doc, Bytes& field, Bounds bounds = {}) = 0;
  virtual void value(const ParamDoc& doc, Frequency& field, Bounds bounds = {1, 1e12}) = 0;
  virtual void value(const ParamDoc& doc, Duration& field, Bounds bounds = kTimes) = 0;
  virtual void value(const ParamDoc& doc, Latency& field, Bounds bounds = kLatencies) = 0;
  virtual void value(const ParamDoc& doc, Fraction& field, Bounds bounds = {0, 1}) = 0;
  /// An address: read from hex or decimal, written in hex.
  virtual void address(const ParamDoc& doc, Address& field, Bounds bounds = {}) = 0;
  virtual void list(const ParamDoc& doc, std::vector<std::uint64_t>& field, Bounds bounds = {}) = 0;
  virtual void list(const ParamDoc& doc, std::vector<std::string>& field) = 0;
  /// One of `names`, held as its index.
  virtual void choice_index(const ParamDoc& doc, std::size_t& field, std::span<const std::string_view> names) = 0;

  /// A nested group under `doc.key`.
  virtual void object(const ParamDoc& doc, ParamSet& field) = 0;

  /// One of `names` as an enum whose enumerators count up from zero in the order of `names`.
  template <class E>
  requires std::is_enum_v<E>
  void choice(const ParamDoc& doc, E& field, std::span<const std::string_view> names) {
    auto index = static_cast<std::size_t>(field);
    choice_index(doc, index, names);
    field = static_cast<E>(index);
  }

  /// A sequence of groups: `key: [{...}, {...}]`.
  template <std::derived_from<ParamSet> T>
  void sequence(const ParamDoc& doc, std::vector<T>& field) {
    const std::size_t n = begin_sequence(doc, field.size());
    field.resize(n);
    T prototype{};
    if (wants_prototype()) item(0, prototype);
    for (std::size_t i = 0; i < n; ++i) item(i, field[i]);
    end_sequence();
  }

  /// A map with free keys: `key: {name1: {...}, name2: {...}}`, kept in the order of the file. `make` makes new groups.
  template <std::derived_from<ParamSet> T, class Make = T (*)()>
  void named(
      const ParamDoc& doc, std::vector<std::pair<std::string, T>>& field, Make make = [] { return T{}; }) {
    std::vector<std::string> keys;
    for (const auto& [name, value] : field) keys.push_back(name);
    keys = begin_named(doc, keys);
    std::vector<std::pair<std::string, T>> next;
    for (const std::string& key : keys) {
      next.emplace_back(key, make());
      for (auto& [name, value] : field)
        if (name == key) next.back().second = std::move(value);
    }
    field = std::move(next);
    T prototype = make();
    if (wants_prototype()) named_item("<name>", prototype);
    for (auto& [name, value] : field) named_item(name, value);
    end_named();
  }

  /// A group whose contents depend on the name in a sibling key: `type_key: cache, key: {...}`.
  /// Replaces `field` by a fresh group when the name in the input differs from `name`; sets `name`.
  virtual void typed(const ParamDoc& type_doc, std::string& name, const ParamDoc& doc, std::unique_ptr<ParamSet>& field,
                     const ParamSetFactory& factory) = 0;

  /// A sequence of single-key maps, each key choosing the group below it: `key: [{touch: {...}}, {loop: {...}}]`.
  /// Used by workload programs; a group may hold such a sequence itself.
  virtual void steps(const ParamDoc& doc, std::vector<std::pair<std::string, std::unique_ptr<ParamSet>>>& field,
                     const ParamSetFactory& factory) = 0;

 protected:
  /// Describing visitors return true and are shown one default-constructed item instead of the real ones.
  virtual bool wants_prototype() const { return false; }
  /// Reading visitors return the number of items in the input, others `size`.
  virtual std::size_t begin_sequence(const ParamDoc& doc, std::size_t size) = 0;
  virtual void item(std::size_t index, ParamSet& value) = 0;
  virtual void end_sequence() = 0;
  virtual std::vector<std::string> begin_named(const ParamDoc& doc, const std::vector<std::string>& keys) = 0;
  virtual void named_item(const std::string& name, ParamSet& value) = 0;
  virtual void end_named() = 0;
};

}  // namespace switchyard::base

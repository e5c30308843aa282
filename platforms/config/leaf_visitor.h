// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/params.h"

namespace switchyard::platforms {

/// What a parameter without parameters below it holds.
enum class LeafType : std::uint8_t {
  boolean,
  integer,
  signed_integer,
  number,
  text,
  size,
  frequency,
  time,
  latency,
  fraction,
  address,
  choice,
  integer_list,
  text_list
};

/// A parameter as those who only look at it see it.
struct Leaf {
  const base::ParamDoc& doc;
  LeafType type;
  std::vector<std::string> values;            // canonical text: one scalar, or the items of a list
  base::Bounds bounds = {};                   // of quantities and numbers
  std::span<const std::string_view> names{};  // of choices

  bool is_list() const { return type == LeafType::integer_list || type == LeafType::text_list; }
  /// Scalar `i` as YAML.
  std::string yaml(std::size_t i) const;
  /// The whole as YAML: `64 KiB` or `[1, 2]`.
  std::string yaml() const;
  /// `1 to 64`, `at least 1`, or nothing when all values of the type are allowed.
  std::string range() const;
};

/// Sees every scalar and list through one function; for visitors that do not change what they visit.
class LeafVisitor : public base::ParamVisitor {
 public:
  void value(const base::ParamDoc& doc, bool& field) final;
  void value(const base::ParamDoc& doc, std::uint64_t& field, base::Bounds bounds) final;
  void value(const base::ParamDoc& doc, std::int64_t& field, base::Bounds bounds) final;
  void value(const base::ParamDoc& doc, double& field, base::Bounds bounds) final;
  void value(const base::ParamDoc& doc, std::string& field) final;
  void value(const base::ParamDoc& doc, base::Bytes& field, base::Bounds bounds) final;
  void value(const base::ParamDoc& doc, base::Frequency& field, base::Bounds bounds) final;
  void value(const base::ParamDoc& doc, base::Duration& field, base::Bounds bounds) final;
  void value(const base::ParamDoc& doc, base::Latency& field, base::Bounds bounds) final;
  void value(const base::ParamDoc& doc, base::Fraction& field, base::Bounds bounds) final;
  void address(const base::ParamDoc& doc, base::Address& field, base::Bounds bounds) final;
  void list(const base::ParamDoc& doc, std::vector<std::uint64_t>& field, base::Bounds bounds) final;
  void list(const base::ParamDoc& doc, std::vector<std::string>& field) final;
  void choice_index(const base::ParamDoc& doc, std::size_t& field, std::span<const std::string_view> names) final;

 protected:
  virtual void leaf(const Leaf& leaf) = 0;
};

}  // namespace switchyard::platforms

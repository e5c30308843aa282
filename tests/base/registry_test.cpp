// SPDX-License-Identifier: Apache-2.0
#include "base/registry.h"

#include <boost/test/unit_test.hpp>

namespace switchyard::test {

namespace {

struct Shape {
  virtual ~Shape() = default;
  virtual std::string text() const = 0;
};

struct SquareParams : base::ParamSet {
  std::uint64_t side = 4;
  void visit(base::ParamVisitor& v) override { v.value({"side", "Length of a side"}, side); }
};

struct Square : Shape {
  using Params = SquareParams;
  Square(const std::string& name, const Params& params) : text_(name + ":" + std::to_string(params.side)) {}
  std::string text() const override { return text_; }
  std::string text_;
};

struct Circle : Square {
  using Square::Square;
};

using Shapes = base::Registry<Shape, const std::string&>;

}  // namespace

BOOST_AUTO_TEST_SUITE(registry)

BOOST_AUTO_TEST_CASE(types_are_listed_in_the_order_of_registration) {
  Shapes shapes;
  shapes.add<Square>("square", "Four sides");
  shapes.add<Circle>("circle", "No sides");
  BOOST_TEST(shapes.names() == (std::vector<std::string>{"square", "circle"}), boost::test_tools::per_element());
  BOOST_TEST(shapes.types()[1].text == "No sides");
}

BOOST_AUTO_TEST_CASE(a_type_is_built_from_its_arguments_and_parameters) {
  Shapes shapes;
  shapes.add<Square>("square", "Four sides");
  const auto params = shapes.make("square");
  BOOST_TEST_REQUIRE(params != nullptr);
  dynamic_cast<SquareParams&>(*params).side = 9;
  BOOST_TEST(shapes.find("square")->build("s", *params)->text() == "s:9");
}

BOOST_AUTO_TEST_CASE(parameters_start_from_their_defaults) {
  Shapes shapes;
  shapes.add<Square>("square", "Four sides");
  BOOST_TEST(dynamic_cast<SquareParams&>(*shapes.make("square")).side == 4u);
}

BOOST_AUTO_TEST_CASE(an_unknown_name_has_no_type_and_no_parameters) {
  Shapes shapes;
  shapes.add<Square>("square", "Four sides");
  BOOST_TEST((shapes.find("Square") == nullptr));
  BOOST_TEST((shapes.make("") == nullptr));
}

BOOST_AUTO_TEST_CASE(a_name_is_registered_once) {
  Shapes shapes;
  shapes.add<Square>("square", "Four sides");
  BOOST_CHECK_EXCEPTION(shapes.add<Circle>("square", "Again"), base::InternalError, [](const auto& error) {
    return std::string(error.what()).find("a type is registered once") != std::string::npos;
  });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace switchyard::test

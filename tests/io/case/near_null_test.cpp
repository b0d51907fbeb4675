// The key solver.near_null of a case file.
#include "tests/io/case_support.hpp"

namespace trestle::test {
namespace {

std::string case_with(const std::string& physics, const std::string& solver) {
  const bool heat = physics == "heat";
  return "physics: " + physics +
         "\nmesh: {generate: {box: {size: [1, 1], cells: [2, 2], cell: quad4}}}\nmaterials: {m: " +
         (heat ? "{conductivity: 1}" : "{young: 1, poisson: 0.3}") + "}\nboundary: [{on: xmin, " +
         (heat ? "temperature: 300" : "displacement: [0, 0]") + "}]\nsolver: " + solver + "\n";
}

TEST(CaseNearNull, IsReadAndComesBackFromTheResolvedCopy) {
  const io::Case c = parsed(case_with(
      "elasticity", "{near_null: {replace: true, fields: [{field: [1, 0]}, {field: [-y, x]}]}}"));
  EXPECT_TRUE(c.problem.near_null.replace);
  ASSERT_EQ(c.problem.near_null.fields.size(), 2u);
  ASSERT_EQ(c.problem.near_null.fields[1].components.size(), 2u);
  EXPECT_EQ((*c.problem.near_null.fields[1].components[0])(1, 3, 0), -3);
  const io::Case again = parsed(c.resolved);
  EXPECT_EQ(again.resolved, c.resolved);
  EXPECT_EQ(again.problem.near_null.fields.size(), 2u);
  EXPECT_FALSE(
      parsed(case_with("heat", "{near_null: {fields: [{field: x}]}}")).problem.near_null.replace);
}

TEST(CaseNearNull, IsRefusedWhereItHasNoMeaning) {
  expect_mistake(case_with("heat", "{method: direct, near_null: {fields: [{field: x}]}}"),
                 "solver.near_null: is of multigrid");
  expect_mistake(case_with("heat", "{near_null: {replace: true}}"), "fields");
  expect_mistake(case_with("heat", "{near_null: {fields: [{field: x*t}]}}"), "t");
  expect_mistake(case_with("heat", "{near_null: {fields: [{field: [x, y]}]}}"), "field");
}

}  // namespace
}  // namespace trestle::test

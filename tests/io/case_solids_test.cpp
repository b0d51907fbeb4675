// Materials of solids: which keys make which law, and the mistakes of those that do not fit.
#include <gtest/gtest.h>

#include "physics/solid_materials.hpp"
#include "tests/io/case_support.hpp"

namespace trestle::io {
namespace {

using test::expect_mistake;
using test::joined;
using test::mistakes;
using test::parsed;

std::string with(const std::string& material, const std::string& top = "") {
  return "physics: elasticity\n" + top + "mesh: {file: m.msh}\nmaterials:\n  solid: {" + material +
         "}\nboundary: [{on: foot, displacement: 0}]\n";
}
physics::Problem problem(const std::string& material) { return parsed(with(material)).problem; }
fem::Law law(const std::string& material) {
  return physics::law_of(problem(material).materials.front());
}

TEST(SolidMaterials, LawFollowsFromTheWordOrFromTheKeys) {
  EXPECT_EQ(law("young: 1, poisson: 0.3"), fem::Law::linear);
  EXPECT_EQ(law("young: 1, poisson: 0.3, yield_stress: 2"), fem::Law::j2_plasticity);
  EXPECT_EQ(law("young: 1, poisson: 0.3, hardening: [[0, 1], [0.1, 2]]"), fem::Law::j2_plasticity);
  EXPECT_EQ(law("law: neo_hookean, shear_modulus: 1, bulk_modulus: 2"), fem::Law::neo_hookean);
  EXPECT_EQ(law("law: neo_hookean, young: 1, poisson: 0.4"), fem::Law::neo_hookean);
  EXPECT_EQ(law("law: mooney_rivlin, c10: 1, c01: 2, bulk_modulus: 3"), fem::Law::mooney_rivlin);
}

TEST(SolidMaterials, NumbersOfTheKernelsAreInTheirPlaces) {
  using namespace fem::solid_parameter;
  const physics::Problem given =
      parsed(
          "physics: elasticity\nmesh: {file: m.msh}\nmaterials:\n"
          "  a: {on: a, young: 210 GPa, poisson: 0.25, yield_stress: 250 MPa, hardening_modulus: 1 "
          "GPa}\n"
          "  b: {on: b, young: 70 GPa, poisson: 0.25, hardening: [[0, 100 MPa], [1 %, 150 MPa]]}\n"
          "  c: {on: c, law: mooney_rivlin, c10: 3, c01: 2, bulk_modulus: 900}\n"
          "boundary: [{on: foot, displacement: 0}]\n")
          .problem;
  EXPECT_EQ(physics::hardening_points(given),
            (std::vector<double>{0, 250e6, 0, 100e6, 0.01, 150e6}));
  const auto values = [&](std::size_t m) {
    return physics::solid_values(given, given.materials[m], {});
  };
  EXPECT_DOUBLE_EQ(values(0)[shear], 84e9);
  EXPECT_DOUBLE_EQ(values(0)[bulk], 140e9);
  EXPECT_EQ(values(0)[second], 1e9);
  EXPECT_EQ(values(0)[n_points], 1);
  EXPECT_EQ(values(1)[first_point], 1);
  EXPECT_EQ(values(1)[n_points], 2);
  EXPECT_EQ(values(1)[second], 0);
  EXPECT_EQ(values(2)[shear], 3);
  EXPECT_EQ(values(2)[second], 2);
  EXPECT_EQ(values(2)[bulk], 900);
}

TEST(SolidMaterials, KeysThatDoNotFitTheLawAreToldWithTheirPlace) {
  expect_mistake(with("law: neo_hookean, shear_modulus: 1"),
                 "case.yaml:4:10: the key materials.solid.bulk_modulus is missing");
  expect_mistake(with("young: 1, poisson: 0.3, bulk_modulus: 2"),
                 "materials.solid.bulk_modulus: does not belong to the law linear");
  expect_mistake(with("law: neo_hookean, young: 1, poisson: 0.3, shear_modulus: 2"),
                 "stands beside young and poisson");
  expect_mistake(with("young: 1, poisson: 0.3, yield_stress: 2, hardening: [[0, 1]]"),
                 "stands beside hardening");
  expect_mistake(with("law: neo_hokean, young: 1, poisson: 0.3"), "neo_hookean");
  expect_mistake(with("law: neo_hookean, young: 1, poisson: 0.3, thermal_expansion: 1e-5"),
                 "does not belong to the law neo_hookean");
  EXPECT_EQ(mistakes(with("law: mooney_rivlin, young: -1")).size(), 5u);
}

TEST(SolidMaterials, AHardeningCurveRisesFromStrainZero) {
  const auto curve = [](const std::string& points) {
    return with("young: 1, poisson: 0.3, hardening: " + points);
  };
  expect_mistake(curve("[[0.1, 1], [0.2, 2]]"), "the first point is [0, yield stress]");
  expect_mistake(curve("[[0, 1], [0, 2]]"), "plastic strains must rise");
  expect_mistake(curve("[[0, 2], [0.1, 1]]"), "softening");
  expect_mistake(curve("[[0, 0]]"), "above 0");
  expect_mistake(curve("[[0, 1], 2]"), "hardening.1: expected a pair of numbers");
  expect_mistake(curve("[[0, 1 m]]"), "hardening.0.1");
  expect_mistake(curve("250 MPa"), "expected a list of pairs");
}

TEST(SolidMaterials, APressureFollowsTheSurfaceAtFiniteStrainsAlone) {
  const auto pressed = [](const std::string& law, const std::string& rest) {
    return "physics: elasticity\n"
           "mesh: {file: bracket.msh}\n" +
           rest + "materials: {rubber: {young: 1, poisson: 0.3, density: 1" + law +
           "}}\n"
           "boundary: [{on: foot, displacement: [0, 0, 0]}, {on: lug, follower_pressure: 1}]\n";
  };
  const std::string rubber = ", law: neo_hookean";
  EXPECT_NO_THROW(test::parsed(pressed(rubber, "")));
  expect_mistake(pressed("", ""), "follower_pressure: is for static and transient analyses with a");
  EXPECT_NO_THROW(test::parsed(pressed(rubber, "analysis: {type: transient, end: 1, step: 1}\n")));
  expect_mistake(
      pressed(rubber, "analysis: {type: transient, end: 1, step: 1, damping: {stiffness: 1}}\n"),
      "follower_pressure: does not go with damping.stiffness");
  expect_mistake(pressed("", "analysis: {type: transient, end: 1, step: 1}\n"),
                 "follower_pressure: is for static and transient analyses");
  expect_mistake(pressed(rubber, "model: plane_stress\n"), "follower_pressure: is not for plane");
}

TEST(SolidMaterials, WhatALawCannotDoIsRefused) {
  const std::string model = "model: plane_stress\n";
  expect_mistake(with("young: 1, poisson: 0.3", model + "formulation: mean_dilatation\n"),
                 "plane_stress does not lock");
  expect_mistake(
      with("young: 1, poisson: 0.3, yield_stress: 2", "cases: [{name: a, boundary: []}]\n"),
      "case.yaml:2:1: cases: load cases share one matrix");
  expect_mistake(test::heat_case + "formulation: mean_dilatation\n", "formulation: is for solids");
}

TEST(SolidMaterials, TheResolvedCaseReadsBack) {
  const Case c = parsed(with("young: 1, poisson: 0.3, hardening: [[0, 2 MPa], [0.1, 3 MPa]]",
                             "formulation: mean_dilatation\n"));
  const std::string text = c.resolved;
  const Case again = parsed(text);
  EXPECT_EQ(again.problem.formulation, fem::Formulation::mean_dilatation);
  EXPECT_EQ(physics::hardening_points(again.problem), physics::hardening_points(c.problem));
  EXPECT_NO_THROW(parsed(parsed(test::heat_case).resolved));
}

}  // namespace
}  // namespace trestle::io

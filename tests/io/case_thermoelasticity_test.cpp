// Thermoelasticity in a case file: the words of both fields, and what must not stand together.
#include <gtest/gtest.h>

#include "physics/models/thermoelasticity.hpp"
#include "tests/io/case_support.hpp"

namespace trestle::io {
namespace {

using test::expect_mistake;
using test::joined;
using test::mistakes;
using test::parsed;

const std::string both =
    "conductivity: 50, young: 210 GPa, poisson: 0.3, thermal_expansion: 1.2e-5, "
    "reference_temperature: 20 degC";

std::string with(const std::string& material, const std::string& top = "",
                 const std::string& boundary = "") {
  return "physics: thermoelasticity\n" + top + "mesh: {file: m.msh}\nmaterials:\n  steel: {" +
         material + "}\nboundary:\n  - {on: foot, displacement: 0}\n" +
         "  - {on: foot, temperature: 300}\n" + boundary;
}

TEST(ThermoelasticCase, FallsIntoHeatAndMechanics) {
  const physics::Problem problem =
      parsed(with(both, "model: plane_stress\n",
                  "  - {on: top, convection: {coefficient: 5, ambient: 300}}\n"
                  "  - {on: top, pressure: 1 MPa}\n"))
          .problem;
  const physics::Problem heat = physics::heat_part(problem), solid = physics::solid_part(problem);
  ASSERT_EQ(heat.conditions.size(), 2u);
  EXPECT_EQ(heat.conditions[0].type, "temperature");
  EXPECT_EQ(heat.conditions[1].type, "convection");
  EXPECT_EQ(heat.materials.front().parameters.size(), 1u);
  EXPECT_FALSE(heat.model.has_value());
  ASSERT_EQ(solid.conditions.size(), 2u);
  EXPECT_EQ(solid.conditions[0].type, "displacement");
  EXPECT_EQ(solid.conditions[1].type, "pressure");
  EXPECT_EQ(solid.materials.front().parameters.size(), 4u);
  EXPECT_EQ(solid.model, "plane_stress");
}

TEST(ThermoelasticCase, LoadCasesWithoutHeatShareOneTemperature) {
  const auto cases = [](const std::string& load) {
    return with(both) + "cases:\n  - {name: a, boundary: [{on: top, " + load + "}]}\n" +
           "  - {name: b, boundary: [{on: top, pressure: 2}]}\n";
  };
  EXPECT_TRUE(physics::heat_part(parsed(cases("pressure: 1")).problem).cases.empty());
  EXPECT_EQ(physics::heat_part(parsed(cases("flux: 1")).problem).cases.size(), 2u);
}

TEST(ThermoelasticCase, EveryMaterialSaysHowItExpands) {
  const std::string messages =
      joined(mistakes(with("conductivity: 50, young: 210 GPa, poisson: 0.3")));
  EXPECT_NE(messages.find("the key materials.steel.thermal_expansion is missing"),
            std::string::npos)
      << messages;
  EXPECT_NE(messages.find("the key materials.steel.reference_temperature is missing"),
            std::string::npos)
      << messages;
  expect_mistake(with("young: 210 GPa, poisson: 0.3, thermal_expansion: 1e-5, "
                      "reference_temperature: 300"),
                 "materials.steel.conductivity is missing");
}

TEST(ThermoelasticCase, LawsForFiniteStrainsAreRefused) {
  expect_mistake(
      with("conductivity: 50, law: neo_hookean, shear_modulus: 1 MPa, bulk_modulus: 2 MPa"),
      "laws for finite strains have no thermal strain");
}

TEST(ThermoelasticCase, CombinationsAreRefusedAndSayWhy) {
  expect_mistake(with(both) + "cases:\n  - {name: a, boundary: [{on: top, pressure: 1}]}\n" +
                     "combine:\n  - {name: b, of: {a: 2}}\n",
                 "combine: thermal strains count from a reference temperature");
}

}  // namespace
}  // namespace trestle::io

// The sections analysis and initial of a case: what they give, and their mistakes.
#include "tests/io/case_support.hpp"

namespace trestle::io {
namespace {

using physics::AnalysisType, physics::TimeScheme;
using test::expect_mistake;
using test::parsed;

std::string heat(const std::string& analysis, const std::string& rest) {
  return "physics: heat\n"
         "mesh: {file: plate.msh}\n"
         "analysis: " +
         analysis +
         "\n"
         "materials: {iron: {conductivity: 50, density: 7800, specific_heat: 450}}\n" +
         rest;
}
std::string solid(const std::string& analysis, const std::string& rest = "") {
  return "physics: elasticity\n"
         "mesh: {file: plate.msh}\n"
         "analysis: " +
         analysis +
         "\n"
         "materials: {steel: {young: 210 GPa, poisson: 0.3, density: 7850}}\n" +
         rest;
}
const std::string warm = "initial: [{temperature: 300}]\n";

TEST(CaseAnalysis, GivesItsValuesInSi) {
  const Case c = parsed(
      heat("{type: transient, end: 2 min, step: 500 ms, scheme: crank_nicolson, mass: lumped, "
           "tolerance: 1e-3, largest_step: 5}",
           "initial: [{temperature: 20 degC}, {on: hot, temperature: \"400 + x\"}]\n"
           "output: {every: 30 s, times: [1, 2.5]}\n"));
  const physics::AnalysisOptions& analysis = c.problem.analysis;
  EXPECT_EQ(analysis.type, AnalysisType::transient);
  EXPECT_EQ(analysis.scheme, TimeScheme::crank_nicolson);
  EXPECT_EQ(analysis.mass, physics::MassKind::lumped);
  EXPECT_DOUBLE_EQ(analysis.end, 120);
  EXPECT_DOUBLE_EQ(analysis.step, 0.5);
  EXPECT_DOUBLE_EQ(analysis.tolerance, 1e-3);
  EXPECT_DOUBLE_EQ(analysis.largest_step, 5);
  ASSERT_EQ(c.problem.initial.size(), 2U);
  EXPECT_TRUE(c.problem.initial[0].on.empty());
  EXPECT_DOUBLE_EQ(c.problem.initial[0].parameters.at("value").components[0]->number(), 293.15);
  EXPECT_EQ(c.problem.initial[1].on[0].name, "hot");
  EXPECT_DOUBLE_EQ(c.output.every, 30);
  EXPECT_EQ(c.output.times, (std::vector<double>{1, 2.5}));
}

TEST(CaseAnalysis, TheDefaultSchemeFollowsThePhysics) {
  EXPECT_EQ(parsed(heat("{type: transient, end: 1, step: 0.1}", warm)).problem.analysis.scheme,
            TimeScheme::bdf2);
  EXPECT_EQ(parsed(solid("{type: transient, end: 1, step: 0.1}")).problem.analysis.scheme,
            TimeScheme::generalized_alpha);
  expect_mistake(heat("{type: transient, end: 1, step: 0.1, scheme: newmark}", warm),
                 "unknown word \"newmark\"");
}

TEST(CaseAnalysis, TheResolvedCopyReadsBackTheSame) {
  for (const std::string& text :
       {heat("{type: transient, end: 2 min, step: 0.5, tolerance: 1e-3}",
             warm + "output: {every: 30 s}\n"),
        heat("{newton: {tolerance: 1e-10}, load_steps: 3}",
             "boundary: [{on: hot, radiation: {emissivity: 1, ambient: 300}}]\n"),
        solid("{type: transient, end: 1, step: 0.1, spectral_radius: 0.5, damping: {mass: 2}}"),
        solid("{type: transient, end: 1, step: 0.1, scheme: newmark}"),
        solid("{type: transient, end: 1, scheme: central_difference}")}) {
    const Case first = parsed(text);
    const Case second = parsed(first.resolved);
    EXPECT_EQ(second.resolved, first.resolved);
  }
}

TEST(CaseAnalysis, CentralDifferencesLumpTheMassAndFindTheirStep) {
  const physics::AnalysisOptions analysis =
      parsed(solid("{type: transient, end: 1, scheme: central_difference}")).problem.analysis;
  EXPECT_EQ(analysis.mass, physics::MassKind::lumped);
  EXPECT_EQ(analysis.step, 0);
  expect_mistake(solid("{type: transient, end: 1, scheme: central_difference, mass: consistent}"),
                 "analysis.mass: central_difference solves no system and takes mass: lumped");
  expect_mistake(solid("{type: transient, end: 1, scheme: central_difference, tolerance: 1e-3}"),
                 "analysis.tolerance: steps of central_difference do not adapt themselves");
  expect_mistake(solid("{type: transient, end: 1}"), "the key analysis.step is missing");
}

TEST(CaseAnalysis, LobpcgTakesModesByTheirNumberAlone) {
  const auto modal = [](const std::string& rest) {
    return solid("{type: modal, eigensolver: lobpcg" + rest + "}");
  };
  EXPECT_EQ(parsed(modal("")).problem.analysis.eigensolver, physics::Eigensolver::lobpcg);
  EXPECT_EQ(parsed(modal(", modes: 3, max_frequency: 9 Hz")).problem.analysis.modes, 3);
  for (const char* rest :
       {", max_frequency: 9 Hz", ", min_frequency: 1 Hz", ", near_frequency: 3 Hz"})
    expect_mistake(modal(rest), "analysis.eigensolver: lobpcg finds the lowest modes");
  expect_mistake(solid("{eigensolver: lobpcg}"), "analysis.eigensolver: is for modal analyses");
}

TEST(CaseAnalysis, EveryMistakeHasItsSentence) {
  const std::string transient = "{type: transient, end: 10, step: 0.1}";
  expect_mistake(heat("{type: transient, step: 0.1}", warm), "the key analysis.end is missing");
  expect_mistake(heat("{type: transient, end: 1}", warm), "the key analysis.step is missing");
  expect_mistake(heat("{type: transient, end: 1, step: 0}", warm), "must be above 0 s");
  expect_mistake(heat(transient, ""), "the key initial is missing");
  expect_mistake(heat(transient, "initial: []\n"), "the key initial is empty");
  expect_mistake(heat(transient, "initial: [{on: hot}]\n"), "initial: the field is missing");
  expect_mistake(heat("{step: 0.1}", ""), "analysis.step: is for transient analyses");
  expect_mistake(heat("{type: transient, end: 1, step: 0.1, load_steps: 2}", warm),
                 "analysis.load_steps: is for static analyses");
  expect_mistake(heat("{type: static}", warm), "initial: only a transient analysis");
  expect_mistake(heat("{type: transient, end: 1, step: 0.1, largest_step: 1}", warm),
                 "they need analysis.tolerance");
  expect_mistake(heat(transient, warm + "output: {times: [2, 1]}\n"),
                 "the times must ascend, but 1 s follows 2 s");
  expect_mistake(heat(transient, warm + "output: {times: [11]}\n"), "lies behind the end");
  expect_mistake(heat(transient, warm + "output: {every: 11}\n"), "longer than the analysis");
  expect_mistake(heat("{}", "output: {every: 1}\n"), "output.every: is for transient analyses");
  expect_mistake(heat("{type: transient, end: 1e4, step: 0.1}", warm),
                 "results are written after every step, 100000 times");
  expect_mistake(heat(transient, warm + "output: {every: 1e-5}\n"), "at most 20000");
  expect_mistake(solid("{type: transient, end: 1, step: 0.1, scheme: newmark, spectral_radius: 1}"),
                 "is for scheme: generalized_alpha");
  expect_mistake(solid("{}", "output: {fields: [velocity]}\n"),
                 "the result velocity is for transient analyses");
  expect_mistake(
      "physics: heat\nmesh: {file: a.msh}\nanalysis: {type: transient, end: 1, step: 0.1}\n"
      "materials: {iron: {conductivity: 50, density: 7800}}\n" +
          warm,
      "materials.iron.specific_heat: is missing; a transient analysis needs it");
}

TEST(CaseAnalysis, TimeAndTemperatureStandWhereTheyMayOnly) {
  const std::string transient = "{type: transient, end: 10, step: 0.1}";
  const auto flux = [](const std::string& value) {
    return "boundary: [{on: left, flux: \"" + value + "\"}]\n";
  };
  EXPECT_NO_THROW(parsed(heat(transient, warm + flux("5*t"))));
  const std::string pulled = "boundary: [{on: left, traction: [t, 0, 0]}]\n";
  EXPECT_NO_THROW(
      parsed("physics: elasticity\nmesh: {file: plate.msh}\n"
             "materials: {steel: {young: 210 GPa, poisson: 0.3, yield_stress: 250 MPa}}\n" +
             pulled));
  expect_mistake(solid("{}", pulled), "t is the time, and a static analysis has none");
  expect_mistake(heat("{}", flux("5*t")), "flux: t is the time, and a static analysis has none");
  expect_mistake(heat("{}", "cases: [{name: a, boundary: [{on: b, flux: 5*t}]}]\n"),
                 "flux: t is the time, and a static analysis has none");
  expect_mistake(heat(transient, warm + flux("5*T")), "T is the temperature");
  expect_mistake(heat(transient, "initial: [{temperature: \"300 + t\"}]\n"),
                 "t is the time, which this value cannot depend on");
  expect_mistake(
      "physics: heat\nmesh: {file: a.msh}\nmaterials: {iron: {conductivity: \"1 + t\"}}\n",
      "t is the time, which this value cannot depend on");
  EXPECT_NO_THROW(parsed(
      "physics: heat\nmesh: {file: a.msh}\nmaterials: {iron: {conductivity: \"1 + 0.1*T\"}}\n"));
}

}  // namespace
}  // namespace trestle::io

// Modal analyses in a case: keys, what does not go with them, expectations of modes.
#include "tests/io/case_support.hpp"

namespace trestle::test {
namespace {

using io::Case;

const std::string modal_case = elasticity_case + "analysis: {type: modal, modes: 6}\n";

std::string with_analysis(const std::string& content) {
  return elasticity_case + "analysis: {type: modal" + content + "}\n";
}

TEST(CaseModal, ReadsModesAndFrequencies) {
  const Case c = parsed(
      with_analysis(", modes: 12, mass: lumped, min_frequency: 10 Hz, max_frequency: 1 kHz"));
  EXPECT_EQ(c.problem.analysis.type, physics::AnalysisType::modal);
  EXPECT_EQ(c.problem.analysis.modes, 12);
  EXPECT_EQ(c.problem.analysis.mass, physics::MassKind::lumped);
  EXPECT_EQ(c.problem.analysis.min_frequency, 10);
  EXPECT_EQ(c.problem.analysis.max_frequency, 1000);
  EXPECT_FALSE(c.problem.analysis.near_frequency);
  const Case again = parsed(c.resolved);
  EXPECT_EQ(again.problem.analysis.modes, 12);
  EXPECT_EQ(again.problem.analysis.max_frequency, 1000);
  EXPECT_EQ(again.resolved, c.resolved);
  EXPECT_EQ(parsed(with_analysis("")).problem.analysis.modes, 0);
}

TEST(CaseModal, RefusesWhatDoesNotFit) {
  expect_mistake(with_analysis(", modes: 0"), "analysis.modes");
  expect_mistake(with_analysis(", min_frequency: 10, max_frequency: 5"), "is not above");
  expect_mistake(with_analysis(", near_frequency: 10, max_frequency: 50"), "goes with modes");
  expect_mistake(with_analysis(", end: 1 s"), "is for transient analyses, this one is modal");
  expect_mistake(with_analysis(", load_steps: 3"), "is for static analyses");
  expect_mistake(elasticity_case + "analysis: {modes: 3}\n", "is for modal analyses");
  expect_mistake(modal_case + "cases: [{name: a, boundary: [{on: lug, pressure: 1}]}]\n",
                 "free vibrations have no loads");
  expect_mistake(heat_case + "analysis: {type: modal}\n", "modal");
  expect_mistake(modal_case + "initial: [{displacement: [0, 0, 0]}]\n", "initial");
}

TEST(CaseModal, NeedsADensityOfEveryMaterial) {
  std::string light = modal_case;
  light.replace(light.find(", density: 7850"), 15, "");
  expect_mistake(light, "materials.steel.density: is missing; a modal analysis needs it");
}

TEST(CaseModal, ExpectsFrequenciesAndValuesOfModes) {
  const std::string probes =
      "output: {probes: [{name: tip, at: [0, 0, 0], of: displacement}]}\nexpect:\n";
  const Case c = parsed(modal_case + probes +
                        "  - {mode: 2, value: 45 Hz, tolerance: 1 %}\n"
                        "  - {probe: tip, component: y, mode: 1, value: 0.5, tolerance: 1e-3}\n");
  ASSERT_EQ(c.expect.size(), 2u);
  EXPECT_EQ(c.expect[0].kind, "mode");
  EXPECT_EQ(c.expect[0].mode, 2);
  EXPECT_EQ(c.expect[0].value, 45);
  EXPECT_DOUBLE_EQ(c.expect[0].tolerance, 0.45);
  EXPECT_EQ(c.expect[1].kind, "probe");
  EXPECT_EQ(c.expect[1].load_case, "mode 1");
  EXPECT_EQ(parsed(c.resolved).expect.size(), 2u);
  const auto wrong = [&](const std::string& entry, const std::string& part) {
    expect_mistake(modal_case + probes + "  - {" + entry + "}\n", part);
  };
  wrong("mode: 7, value: 1, tolerance: 1", "asks for 6 modes");
  wrong("mode: 1, value: 1 mm, tolerance: 1", "value");
  wrong("probe: tip, component: y, value: 1, tolerance: 1", "the key mode is missing");
  expect_mistake(elasticity_case + "expect: [{mode: 1, value: 1, tolerance: 1}]\n",
                 "mode is for modal analyses");
}

}  // namespace
}  // namespace trestle::test

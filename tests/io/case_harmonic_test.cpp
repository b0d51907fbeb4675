// Harmonic analyses in a case: their frequencies, what does not go with them, expectations.
#include "tests/io/case_support.hpp"

namespace trestle::test {
namespace {

using io::Case;

std::string with_analysis(const std::string& content) {
  return elasticity_case + "analysis: {type: harmonic, " + content + "}\n";
}
const std::string listed =
    with_analysis("frequencies: [10 Hz, 1 kHz], damping: {loss_factor: 0.1}");

TEST(CaseHarmonic, ReadsAListOrPointsOfASweep) {
  for (const std::string& text : {listed, with_analysis("min_frequency: 10, max_frequency: 20 Hz, "
                                                        "points: 5")}) {
    const Case c = parsed(text);
    EXPECT_EQ(c.problem.analysis.type, physics::AnalysisType::harmonic);
    EXPECT_EQ(c.output.fields, (std::vector<std::string>{"displacement", "amplitude", "phase"}));
    const Case again = parsed(c.resolved);
    EXPECT_EQ(again.problem.analysis.frequencies, c.problem.analysis.frequencies);
    EXPECT_EQ(again.resolved, c.resolved);
  }
  EXPECT_EQ(parsed(listed).problem.analysis.frequencies, (std::vector<double>{10, 1000}));
  EXPECT_EQ(parsed(listed).problem.analysis.damping.loss_factor, 0.1);
  EXPECT_EQ(parsed(with_analysis("min_frequency: 10, max_frequency: 20, points: 3"))
                .problem.analysis.frequencies,
            (std::vector<double>{10, 15, 20}));
}

TEST(CaseHarmonic, RefusesWhatDoesNotFit) {
  expect_mistake(elasticity_case + "analysis: {type: harmonic}\n", "takes frequencies");
  expect_mistake(with_analysis("frequencies: [1], points: 3"), "takes frequencies");
  expect_mistake(with_analysis("frequencies: [2, 1]"), "ascend from above 0 Hz");
  expect_mistake(with_analysis("frequencies: [0, 1]"), "ascend from above 0 Hz");
  expect_mistake(with_analysis("max_frequency: 5, points: 3"), "needs min_frequency above 0 Hz");
  expect_mistake(with_analysis("frequencies: [1], near_frequency: 3"), "is for modal analyses");
  expect_mistake(listed + "cases: [{name: a, boundary: [{on: lug, pressure: 1}]}]\n",
                 "cases: is for static analyses");
  expect_mistake(elasticity_case + "output: {fields: [amplitude]}\n",
                 "the result amplitude is for harmonic analyses");
  expect_mistake(elasticity_case +
                     "analysis: {type: transient, end: 1, step: 1, damping: {loss_factor: 0.1}}\n",
                 "loss_factor: is for harmonic analyses");
}

TEST(CaseHarmonic, ExpectationsNameTheirFrequency) {
  const std::string probes =
      "output: {probes: [{name: tip, at: [0, 0, 0], of: amplitude}]}\nexpect:\n";
  const Case c =
      parsed(listed + probes +
             "  - {probe: tip, component: y, frequency: 1 kHz, value: 1, tolerance: 1}\n");
  EXPECT_EQ(c.expect.at(0).load_case, "1000 Hz");
  EXPECT_EQ(parsed(c.resolved).expect.at(0).load_case, "1000 Hz");
  expect_mistake(listed + probes + "  - {probe: tip, component: y, value: 1, tolerance: 1}\n",
                 "the key frequency is missing");
  expect_mistake(
      listed + probes + "  - {probe: tip, component: y, frequency: 11, value: 1, tolerance: 1}\n",
      "the analysis has no frequency 11 Hz");
}

}  // namespace
}  // namespace trestle::test

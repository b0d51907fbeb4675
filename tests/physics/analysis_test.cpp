// What an analysis says about its case before and between its steps.
#include "physics/analysis.hpp"

#include <gtest/gtest.h>

#include "tests/physics/model_problems.hpp"

namespace trestle::test {
namespace {

physics::Problem heat(std::vector<physics::Condition> conditions) {
  physics::Problem problem{.physics = "heat"};
  problem.materials = {material({{"conductivity", {"1"}}})};
  problem.conditions = std::move(conditions);
  return problem;
}

physics::Analysis analysis_of(physics::Problem problem) {
  return {gpu::make_cpu_device(), box_mesh(world(), mesh::CellType::quad4, 3, 0),
          std::move(problem)};
}

TEST(Analysis, RefusesAPrescribedValueThatIsNotFiniteAtALaterTime) {
  physics::Analysis analysis =
      analysis_of(heat({condition("temperature", {"xmin"}, {"1/(2 - t)"})}));
  analysis.set_time(1);
  try {
    analysis.set_time(2);
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::not_a_number);
    EXPECT_NE(std::string(error.what()).find("t = 2 s"), std::string::npos) << error.what();
  }
}

TEST(Analysis, AScalarFieldStartsFromAValueAtEveryNode) {
  physics::Problem problem = heat({});
  problem.analysis.type = physics::AnalysisType::transient;
  problem.initial = {condition("temperature", {"xmin"}, {"1"}),
                     condition("temperature", {"nowhere"}, {"1"})};
  try {
    analysis_of(problem);
    ADD_FAILURE() << "accepted";
  } catch (const CaseError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("12 of 16 nodes have no temperature"), std::string::npos) << text;
    EXPECT_NE(text.find("no group \"nowhere\""), std::string::npos) << text;
  }
  problem.initial = {condition("temperature", {}, {"1"}),
                     condition("temperature", {"xmin"}, {"2"})};
  EXPECT_NO_THROW(analysis_of(problem));
}

TEST(Analysis, OnlyPlaneModelsHaveAThickness) {
  physics::Problem problem = heat({});
  problem.thickness = 2;
  EXPECT_NO_THROW(analysis_of(problem));
  EXPECT_THROW(physics::Analysis(gpu::make_cpu_device(),
                                 box_mesh(world(), mesh::CellType::hex8, 1, 0), problem),
               CaseError);
}

TEST(Analysis, AReactionHoldsAConcentrationThatIsFixedNowhere) {
  physics::Problem problem{.physics = "transport"};
  problem.materials = {material({{"diffusivity", {"1"}}, {"velocity", {"1", "0"}}})};
  EXPECT_THROW(analysis_of(problem).check_supports(), NumericalError);
  problem.materials = {material({{"diffusivity", {"1"}}, {"reaction", {"2"}}})};
  EXPECT_NO_THROW(analysis_of(problem).check_supports());
}

}  // namespace
}  // namespace trestle::test

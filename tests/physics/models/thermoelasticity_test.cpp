// Thermoelasticity: the temperature that is computed strains as the same one does where it is
// given.
#include <gtest/gtest.h>

#include "physics/results/derived.hpp"
#include "physics/results/integrals.hpp"
#include "tests/physics/model_problems.hpp"

namespace trestle::test {
namespace {

const char* const linear_temperature = "350 + 20*x - 30*y + 10*z";

physics::Material solid() {
  return material({{"conductivity", {"3"}},
                   {"young", {"1e6*(1 + x)"}},
                   {"poisson", {"0.25"}},
                   {"thermal_expansion", {"1e-4*(1 + y)"}},
                   {"reference_temperature", {"300"}}});
}

/// Solves for the temperature, then for the displacement.
physics::State solve_both(physics::Analysis& analysis) {
  auto heat = std::make_shared<const physics::State>(
      physics::make_state(*analysis.heat(), 0, solve(*analysis.heat()), true));
  analysis.set_temperature(0, heat->u);
  physics::State state = physics::make_state(analysis, 0, solve(analysis), true);
  state.heat = heat;
  return state;
}

double largest_difference(const solver::Vector<double>& a, const solver::Vector<double>& b) {
  const auto left = gpu::read(a.values()), right = gpu::read(b.values());
  double largest = 0;
  for (Offset i = 0; i < a.n_owned(); ++i)
    largest = std::max(largest, std::abs(left[i] - right[i]));
  return a.map().comm().max(largest);
}

class ThermoelasticityTest : public testing::TestWithParam<mesh::CellType> {
 protected:
  ThermoelasticityTest()
      : mesh_(box_mesh(world(), GetParam(), 2, mesh::traits(GetParam()).order == 1 ? 0.05 : 0.01)) {
  }
  int dim() const { return mesh_->dim; }
  std::shared_ptr<const mesh::Mesh> mesh_;
};

TEST_P(ThermoelasticityTest, AComputedTemperatureStrainsAsTheSameGivenOne) {
  const std::vector<std::string> zero(static_cast<std::size_t>(dim()), "0");
  physics::Problem coupled{.physics = "thermoelasticity"};
  coupled.materials = {solid()};
  coupled.conditions = {condition("temperature", boundary(dim()), {linear_temperature}),
                        condition("displacement", {"xmin"}, zero)};
  physics::Analysis analysis(gpu::make_cpu_device(), mesh_, coupled);

  physics::Problem given{.physics = "elasticity"};
  given.materials = {solid()};
  given.materials.front().parameters.erase("conductivity");
  given.conditions = {condition("temperature", {"body"}, {linear_temperature}),
                      condition("displacement", {"xmin"}, zero)};
  const physics::Analysis reference(gpu::make_cpu_device(), mesh_, given);
  EXPECT_LT(largest_difference(solve_both(analysis).u, solve(reference)), 1e-13);
}

TEST_P(ThermoelasticityTest, AFreeBodyOfOneTemperatureHasNoStress) {
  physics::Problem problem{.physics = "thermoelasticity"};
  problem.materials = {material({{"conductivity", {"3"}},
                                 {"young", {"1e6"}},
                                 {"poisson", {"0.25"}},
                                 {"thermal_expansion", {"1e-4"}},
                                 {"reference_temperature", {"300"}}})};
  if (dim() == 2) problem.model = "plane_stress";
  std::vector<std::string> sides{"xmin", "ymin"};
  if (dim() == 3) sides.push_back("zmin");
  problem.conditions = {condition("temperature", {"xmax"}, {"400"}),
                        condition("roller", sides, {})};
  physics::Analysis analysis(gpu::make_cpu_device(), mesh_, problem);
  const physics::ResultPoints points = physics::make_result_points(*mesh_, analysis.materials(), 1);
  const physics::State state = solve_both(analysis);
  physics::PointAverages averages(analysis, points);
  physics::Derived derived(averages, state);
  const double blocked = 1e6 * 1e-4 * 100;  // E alpha dT, what rounding is measured by
  for (const double stress : derived.values("stress")) ASSERT_NEAR(stress, 0, 1e-9 * blocked);
  for (const double T : derived.values("temperature")) ASSERT_NEAR(T, 400, 1e-9);
  for (const double q : derived.values("heat_flux")) ASSERT_NEAR(q, 0, 1e-9 * 3 * 400);
}

TEST_P(ThermoelasticityTest, ReactionsOfBothFieldsBalance) {
  physics::Problem problem{.physics = "thermoelasticity"};
  problem.materials = {solid()};
  const std::vector<std::string> zero(static_cast<std::size_t>(dim()), "0");
  problem.conditions = {
      condition("temperature", {"xmin"}, {"350"}), condition("flux", {"xmax"}, {"7"}),
      condition("displacement", {"xmin"}, zero), condition("displacement", {"xmax"}, zero)};
  physics::Analysis analysis(gpu::make_cpu_device(), mesh_, problem);
  const physics::ResultPoints points = physics::make_result_points(*mesh_, analysis.materials(), 1);
  const physics::State state = solve_both(analysis);
  physics::PointAverages averages(analysis, points);
  physics::Derived derived(averages, state);
  const auto sum = [&](const char* result) {
    return physics::integrate(analysis, points, state, derived, result, nullptr);
  };
  const std::vector<double> heat = sum("reaction_heat"), force = sum("reaction_force");
  ASSERT_EQ(heat.size(), 1u);
  EXPECT_NEAR(heat[0], -7, 1e-9);
  ASSERT_EQ(force.size(), 3u);
  for (const double f : force) EXPECT_NEAR(f, 0, 1e-8);
}

INSTANTIATE_TEST_SUITE_P(Cells, ThermoelasticityTest,
                         testing::Values(mesh::CellType::tri3, mesh::CellType::quad8,
                                         mesh::CellType::tet4, mesh::CellType::tet10,
                                         mesh::CellType::hex8, mesh::CellType::prism15,
                                         mesh::CellType::pyramid5),
                         [](const auto& info) { return cell_name(info.param); });

TEST(Thermoelasticity, UnknownsOfBothFieldsAreCounted) {
  physics::Problem problem{.physics = "thermoelasticity"};
  problem.materials = {solid()};
  const auto mesh = box_mesh(world(), mesh::CellType::hex8, 2, 0);
  const physics::Analysis analysis(gpu::make_cpu_device(), mesh, problem);
  EXPECT_EQ(analysis.n_dofs(), 27 * 4);
}

TEST(Thermoelasticity, MistakesOfBothFieldsAreToldAtOnce) {
  physics::Problem problem{.physics = "thermoelasticity"};
  problem.materials = {solid()};
  problem.conditions = {condition("convection", {"no"}, {}),
                        condition("traction", {"neither"}, {"1"})};
  problem.conditions.front().parameters = {{"coefficient", value({"1"})},
                                           {"ambient", value({"1"})}};
  const auto mesh = box_mesh(world(), mesh::CellType::hex8, 2, 0);
  try {
    const physics::Analysis analysis(gpu::make_cpu_device(), mesh, problem);
    ADD_FAILURE() << "accepted";
  } catch (const CaseError& error) {
    EXPECT_EQ(error.messages().size(), 2u) << error.what();
  }
}

}  // namespace
}  // namespace trestle::test

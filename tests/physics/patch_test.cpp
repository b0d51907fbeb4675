// Patch tests: a linear field on the boundary gives that field inside, on distorted cells of every
// type [Irons and Razzaque 1972; MacNeal and Harder 1985].
#include <gtest/gtest.h>

#include "physics/results/derived.hpp"
#include "tests/physics/model_problems.hpp"

namespace trestle::test {
namespace {

class PatchTest : public testing::TestWithParam<mesh::CellType> {
 protected:
  PatchTest()
      : mesh_(box_mesh(world(), GetParam(), 2, mesh::traits(GetParam()).order == 1 ? 0.05 : 0.01)) {
  }
  int dim() const { return mesh_->dim; }
  std::shared_ptr<const mesh::Mesh> mesh_;
};

/// Largest difference between nodal values [node, n] and f(component, x) at owned nodes, over all
/// ranks.
template <class Exact>
double largest_error(const mesh::Mesh& mesh, const solver::Vector<double>& u, const Exact& exact) {
  const auto values = gpu::read(u.values());
  double largest = 0;
  for (Index node = 0; node < mesh.nodes->n_owned(); ++node)
    for (int d = 0; d < u.block(); ++d) {
      const double* x = &mesh.coordinates[3 * static_cast<std::size_t>(node)];
      largest = std::max(largest,
                         std::abs(values[static_cast<Offset>(node) * u.block() + d] - exact(d, x)));
    }
  return mesh.comm().max(largest);
}

TEST_P(PatchTest, LinearTemperatureIsReproduced) {
  physics::Problem problem{.physics = "heat"};
  problem.materials = {material({{"conductivity", {"3"}}})};
  problem.conditions = {condition("temperature", boundary(dim()), {"1 + 2*x - 3*y + 0.5*z"})};
  const physics::Analysis analysis(gpu::make_cpu_device(), mesh_, problem);
  const solver::Vector<double> u = solve(analysis);
  EXPECT_LT(
      largest_error(*mesh_, u,
                    [](int, const double* x) { return 1 + 2 * x[0] - 3 * x[1] + 0.5 * x[2]; }),
      1e-11);
}

TEST_P(PatchTest, LinearDisplacementGivesConstantStress) {
  physics::Problem problem{.physics = "elasticity"};
  if (dim() == 2) problem.model = "plane_strain";
  problem.materials = {material({{"young", {"1e6"}}, {"poisson", {"0.25"}}})};
  const std::vector<std::string> field{"1e-3*(x + 0.5*y + 0.5*z)", "1e-3*(0.5*x + y + 0.5*z)",
                                       "1e-3*(0.5*x + 0.5*y + z)"};
  problem.conditions = {
      condition("displacement", boundary(dim()), {field.begin(), field.begin() + dim()})};
  const physics::Analysis analysis(gpu::make_cpu_device(), mesh_, problem);
  const solver::Vector<double> u = solve(analysis);
  EXPECT_LT(largest_error(*mesh_, u,
                          [](int d, const double* x) {
                            return 1e-3 * (x[d] + 0.5 * (x[(d + 1) % 3] + x[(d + 2) % 3]));
                          }),
            1e-13);

  const physics::ResultPoints points = physics::make_result_points(*mesh_, analysis.materials(), 1);
  const physics::State state = physics::make_state(analysis, 0, solve(analysis), false);
  physics::PointAverages averages(analysis, points);
  physics::Derived derived(averages, state);
  const std::vector<double>& stress = derived.values("stress");
  // E = 1e6, nu = 0.25: lambda = mu = 4e5; eps = 1e-3 on the diagonal, 0.5e-3 off it [MacNeal and
  // Harder 1985].
  const double normal = dim() == 3 ? 2000.0 : 1600.0, zz = dim() == 3 ? 2000.0 : 800.0,
               shear = 400.0;
  const std::vector<double> exact{
      normal, normal, zz, shear, dim() == 3 ? shear : 0, dim() == 3 ? shear : 0};
  for (std::size_t p = 0; p < static_cast<std::size_t>(points.map->n_owned()); ++p)
    for (std::size_t k = 0; k < 6; ++k)
      ASSERT_NEAR(stress[6 * p + k], exact[k], 2e-7) << "point " << p << " component " << k;
}

TEST_P(PatchTest, ReactionsBalanceTheLoads) {
  physics::Problem problem{.physics = "elasticity"};
  if (dim() == 2) problem.model = "plane_stress";
  problem.materials = {material({{"young", {"1e6"}}, {"poisson", {"0.25"}}, {"density", {"10"}}})};
  std::vector<std::string> zero(static_cast<std::size_t>(dim()), "0"), traction = zero,
                                                                       gravity = zero;
  traction[1] = "-1e3*(1 + x)";
  gravity[0] = "2";
  problem.conditions = {
      condition("displacement", {"xmin"}, zero), condition("traction", {"xmax"}, traction),
      condition("gravity", {"body"}, gravity), condition("pressure", {"ymax"}, {"100"})};
  const physics::Analysis analysis(gpu::make_cpu_device(), mesh_, problem);
  const physics::State state = physics::make_state(analysis, 0, solve(analysis), true);
  const auto reactions = gpu::read(physics::reactions_of(state).values());
  std::vector<double> sum(static_cast<std::size_t>(dim()), 0.0);
  for (Offset i = 0; i < reactions_of(state).n_owned(); ++i)
    sum[static_cast<std::size_t>(i % dim())] += reactions[i];
  world().sum(std::span<double>(sum));
  EXPECT_NEAR(sum[0], -20.0, 1e-8);           // weight 10 * 2 over volume 1
  EXPECT_NEAR(sum[1], 2000.0 + 100.0, 1e-8);  // traction at x = 1, pressure on the top
}

INSTANTIATE_TEST_SUITE_P(Cells, PatchTest, testing::ValuesIn(all_cells()),
                         [](const auto& info) { return cell_name(info.param); });

}  // namespace
}  // namespace trestle::test

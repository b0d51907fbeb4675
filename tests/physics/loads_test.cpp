// Loads on groups that overlap.
#include "physics/loads.hpp"

#include <gtest/gtest.h>

#include "tests/physics/model_problems.hpp"

namespace trestle::test {
namespace {

/// The right side of a box whose loads stand on these groups of cells and of facets.
std::vector<double> right_side(const std::string& physics, const std::vector<std::string>& cells,
                               const std::vector<std::string>& facets) {
  physics::Problem problem{.physics = physics};
  const bool solid = physics == "elasticity";
  problem.materials = {
      solid ? material({{"young", {"1e6"}}, {"poisson", {"0.3"}}, {"density", {"1 + x"}}})
            : material({{"diffusivity", {"1"}}, {"velocity", {"1", "y", "0"}}})};
  problem.conditions = {condition(solid ? "gravity" : "source", cells,
                                  solid ? std::vector<std::string>{"1", "2", "x"}
                                        : std::vector<std::string>{"1 + x"}),
                        condition(solid ? "pressure" : "flux", facets, {"1 + y"})};
  const auto mesh = box_mesh(world(), mesh::CellType::hex8, 2, 0.04);
  const physics::Analysis analysis(gpu::make_cpu_device(), mesh, problem);
  return gpu::download(analysis.external(0, analysis.constraints().prescribed()).values());
}

TEST(Loads, AConditionHoldsOnceWhereItsGroupsOverlap) {
  for (const char* physics : {"elasticity", "transport"})
    EXPECT_EQ(right_side(physics, {"body", "body"}, {"xmax", "ymax", "xmax"}),
              right_side(physics, {"body"}, {"xmax", "ymax"}))
        << physics;
}

}  // namespace
}  // namespace trestle::test

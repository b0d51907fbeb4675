// What a flow carries: the streamline weight, balances of sources, and the tangent of rates.
#include "physics/advection.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "gpu/vector_ops.hpp"
#include "physics/results/flow_balance.hpp"
#include "tests/physics/model_problems.hpp"

namespace trestle::test {
namespace {

using physics::streamline_weight;

TEST(StreamlineWeight, HasTheLimitsOfDiffusionOfTheStreamAndOfReaction) {
  EXPECT_NEAR(streamline_weight({2, 0.1, 1e3, 0, 1}), 0.1 * 0.1 / (12 * 1e3), 1e-12);  // h^2 / 12 k
  EXPECT_NEAR(streamline_weight({2, 0.1, 1e-9, 0, 1}), 0.1 / (2 * 2), 1e-8);           // h / 2 |b|
  EXPECT_NEAR(streamline_weight({2, 0.1, 1e-9, 1e6, 1}), 1e-6, 1e-10);                 // 1 / s
  EXPECT_NEAR(streamline_weight({2, 0.1, 1e-9, 0, 2}), 0.05 / (2 * 2), 1e-8);          // h / 4 |b|
  EXPECT_NEAR(streamline_weight({2, 0.1, 1e3, 0, 2}), 0.1 * 0.1 / (48 * 1e3), 1e-12);
  EXPECT_EQ(streamline_weight({2, 0.1, 1e-9, 0, 2, 1e4}), 0.5e-4);
  EXPECT_EQ(streamline_weight({0, 0.1, 1, 0, 1}), 0);
}

TEST(StreamlineWeight, IsContinuousWhereItsFormsMeet) {
  for (const double a : {1e-3, 20.0})
    for (const int order : {1, 2}) {
      const auto at = [&](double peclet) {
        return streamline_weight({1, 2.0 * order, 1 / peclet, 0, order});
      };
      EXPECT_NEAR(at(a * (1 - 1e-9)), at(a * (1 + 1e-9)), 1e-6 * at(a));
    }
}

class AdvectionTest : public OnEachDevice {
 protected:
  physics::Problem problem(int dim) const {
    physics::Problem made{.physics = "transport"};
    const std::vector<std::string> velocity{"3 + y", "2 - x", "1"};
    made.materials = {material({{"diffusivity", {"0.01 + 0.01*x"}},
                                {"velocity", {velocity.begin(), velocity.begin() + dim}},
                                {"reaction", {"0.5"}}})};
    made.conditions = {condition("concentration", {"xmin"}, {"1 + y"}),
                       condition("source", {"body"}, {"1 + x*y"})};
    return made;
  }
};
TRESTLE_ON_EACH_DEVICE(AdvectionTest);

/// A linear concentration is in the space of every cell, and its equation has no second
/// derivatives: the weighted residual vanishes with the source that belongs to it.
TEST_P(AdvectionTest, ALinearConcentrationIsExactOnShearedCells) {
  for (const mesh::CellType cell :
       {mesh::CellType::tri3, mesh::CellType::quad4, mesh::CellType::tri6, mesh::CellType::quad9,
        mesh::CellType::tet4, mesh::CellType::hex8, mesh::CellType::prism6,
        mesh::CellType::pyramid5, mesh::CellType::tet10}) {
    const int dim = mesh::traits(cell).dim;
    const auto mesh = box_mesh(world(), cell, 3, 0.05);
    physics::Problem made{.physics = "transport"};
    made.materials = {
        material({{"diffusivity", {"0.001"}},
                  {"velocity", dim == 2 ? std::vector<std::string>{"1 + y", "2 - x"}
                                        : std::vector<std::string>{"1 + y", "2 - x", "1"}},
                  {"reaction", {"0.5"}}})};
    const std::string c = "1 + 2*x - 3*y";
    made.conditions = {condition("concentration", boundary(dim), {c}),
                       condition("source", {"body"}, {"2*(1 + y) - 3*(2 - x) + 0.5*(" + c + ")"})};
    const physics::Analysis analysis(device(), mesh, made);
    const solver::Vector<double> u = solve(analysis);
    const auto values = gpu::read(u.values());
    for (Index node = 0; node < mesh->nodes->n_local(); ++node) {
      const fem::Vec3 x = fem::node_place(*mesh, node);
      ASSERT_NEAR(values[node], 1 + 2 * x[0] - 3 * x[1], 1e-10) << mesh::traits(cell).name;
    }
  }
}

/// A quadratic one is in the space of straight cells of second order, a diffusivity that is linear
/// is known by its values at points: the residual vanishes with its diffusive term, and with that
/// alone, as cells are coarse (Peclet numbers of 8 to 30).
TEST_P(AdvectionTest, AQuadraticConcentrationIsExactInCellsOfSecondOrder) {
  for (const mesh::CellType cell : all_cells()) {
    if (mesh::traits(cell).order == 1) continue;
    const int dim = mesh::traits(cell).dim;
    const auto mesh = box_mesh(world(), cell, 2, 0.0);
    physics::Problem made{.physics = "transport"};
    const std::vector<std::string> velocity{"1 + y", "2 - x", "1"};
    made.materials = {material({{"diffusivity", {"0.01*(1 + x)"}},
                                {"velocity", {velocity.begin(), velocity.begin() + dim}},
                                {"reaction", {"0.5"}}})};
    const std::string c = "x^2 + x*y - 2*y^2";
    made.conditions = {condition("concentration", boundary(dim), {c}),
                       condition("source", {"body"},
                                 {"(1 + y)*(2*x + y) + (2 - x)*(x - 4*y) + 0.5*(" + c +
                                  ") + 0.02*(1 + x) - 0.01*(2*x + y)"})};
    const physics::Analysis analysis(device(), mesh, made);
    const solver::Vector<double> u = solve(analysis);
    const auto values = gpu::read(u.values());
    for (Index node = 0; node < mesh->nodes->n_local(); ++node) {
      const fem::Vec3 x = fem::node_place(*mesh, node);
      ASSERT_NEAR(values[node], x[0] * x[0] + x[0] * x[1] - 2 * x[1] * x[1], 1e-10)
          << mesh::traits(cell).name;
    }
  }
}

/// Streamline functions add up to 0 in every cell: nothing is gained or lost by them.
TEST_P(AdvectionTest, WhatEntersIsWhatIsCarriedAwayAndConsumed) {
  for (const mesh::CellType cell : {mesh::CellType::quad4, mesh::CellType::tet10}) {
    const auto mesh = box_mesh(world(), cell, 3, 0.05);
    const physics::Analysis analysis(device(), mesh, problem(mesh->dim));
    const solver::Vector<double> u = solve(analysis);
    EXPECT_LE(std::abs(physics::steady_flows(analysis, 0, u).imbalance()), 1e-12);
  }
}

/// Of a rate that is the same everywhere: (N_a + w . grad N_a, c) sums to c times the volume.
TEST_P(AdvectionTest, TheMatrixOfRatesHoldsTheWholeCapacity) {
  physics::Problem made = problem(2);
  made.analysis.type = physics::AnalysisType::transient;
  const auto mesh = box_mesh(world(), mesh::CellType::quad4, 4, 0.05);
  const physics::Analysis analysis(device(), mesh, made);
  ASSERT_NE(analysis.rates(), nullptr);
  solver::Vector<double> ones(device(), mesh->nodes, 1, "test"),
      force(device(), mesh->nodes, 1, "test");
  gpu::fill(device(), ones.view(), 1.0);
  gpu::fill(device(), force.view(), 0.0);
  analysis.rates()->add_internal_force(ones, {}, 1, force);
  const double total =
      world().sum(gpu::dot(device(), std::as_const(ones).owned(), std::as_const(force).owned()));
  const auto data =
      physics::AdvectionFields(analysis.discretisation(), analysis.problem(), analysis.materials());
  EXPECT_GT(data.greatest_peclet(), 1);
  EXPECT_NEAR(total, 1, 1e-12);
}

}  // namespace
}  // namespace trestle::test

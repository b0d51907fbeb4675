// Recovered fluxes: exact where the polynomials of the patches hold them, else one order better.
#include "physics/results/recovery.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "physics/results/derived.hpp"
#include "tests/physics/model_problems.hpp"

namespace trestle::test {
namespace {

class RecoveryTest : public OnEachDevice {
 protected:
  /// Flow in a box of unit permeability and viscosity whose pressure is prescribed on the boundary.
  static physics::Problem problem(int dim, const std::string& pressure, const std::string& source) {
    physics::Problem made{.physics = "darcy"};
    made.materials = {material({{"permeability", {"1"}}, {"viscosity", {"1"}}})};
    made.conditions = {condition("pressure", boundary(dim), {pressure}),
                       condition("source", {"body"}, {source})};
    return made;
  }

  /// Root mean square of the errors of the velocity at all points.
  template <class Exact>
  double error(const std::shared_ptr<const mesh::Mesh>& mesh, const physics::Problem& problem,
               const Exact& exact) {
    const physics::Analysis analysis(device(), mesh, problem);
    const physics::State state = physics::make_state(analysis, 0, solve(analysis), false);
    const auto points = physics::make_result_points(*mesh, analysis.materials(), 1);
    physics::PointAverages averages(analysis, points);
    physics::Derived derived(averages, state);
    const std::vector<double>& velocity = derived.values("darcy_velocity");
    double sum = 0;
    for (std::size_t p = 0; p < static_cast<std::size_t>(points.map->n_owned()); ++p)
      for (std::size_t d = 0; d < 3; ++d)
        sum += std::pow(velocity[3 * p + d] - exact(fem::node_place(*mesh, points.node[p]), d), 2);
    return std::sqrt(mesh->comm().sum(sum) / static_cast<double>(mesh->nodes->n_global()));
  }
};
TRESTLE_ON_EACH_DEVICE(RecoveryTest);

TEST_P(RecoveryTest, AUniformFlowIsExactOnShearedCellsOfEveryType) {
  for (const mesh::CellType cell : all_cells()) {
    const auto mesh = box_mesh(world(), cell, 2, 0.01);
    const double off =
        error(mesh, problem(mesh->dim, "1 + 2*x - 3*y", "0"), [](const fem::Vec3&, std::size_t d) {
          return d == 0 ? -2 : d == 1 ? 3 : 0;
        });
    EXPECT_LT(off, 1e-9) << cell_name(cell);
  }
}

/// p = x^2 + x y - y^2: its gradient is linear, which the cells hold and the patches find.
TEST_P(RecoveryTest, QuadraticCellsGiveTheFlowOfAQuadraticPressure) {
  for (const mesh::CellType cell :
       {mesh::CellType::tri6, mesh::CellType::quad9, mesh::CellType::tet10}) {
    const auto mesh = box_mesh(world(), cell, 3, 0);
    const double off = error(mesh, problem(mesh->dim, "x^2 + x*y - y^2", "0"),
                             [](const fem::Vec3& x, std::size_t d) {
                               return d == 0 ? -2 * x[0] - x[1] : d == 1 ? -x[0] + 2 * x[1] : 0;
                             });
    EXPECT_LT(off, 1e-9) << cell_name(cell);
  }
}

/// Also at the boundary, where averages over the cells have an error of the first order only.
TEST_P(RecoveryTest, LinearCellsHaveOneOrderMoreThanTheirGradient) {
  for (const mesh::CellType cell : {mesh::CellType::quad4, mesh::CellType::tri3}) {
    const auto at = [&](Index n) {
      return error(box_mesh(world(), cell, n, 0),
                   problem(2, "sin(2*x)*cos(y)", "5*sin(2*x)*cos(y)"),
                   [](const fem::Vec3& x, std::size_t d) {
                     return d == 0   ? -2 * std::cos(2 * x[0]) * std::cos(x[1])
                            : d == 1 ? std::sin(2 * x[0]) * std::sin(x[1])
                                     : 0;
                   });
    };
    EXPECT_GT(std::log2(at(16) / at(32)), 1.8) << cell_name(cell);
  }
}

}  // namespace
}  // namespace trestle::test

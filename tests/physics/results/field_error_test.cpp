// The error of a field: exact where shape functions hold the field, known where it is off by a
// known amount.
#include "physics/results/field_error.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/physics/model_problems.hpp"

namespace trestle::test {
namespace {

class FieldErrorTest : public OnEachDevice {};
TRESTLE_ON_EACH_DEVICE(FieldErrorTest);

TEST_P(FieldErrorTest, IsThatOfTheDifferenceInEveryComponent) {
  for (const mesh::CellType cell :
       {mesh::CellType::tri3, mesh::CellType::quad9, mesh::CellType::tet10, mesh::CellType::hex8}) {
    const auto mesh = box_mesh(world(), cell, 3, 0);
    physics::Problem problem{.physics = "elasticity"};
    problem.thickness = mesh->dim == 2 ? 0.25 : 1;
    problem.materials = {material({{"young", {"1"}}, {"poisson", {"0.3"}}})};
    const physics::Analysis analysis(device(), mesh, problem);
    const int dim = mesh->dim;
    solver::Vector<double> u(device(), mesh->nodes, dim);
    {
      const auto values = gpu::write(u.values());
      for (Index i = 0; i < u.n_local() / dim; ++i)
        for (int d = 0; d < dim; ++d)
          values[Offset{i} * dim + d] = (d + 1) * fem::node_place(*mesh, i)[d];
    }
    std::vector<fem::Expression> exact, off;
    for (int d = 0; d < dim; ++d) {
      const std::string text = std::string(1, "xyz"[d]) + "*" + std::to_string(d + 1);
      exact.push_back(*value({text}).components[0]);
      off.push_back(*value({text + (d == 1 ? " + 2" : "")}).components[0]);
    }
    const double volume = problem.thickness;  // of a unit box
    EXPECT_NEAR(physics::field_error(analysis, u, exact, 0).error, 0, 1e-14) << cell_name(cell);
    const physics::FieldError error = physics::field_error(analysis, u, off, 0);
    EXPECT_NEAR(error.error, 2 * std::sqrt(volume), 1e-12) << cell_name(cell);
  }
}

TEST_P(FieldErrorTest, NamesThePlaceOfAValueThatIsNotFinite) {
  const auto mesh = box_mesh(world(), mesh::CellType::quad4, 3, 0);
  physics::Problem problem{.physics = "heat"};
  problem.materials = {material({{"conductivity", {"1"}}})};
  const physics::Analysis analysis(device(), mesh, problem);
  solver::Vector<double> u(device(), mesh->nodes, 1);
  try {
    physics::field_error(analysis, u, {*value({"sqrt(x - 100)"}).components[0]}, 0);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::not_a_number);
    EXPECT_NE(std::string(error.what()).find("sqrt(x - 100)"), std::string::npos);
  }
}

}  // namespace
}  // namespace trestle::test

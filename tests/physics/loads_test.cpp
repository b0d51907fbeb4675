// Loads on groups that overlap, and pressures that follow the surface.
#include "physics/loads.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "gpu/vector_ops.hpp"
#include "solver/krylov/inner_product.hpp"
#include "solver/matrix/matrix_operator.hpp"
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

using Vector = solver::Vector<double>;

physics::Problem under_pressure(int dim, const std::vector<std::string>& on,
                                const std::string& pressure) {
  physics::Problem problem{.physics = "elasticity"};
  if (dim == 2) problem.model = "plane_strain";
  problem.materials = {material({{"shear_modulus", {"3"}}, {"bulk_modulus", {"7"}}})};
  problem.materials[0].words["law"] = "neo_hookean";
  problem.conditions = {condition("follower_pressure", on, {pressure})};
  return problem;
}

/// u(x) at all local nodes.
template <class F>
Vector displacement(const physics::Analysis& analysis, const F& u) {
  Vector v(analysis.discretisation().device(), analysis.mesh().nodes, analysis.n_components());
  const auto values = gpu::write(v.values());
  for (Index node = 0; node < v.map().n_local(); ++node) {
    const fem::Vec3 here = u(fem::node_place(analysis.mesh(), node));
    for (int d = 0; d < v.block(); ++d) values[Offset{node} * v.block() + d] = here[d];
  }
  return v;
}
fem::Vec3 wave(const fem::Vec3& x) {
  return {0.06 * std::sin(2 * x[0] + x[1]) + 0.1 * x[2] * x[2],
          0.05 * std::cos(x[0] - 2 * x[1]) + 0.2 * x[0] * x[2],
          0.04 * std::sin(x[2] + 2 * x[0] * x[1])};
}
fem::Vec3 direction(const fem::Vec3& x) {
  return {std::cos(3 * x[1]), x[0] - x[2] * x[1], std::sin(2 * x[0] + x[2])};
}

class FollowerPressure : public test::OnEachDevice {};
TRESTLE_ON_EACH_DEVICE(FollowerPressure);

TEST_P(FollowerPressure, TangentIsTheDerivativeOfTheForce) {
  for (const mesh::CellType cell :
       {mesh::CellType::tri6, mesh::CellType::quad4, mesh::CellType::tet10, mesh::CellType::hex8}) {
    const auto mesh = box_mesh(world(), cell, 2, 0.04);
    const physics::Analysis analysis(device(), mesh,
                                     under_pressure(mesh->dim, {"xmax", "ymin"}, "5 + y"));
    EXPECT_FALSE(analysis.symmetric());
    EXPECT_FALSE(analysis.linear());
    constexpr double h = 1e-5;  // 1e-10 of third derivatives, 1e-11 of rounding
    const auto residual = [&](double s) {
      return analysis.residual(0, displacement(analysis, [&](const fem::Vec3& x) {
                                 return wave(x) + s * direction(x);
                               }));
    };
    Vector difference = residual(-h);
    gpu::axpy(device(), -1.0, residual(h).view(), difference.view());
    gpu::scale(device(), 1 / (2 * h), difference.view());
    const fem::MatrixLayout layout = fem::make_matrix_layout(analysis.discretisation());
    const auto K = std::make_shared<solver::BlockMatrix<double>>(device(), layout.pattern,
                                                                 analysis.n_components());
    analysis.add_tangent(layout, displacement(analysis, wave), *K);
    const solver::MatrixOperator<double> product(K);
    Vector d = displacement(analysis, direction), Kd = product.make_vector("vectors");
    product.apply(d, Kd);
    const double size = solver::norm(Kd);
    gpu::axpy(device(), -1.0, std::as_const(difference).owned(), Kd.owned());
    EXPECT_LT(solver::norm(Kd), 1e-7 * size) << static_cast<int>(cell);
  }
}

TEST_P(FollowerPressure, OnAClosedSurfaceHasNoResultant) {
  for (const mesh::CellType cell : {mesh::CellType::quad8, mesh::CellType::hex20}) {
    const auto mesh = box_mesh(world(), cell, 2, 0.04);
    const physics::Analysis analysis(device(), mesh,
                                     under_pressure(mesh->dim, boundary(mesh->dim), "5"));
    const Vector f = analysis.external(0, displacement(analysis, wave));
    for (int axis = 0; axis < mesh->dim; ++axis) {
      const Vector unit = displacement(analysis, [&](const fem::Vec3&) {
        fem::Vec3 e{};
        e[axis] = 1;
        return e;
      });
      EXPECT_NEAR(solver::dot(unit, f), 0, 1e-13) << axis;
    }
    EXPECT_GT(solver::norm(f), 1);
  }
}

}  // namespace
}  // namespace trestle::test

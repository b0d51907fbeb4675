// Manufactured solutions on sheared meshes: the error of the value falls with order 2 for linear
// and 3 for quadratic cells [Oberkampf and Roy 2010, ch. 6].
#include <gtest/gtest.h>

#include <cmath>

#include "fem/cells/quadrature.hpp"
#include "fem/cells/tabulation.hpp"
#include "tests/physics/model_problems.hpp"

namespace trestle::test {
namespace {

double exact_temperature(const fem::Vec3& x, int dim) {
  return std::sin(2 * x[0]) * std::cos(x[1]) * (dim == 3 ? std::exp(0.5 * x[2]) : 1.0);
}

/// L2 norm of the error of the temperature over owned cells, all ranks.
double l2_error(const physics::Analysis& analysis, const solver::Vector<double>& u) {
  const mesh::Mesh& mesh = analysis.mesh();
  const auto values = gpu::read(u.values());
  double sum = 0;
  for (std::size_t b = 0; b < mesh.cells.size(); ++b) {
    const mesh::CellBlock& block = mesh.cells[b];
    const fem::Tabulation table = fem::tabulate(block.type, fem::quadrature(block.type, 5));
    const Offset n = table.n_nodes;
    const fem::CellView cells{
        {block.nodes.data(), block.n_cells(), n},
        {mesh.coordinates.data(), static_cast<Offset>(mesh.coordinates.size() / 3), 3},
        {table.N.data(), table.n_points, n},
        {table.dN.data(), table.n_points, n, 3},
        {table.weights.data(), table.n_points},
        mesh.dim,
        {}};
    for (Index c = 0; c < block.n_cells(); ++c) {
      if (block.owned[static_cast<std::size_t>(c)] == 0) continue;
      for (int q = 0; q < table.n_points; ++q) {
        const auto point = fem::map_point<mesh::max_nodes_per_cell>(cells, c, q, table.n_nodes);
        double value = 0;
        for (int a = 0; a < table.n_nodes; ++a) value += cells.N(q, a) * values[cells.nodes(c, a)];
        sum += point.dv * std::pow(value - exact_temperature(point.x, mesh.dim), 2);
      }
    }
  }
  return std::sqrt(mesh.comm().sum(sum));
}

double solve_and_measure(mesh::CellType cell, Index n) {
  const auto mesh = box_mesh(world(), cell, n, 0.05);
  physics::Problem problem{.physics = "heat"};
  problem.materials = {material({{"conductivity", {"1"}}})};
  // -div grad T: 4 + 1 in 2D; 4 + 1 - 1/4 in 3D, times T.
  const std::string exact = mesh->dim == 3 ? "sin(2*x)*cos(y)*exp(z/2)" : "sin(2*x)*cos(y)";
  problem.conditions = {condition("source", {"body"}, {(mesh->dim == 3 ? "4.75*" : "5*") + exact}),
                        condition("temperature", boundary(mesh->dim), {exact})};
  const physics::Analysis analysis(gpu::make_cpu_device(), mesh, problem);
  return l2_error(analysis, solve(analysis));
}

class OrderTest : public testing::TestWithParam<mesh::CellType> {};

TEST_P(OrderTest, ErrorFallsAsTheTheorySays) {
  const mesh::CellTraits& traits = mesh::traits(GetParam());
  const Index n = traits.dim == 2 ? 8 : traits.order == 1 ? 6 : 3;
  const double coarse = solve_and_measure(GetParam(), n),
               fine = solve_and_measure(GetParam(), 2 * n);
  const double order = std::log2(coarse / fine);
  EXPECT_GT(order, traits.order + 1 - 0.25) << coarse << " " << fine;
}

INSTANTIATE_TEST_SUITE_P(Cells, OrderTest, testing::ValuesIn(all_cells()),
                         [](const auto& info) { return cell_name(info.param); });

}  // namespace
}  // namespace trestle::test

// Second derivatives in space: of the slopes by differences, on curved cells of every type.
#include "fem/cells/geometry.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "fem/cells/element.hpp"
#include "fem/cells/tabulation.hpp"

namespace trestle::fem {
namespace {

using mesh::CellType;

/// One cell whose nodes are moved off their reference places, smoothly and by a few percent.
struct CurvedCell {
  explicit CurvedCell(CellType of_type)
      : type(of_type),
        n_nodes(mesh::traits(of_type).n_nodes),
        nodes(mesh::traits(type).nodes.size()) {
    std::iota(nodes.begin(), nodes.end(), 0);
    for (const auto& node : mesh::traits(type).nodes) {
      const double a = node[0], b = node[1], c = node[2];
      places.push_back(1.3 * a + 0.2 * b + 0.07 * std::sin(2 * a + b));
      places.push_back(0.9 * b - 0.1 * a + 0.06 * std::cos(a - 2 * b + c));
      places.push_back(mesh::traits(type).dim == 2 ? 0 : 1.1 * c + 0.1 * b + 0.05 * a * b);
    }
  }
  /// The shape functions at a reference point.
  CellPoint<27, double, BasicCurvedShape<double>> at(const std::array<double, 3>& xi) const {
    const Tabulation table = tabulate(type, Quadrature{{xi}, {1.0}});
    const CellView cells{
        .nodes = {nodes.data(), 1, n_nodes},
        .x = {places.data(), n_nodes, 3},
        .N = {table.N.data(), 1, n_nodes},
        .dN = {table.dN.data(), 1, n_nodes, 3},
        .weights = {table.weights.data(), 1},
        .dim = mesh::traits(type).dim,
        .section = {},
        .d2N = {table.d2N.data(), Offset(table.d2N.size()) / (6 * n_nodes), n_nodes, 6}};
    return map_point<27, double, BasicCurvedShape<double>>(cells, NodePlaces{cells, 0}, 0, n_nodes);
  }
  CellType type;
  int n_nodes;
  std::vector<Index> nodes;
  std::vector<double> places;
};

class SecondDerivatives : public testing::TestWithParam<int> {
 protected:
  CellType type() const { return static_cast<CellType>(GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(AllTypes, SecondDerivatives, testing::Range(0, mesh::n_cell_types),
                         [](const auto& info) {
                           return std::string(mesh::traits(static_cast<CellType>(info.param)).name);
                         });

/// d(grad N)/dx_d along the line of reference points that moves the place along x_d alone.
TEST_P(SecondDerivatives, AreTheChangeOfSlopesOnCurvedCells) {
  const mesh::CellTraits& traits = mesh::traits(type());
  if (traits.order == 1) GTEST_SKIP() << "linear cells have none";
  if (traits.dim == 1) GTEST_SKIP() << "lines are facets, and bound no cell of their own dimension";
  const CurvedCell cell(type());
  std::array<double, 3> xi{};
  for (int v = 0; v < traits.n_vertices; ++v)
    for (std::size_t d = 0; d < 3; ++d)
      xi[d] += traits.nodes[static_cast<std::size_t>(v)][d] * (1 + 0.3 * std::sin(3.0 * v + 1)) /
               traits.n_vertices;
  const auto here = cell.at(xi);
  // Columns of J by differences of places, then its inverse by solving for each direction.
  constexpr double h = 1e-5, accuracy = 1e-7;  // h^2 times fourth derivatives, and rounding / h
  Mat3 J{};
  std::array<CellPoint<27, double, BasicCurvedShape<double>>, 6> around;
  for (int i = 0; i < 3; ++i) {
    for (int side = 0; side < 2; ++side) {
      std::array<double, 3> moved = xi;
      moved[static_cast<std::size_t>(i)] += side == 0 ? -h : h;
      around[static_cast<std::size_t>(2 * i + side)] = cell.at(moved);
    }
    const Vec3 column = (around[static_cast<std::size_t>(2 * i + 1)].x -
                         around[static_cast<std::size_t>(2 * i)].x) *
                        (0.5 / h);
    for (int d = 0; d < 3; ++d) J(d, i) = column[d];
  }
  if (traits.dim == 2) J(2, 2) = 1;
  const Mat3 inverse_J = inverse(J);
  for (int a = 0; a < traits.n_nodes; ++a)
    for (int d = 0; d < traits.dim; ++d) {
      double change = 0;
      for (int i = 0; i < traits.dim; ++i)
        change += (around[static_cast<std::size_t>(2 * i + 1)].shape[a].grad[d] -
                   around[static_cast<std::size_t>(2 * i)].shape[a].grad[d]) /
                  (2 * h) * inverse_J(i, d);
      EXPECT_NEAR(here.shape[a].second[d], change, accuracy * (1 + std::abs(change)))
          << "node " << a << " along " << d;
    }
}

}  // namespace
}  // namespace trestle::fem

// The cell locator: every cell type, straight and curved, ties, tolerance and points outside.
#include "fem/cell_locator.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "fem/element.hpp"
#include "fem/quadrature.hpp"
#include "fem/reference_cell.hpp"
#include "tests/support/devices.hpp"

namespace trestle::fem {
namespace {

using mesh::CellType;
using mesh::traits;
using Point = std::array<double, 3>;

/// A mesh of this rank alone with one block of cells; canonical ids as given.
mesh::Mesh alone(CellType type, const std::vector<Point>& nodes, std::vector<Index> connectivity,
                 std::vector<GlobalIndex> ids) {
  mesh::Mesh mesh{};
  mesh.dim = traits(type).dim;
  std::vector<GlobalIndex> node_ids(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    node_ids[i] = static_cast<GlobalIndex>(i);
    mesh.coordinates.insert(mesh.coordinates.end(), nodes[i].begin(), nodes[i].end());
  }
  mesh.nodes = std::make_shared<IndexMap>(Comm(MPI_COMM_SELF), node_ids,
                                          std::span<const GlobalIndex>(), std::span<const int>());
  mesh::CellBlock block;
  block.type = type;
  block.nodes = std::move(connectivity);
  block.tags.assign(ids.begin(), ids.end());
  block.group_set.assign(ids.size(), 0);
  block.owned.assign(ids.size(), 1);
  block.ids = std::move(ids);
  mesh.n_cells_global = block.n_cells();
  mesh.cells.push_back(std::move(block));
  mesh.group_sets = {{}};
  return mesh;
}

/// A sheared, stretched copy of the reference cell; `curve` > 0 bends it by a smooth map.
Point bent(const Point& xi, int dim, double curve) {
  const double x = xi[0], y = xi[1], z = xi[2];
  Point p{3 + 2 * x + 0.7 * y + 0.3 * z, -1 + 0.2 * x + 1.5 * y + 0.4 * z,
          dim == 3 ? 0.5 - 0.3 * x + 0.2 * y + 1.1 * z : 0.0};
  p[0] += curve * std::sin(x + 2 * y + 0.5 * z);
  p[1] += curve * std::cos(2 * x - y + z);
  if (dim == 3) p[2] += curve * std::sin(x * y + z);
  return p;
}

mesh::Mesh one_cell(CellType type, double curve) {
  std::vector<Point> nodes;
  std::vector<Index> connectivity;
  for (const Point& xi : traits(type).nodes) {
    connectivity.push_back(static_cast<Index>(nodes.size()));
    nodes.push_back(bent(xi, traits(type).dim, curve));
  }
  return alone(type, nodes, connectivity, {0});
}

Point position(const mesh::Mesh& mesh, const Point& xi) {
  const CellType type = mesh.cells[0].type;
  std::vector<double> N(traits(type).nodes.size());
  shape_functions(type, xi.data(), N.data(), nullptr);
  Point x{};
  for (std::size_t a = 0; a < N.size(); ++a)
    for (std::size_t d = 0; d < 3; ++d) x[d] += N[a] * mesh.coordinates[3 * a + d];
  return x;
}

/// Points inside, on facets, on edges and at nodes of a reference cell.
std::vector<Point> sample_points(CellType type) {
  const auto& t = traits(type);
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(-1.5, 1.5);
  std::vector<Point> points(t.nodes.begin(), t.nodes.end());
  for (int i = 0; i < 200; ++i) {  // clamping puts many of them on facets and edges
    Point xi{};
    for (std::size_t d = 0; d < static_cast<std::size_t>(t.dim); ++d) xi[d] = uniform(random);
    points.push_back(clamp_to_cell(type, xi));
  }
  for (const Point& xi : quadrature(type, 5).points) points.push_back(xi);
  return points;
}

class LocatorOfEachType : public testing::TestWithParam<int> {
 protected:
  CellType type() const { return static_cast<CellType>(GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(AllTypes, LocatorOfEachType, testing::Range(1, mesh::n_cell_types),
                         [](const auto& info) {
                           return std::string(traits(static_cast<CellType>(info.param)).name);
                         });

TEST_P(LocatorOfEachType, EveryPointOfACellIsFoundAtItsReferenceCoordinates) {
  for (double curve : {0.0, 0.08}) {
    const mesh::Mesh mesh = one_cell(type(), curve);
    const CellLocator locator(mesh);
    for (const Point& xi : sample_points(type())) {
      const auto found = locator.locate(position(mesh, xi));
      ASSERT_TRUE(found.found) << "curve " << curve << " at " << xi[0] << ' ' << xi[1] << ' '
                               << xi[2];
      const Point there = position(mesh, found.xi);
      for (std::size_t d = 0; d < 3; ++d) {
        EXPECT_NEAR(found.xi[d], xi[d], 1e-8);  // at an apex all of c (a, b) are the same point
        EXPECT_NEAR(there[d], position(mesh, xi)[d], locator.tolerance());
      }
    }
  }
}

TEST_P(LocatorOfEachType, PointsBeyondAFacetAreOutsideAndThoseWithinRoundOffInside) {
  const mesh::Mesh mesh = one_cell(type(), 0);
  const CellLocator locator(mesh);
  const Point centre = centre_of_cell(type());
  for (const auto& facet : traits(type()).facets) {
    Point on{};
    const auto n = static_cast<std::size_t>(traits(facet.type).n_vertices);
    for (std::size_t v = 0; v < n; ++v)
      for (std::size_t d = 0; d < 3; ++d)
        on[d] += traits(type()).nodes[facet.nodes[v]][d] / static_cast<double>(n);
    const auto beyond = [&](double factor) {
      const Point a = position(mesh, centre), b = position(mesh, on);
      Point x;
      for (std::size_t d = 0; d < 3; ++d) x[d] = a[d] + factor * (b[d] - a[d]);
      return x;
    };
    EXPECT_TRUE(locator.locate(beyond(1 + 1e-14)).found);
    EXPECT_TRUE(locator.locate(beyond(1 - 1e-14)).found);
    EXPECT_FALSE(locator.locate(beyond(1 + 1e-6)).found);
    EXPECT_FALSE(locator.locate(beyond(1.2)).found);
    EXPECT_FALSE(locator.locate(beyond(50)).found);
  }
}

TEST_P(LocatorOfEachType, ALinearFieldIsInterpolatedExactly) {
  const mesh::Mesh mesh = one_cell(type(), 0.08);
  const CellLocator locator(mesh);
  const auto f = [](const double* x) { return 1 + 2 * x[0] - x[1] + 0.5 * x[2]; };
  std::vector<double> nodal;
  for (std::size_t i = 0; i < mesh.coordinates.size(); i += 3) {
    nodal.push_back(f(&mesh.coordinates[i]));
    nodal.push_back(-f(&mesh.coordinates[i]));
  }
  for (const Point& xi : sample_points(type())) {
    const Point x = position(mesh, xi);
    const auto value = locator.interpolate(locator.locate(x), nodal, 2);
    ASSERT_EQ(value.size(), 2u);
    EXPECT_NEAR(value[0], f(x.data()), 5 * locator.tolerance());
    EXPECT_EQ(value[1], -value[0]);
  }
}

TEST(CellLocator, FindsAPointBehindABulgeThatTheNodesDoNotShow) {
  // The edge from (1, 0) to (0, 1) of a tri6 with its mid node pulled out along x: between nodes
  // the edge reaches farther than any of them.
  const mesh::Mesh mesh = alone(
      CellType::tri6, {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.5, 0, 0}, {0.95, 0.5, 0}, {0, 0.5, 0}},
      {0, 1, 2, 3, 4, 5}, {0});
  const Point bulge = position(mesh, {0.65, 0.35, 0});
  ASSERT_GT(bulge[0], 1.03);
  const auto found = CellLocator(mesh).locate(bulge);
  ASSERT_TRUE(found.found);
  EXPECT_NEAR(found.xi[0], 0.65, 1e-8);
}

TEST(CellLocator, OfTwoCellsTheLowestCanonicalIdWinsWhateverTheirOrder) {
  const std::vector<Point> nodes{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {0, 1, 0}, {1, 1, 0}, {2, 1, 0}};
  const std::vector<Index> left{0, 1, 4, 3}, right{1, 2, 5, 4};
  for (bool left_first : {true, false}) {
    auto cells = left_first ? left : right;
    const auto& second = left_first ? right : left;
    cells.insert(cells.end(), second.begin(), second.end());
    const mesh::Mesh mesh =
        alone(CellType::quad4, nodes, cells,
              left_first ? std::vector<GlobalIndex>{4, 9} : std::vector<GlobalIndex>{9, 4});
    const CellLocator locator(mesh);
    for (const Point& x : {Point{1, 0.3, 0}, Point{1, 0, 0}, Point{1 + 1e-13, 1, 0}}) {
      const auto found = locator.locate(x);
      ASSERT_TRUE(found.found);
      EXPECT_EQ(mesh.cells[0].ids[static_cast<std::size_t>(found.cell)], 4);
      EXPECT_NEAR(found.xi[0], 1, 1e-12);
    }
    const auto beside = locator.locate({1 + 1e-8, 0.5, 0});
    EXPECT_EQ(mesh.cells[0].ids[static_cast<std::size_t>(beside.cell)], 9);
  }
}

TEST(CellLocator, TakesOnlyTheCellsOfItsGroup) {
  mesh::Mesh mesh = alone(CellType::line2, {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}}, {0, 1, 1, 2}, {0, 1});
  mesh.groups.push_back({{"right", 1, 1}, {}, {}, 1, 1.0});
  mesh.group_sets = {{}, {0}};
  mesh.cells[0].group_set = {0, 1};
  const CellLocator right(mesh, 0), all(mesh);
  EXPECT_FALSE(right.locate({0.5, 0, 0}).found);
  EXPECT_EQ(right.locate({1, 0, 0}).cell, 1);
  EXPECT_EQ(all.locate({1, 0, 0}).cell, 0);
}

TEST(CellLocator, RefusesPointsThatAreNotNumbersAndPointsOffThePlane) {
  const mesh::Mesh mesh = one_cell(CellType::quad4, 0);
  const CellLocator locator(mesh);
  const Point inside = position(mesh, {0.1, 0.2, 0});
  ASSERT_TRUE(locator.locate(inside).found);
  EXPECT_FALSE(locator.locate({inside[0], inside[1], 1e-3}).found);
  EXPECT_FALSE(locator.locate({std::nan(""), inside[1], 0}).found);
  EXPECT_FALSE(locator.locate({std::numeric_limits<double>::infinity(), inside[1], 0}).found);
}

TEST(CellLocator, ToleranceGrowsWithTheDistanceFromTheOrigin) {
  // A cell of size 1e-3 at 1e6: coordinates themselves are rounded to 1e-10.
  const double o = 1e6, h = 1e-3;
  const mesh::Mesh mesh =
      alone(CellType::tri3, {{o, 0, 0}, {o + h, 0, 0}, {o, h, 0}}, {0, 1, 2}, {0});
  const CellLocator locator(mesh);
  EXPECT_TRUE(locator.locate({o - 3e-10, h / 2, 0}).found);
  EXPECT_FALSE(locator.locate({o - 1e-7, h / 2, 0}).found);
}

TEST(CellLocator, OfManyCellsFindsTheOneOfEachCentre) {
  // 40 x 30 quads in an order without any spatial sense.
  constexpr int nx = 40, ny = 30;
  std::vector<Point> nodes;
  for (int j = 0; j <= ny; ++j)
    for (int i = 0; i <= nx; ++i) nodes.push_back({0.1 * i + 0.02 * j, 0.1 * j, 0});
  std::vector<int> order(nx * ny);
  for (int k = 0; k < nx * ny; ++k) order[static_cast<std::size_t>(k)] = (k * 707) % (nx * ny);
  std::vector<Index> connectivity;
  std::vector<GlobalIndex> ids;
  for (int k : order) {
    const Index a = k % nx + (k / nx) * (nx + 1);
    connectivity.insert(connectivity.end(), {a, a + 1, a + nx + 2, a + nx + 1});
    ids.push_back(k);
  }
  const mesh::Mesh mesh = alone(CellType::quad4, nodes, connectivity, ids);
  const CellLocator locator(mesh);
  for (int k = 0; k < nx * ny; ++k) {
    const double i = k % nx + 0.5, j = k / nx + 0.5;
    const auto found = locator.locate({0.1 * i + 0.02 * j, 0.1 * j, 0});
    ASSERT_TRUE(found.found);
    EXPECT_EQ(mesh.cells[0].ids[static_cast<std::size_t>(found.cell)], k);
  }
}

}  // namespace
}  // namespace trestle::fem

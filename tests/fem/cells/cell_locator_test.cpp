// The cell locator: every cell type, straight and curved, ties, tolerance and points outside.
#include "fem/cells/cell_locator.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "fem/cells/element.hpp"
#include "fem/cells/quadrature.hpp"
#include "fem/cells/reference_cell.hpp"
#include "mesh/generate.hpp"
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

/// An affine map of the unit box.
Point sheared(const Point& x) {
  return {2 * x[0] + 0.5 * x[1] + 0.2 * x[2], 1.5 * x[1] + 0.3 * x[2], 0.9 * x[2]};
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
  mesh.groups.push_back({{"right", 1, 1}, {}, {}, 1});
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

TEST(CellLocator, TakesRoundOffOfThePlaneForNothing) {
  // z as a program of single precision leaves it.
  const mesh::Mesh mesh =
      alone(CellType::quad4, {{0, 0, 5}, {1, 0, 5 + 4e-7}, {1, 1, 5 - 3e-7}, {0, 1, 5}},
            {0, 1, 2, 3}, {0});
  const CellLocator locator(mesh);
  EXPECT_NEAR(locator.plane(), 5, 1e-6);
  EXPECT_TRUE(locator.locate({0.9, 0.2, locator.plane()}).found);
  EXPECT_TRUE(locator.locate({0.9, 0.2, 5}).found);
  EXPECT_FALSE(locator.locate({0.9, 0.2, 5.001}).found);
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

/// A sheared box of about 3 bricks per direction on the ranks of `comm`.
mesh::Mesh sheared_box(const Comm& comm, CellType type, mesh::Partitioner partitioner) {
  mesh::BoxOptions options;
  options.cell = type;
  options.cells = {4, 3, traits(type).dim == 3 ? 3 : 1};
  mesh::RawMesh raw = mesh::generate_box(comm, options);
  for (std::size_t i = 0; i < raw.coordinates.size(); i += 3) {
    const Point x{raw.coordinates[i], raw.coordinates[i + 1], raw.coordinates[i + 2]};
    const Point y = sheared(x);
    std::copy(y.begin(), y.end(), &raw.coordinates[i]);
  }
  return mesh::distribute(comm, std::move(raw), partitioner);
}

struct Probe {
  Point unit;  // in the unit box
  bool inside;
};

/// At nodes, on edges and faces of bricks, inside, on the boundary, 1e-14 and far outside.
std::vector<Probe> box_probes(int dim) {
  const double h = 1.0 / 3;
  std::vector<Probe> probes{{{0.25, h, h}, true},       {{0.5, 2 * h, 0.4}, true},
                            {{0.25, 0.4, 0.45}, true},  {{0, 0, 0}, true},
                            {{1, 1, 1}, true},          {{1, 0.5, 0.5}, true},
                            {{0.3, 1, 0.2}, true},      {{1 + 1e-14, 0.5, 0.5}, true},
                            {{0.2, -1e-14, 0.1}, true}, {{0.333, 0.777, 0.123}, true},
                            {{1.5, 0.5, 0.5}, false},   {{0.5, -0.01, 0.5}, false},
                            {{0.5, 1 + 1e-7, 0}, false}};
  std::mt19937 random(11);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (int i = 0; i < 60; ++i)
    probes.push_back({{uniform(random), uniform(random), uniform(random)}, true});
  if (dim == 2)
    for (Probe& probe : probes) probe.unit[2] = 0;
  return probes;
}

class LocatorOnRanks : public testing::TestWithParam<CellType> {};
INSTANTIATE_TEST_SUITE_P(BoxTypes, LocatorOnRanks,
                         testing::Values(CellType::tri3, CellType::tri6, CellType::quad4,
                                         CellType::quad8, CellType::quad9, CellType::tet4,
                                         CellType::tet10, CellType::hex8, CellType::hex20,
                                         CellType::hex27, CellType::prism6, CellType::prism15,
                                         CellType::prism18, CellType::pyramid5, CellType::pyramid13,
                                         CellType::pyramid14),
                         [](const auto& info) { return std::string(traits(info.param).name); });

GlobalIndex id_of(const mesh::Mesh& mesh, const CellLocator::Found& found) {
  return mesh.cells[static_cast<std::size_t>(found.block)]
      .ids[static_cast<std::size_t>(found.cell)];
}

TEST_P(LocatorOnRanks, ThePartitionChangesNeitherTheCellNorTheReferenceCoordinates) {
  const Comm& comm = test::world();
  const Comm self(MPI_COMM_SELF);
  const mesh::Mesh whole = sheared_box(self, GetParam(), mesh::Partitioner::automatic);
  const CellLocator on_whole(whole);
  std::vector<Point> points;
  const auto probes = box_probes(whole.dim);
  for (const Probe& probe : probes) points.push_back(sheared(probe.unit));
  for (auto partitioner : {mesh::Partitioner::scotch, mesh::Partitioner::hilbert}) {
    const mesh::Mesh mesh = sheared_box(comm, GetParam(), partitioner);
    const auto located = CellLocator(mesh).locate(comm, points);
    ASSERT_EQ(located.size(), points.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
      const auto expected = on_whole.locate(points[i]);
      const auto& [rank, here] = located[i];
      EXPECT_EQ(expected.found, probes[i].inside) << "probe " << i;
      EXPECT_EQ(rank >= 0, probes[i].inside) << "probe " << i;
      EXPECT_EQ(here.found, rank == comm.rank());
      if (!here.found) continue;
      EXPECT_EQ(id_of(mesh, here), id_of(whole, expected)) << "probe " << i;
      EXPECT_EQ(here.xi, expected.xi) << "probe " << i;
      const auto& block = mesh.cells[static_cast<std::size_t>(here.block)];
      EXPECT_EQ(block.owned[static_cast<std::size_t>(here.cell)], 1);
    }
  }
}

TEST_P(LocatorOnRanks, EveryRankFindsThePointsOfItsCellsAndGhosts) {
  const mesh::Mesh mesh = sheared_box(test::world(), GetParam(), mesh::Partitioner::automatic);
  const CellLocator locator(mesh);
  for (std::size_t b = 0; b < mesh.cells.size(); ++b)
    for (Index c = 0; c < mesh.cells[b].n_cells(); ++c) {
      const auto& block = mesh.cells[b];
      const Point centre = centre_of_cell(block.type);
      const auto n = static_cast<std::size_t>(traits(block.type).n_nodes);
      std::vector<double> N(n);
      shape_functions(block.type, centre.data(), N.data(), nullptr);
      Point x{};
      for (std::size_t a = 0; a < n; ++a)
        for (std::size_t d = 0; d < 3; ++d)
          x[d] +=
              N[a] * mesh.coordinates[3 * static_cast<std::size_t>(
                                              block.nodes[static_cast<std::size_t>(c) * n + a]) +
                                      d];
      const auto found = locator.locate(x);
      ASSERT_TRUE(found.found);
      EXPECT_EQ(id_of(mesh, found), block.ids[static_cast<std::size_t>(c)]);
    }
}

TEST(CellLocator, ProbesOnNodesEdgesBoundaryAndOutsideGiveTheFieldOnAnyNumberOfRanks) {
  // T = x on the unit square in 22 x 22 quads.
  const Comm& comm = test::world();
  mesh::BoxOptions options;
  options.cell = CellType::quad4;
  options.cells = {22, 22, 1};
  const mesh::Mesh mesh =
      mesh::distribute(comm, mesh::generate_box(comm, options), mesh::Partitioner::automatic);
  const CellLocator locator(mesh);
  std::vector<double> temperature;
  for (std::size_t i = 0; i < mesh.coordinates.size(); i += 3)
    temperature.push_back(mesh.coordinates[i]);
  const std::vector<Point> points{{0.5, 0.5, 0},       {0.3, 0.25, 0},    {1, 1, 0},
                                  {1 + 1e-14, 0.5, 0}, {0.333, 0.777, 0}, {1.5, 0.5, 0}};
  const auto located = locator.locate(comm, points);
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    const auto& [rank, here] = located[i];
    ASSERT_GE(rank, 0);
    ASSERT_LT(rank, comm.size());
    if (here.found) {
      EXPECT_NEAR(locator.interpolate(here, temperature)[0], std::min(points[i][0], 1.0), 1e-14);
    }
  }
  EXPECT_EQ(located.back().rank, -1);
  EXPECT_FALSE(located.back().here.found);
}

TEST(CellLocator, OfTheBodyFindsWhatTheOneOfAllCellsFinds) {
  const Comm& comm = test::world();
  const mesh::Mesh mesh = sheared_box(comm, CellType::hex8, mesh::Partitioner::automatic);
  int body = -1;
  for (std::size_t g = 0; g < mesh.groups.size(); ++g)
    if (mesh.groups[g].group.name == "body") body = static_cast<int>(g);
  ASSERT_GE(body, 0);
  const std::vector<Point> points{sheared({0.4, 0.4, 0.4}), sheared({2, 2, 2})};
  const auto located = CellLocator(mesh, body).locate(comm, points);
  EXPECT_GE(located[0].rank, 0);
  EXPECT_EQ(located[1].rank, -1);
}

}  // namespace
}  // namespace trestle::fem

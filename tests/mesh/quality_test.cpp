// Tests of measures, quality and connected parts against closed forms, on any number of ranks.
#include "mesh/quality.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "mesh/generate.hpp"
#include "mesh/mesh.hpp"
#include "mesh/reference_map.hpp"
#include "mesh/scatter.hpp"
#include "tests/support/devices.hpp"

namespace trestle::mesh {
namespace {

using test::world;

constexpr double round_off = 1e-12;  // sums of some hundred numbers of size 1

Mesh box_of(CellType type, const std::array<Index, 3>& cells, const std::array<double, 3>& size) {
  BoxOptions options;
  options.cell = type;
  options.cells = cells;
  options.size = size;
  return distribute(world(), generate_box(world(), options), Partitioner::hilbert);
}

TEST(ScaledJacobian, IsOneForTheIdealCell) {
  const double h = std::sqrt(3.0) / 2;
  const std::vector<Point> triangle{{0, 0, 0}, {1, 0, 0}, {0.5, h, 0}};
  const std::vector<Point> tetrahedron{{1, 1, 1}, {-1, 1, -1}, {1, -1, -1}, {-1, -1, 1}};
  const std::vector<Point> prism{{0, 0, 0}, {1, 0, 0}, {0.5, h, 0},
                                 {0, 0, 3}, {1, 0, 3}, {0.5, h, 3}};
  const double up = std::numbers::sqrt2;
  const std::vector<Point> pyramid{{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}, {0, 0, up}};
  EXPECT_NEAR(scaled_jacobian(CellType::tri3, triangle.data()), 1, round_off);
  EXPECT_NEAR(scaled_jacobian(CellType::tet4, tetrahedron.data()), 1, round_off);
  EXPECT_NEAR(scaled_jacobian(CellType::prism6, prism.data()), 1, round_off);
  EXPECT_NEAR(scaled_jacobian(CellType::pyramid5, pyramid.data()), 1, round_off);
  for (const CellType type : {CellType::quad4, CellType::quad9, CellType::hex8, CellType::hex27})
    EXPECT_NEAR(scaled_jacobian(type, traits(type).nodes.data()), 1, round_off);
}

TEST(ScaledJacobian, IsTheSineOfTheWorstAngle) {
  const double angle = 0.3;
  const double c = std::cos(angle), s = std::sin(angle);
  const std::vector<Point> rhombus{{0, 0, 0}, {1, 0, 0}, {1 + c, s, 0}, {c, s, 0}};
  EXPECT_NEAR(scaled_jacobian(CellType::quad4, rhombus.data()), s, round_off);
  std::vector<Point> block = rhombus;
  for (Point x : rhombus) block.push_back({x[0], x[1], 2});
  EXPECT_NEAR(scaled_jacobian(CellType::hex8, block.data()), s, round_off);
  // A right triangle with legs of 1: sin 45 degrees over sin 60 degrees.
  const std::vector<Point> right{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  EXPECT_NEAR(scaled_jacobian(CellType::tri3, right.data()),
              std::sin(std::numbers::pi / 4) / std::sin(std::numbers::pi / 3), round_off);
}

TEST(ScaledJacobian, IsNegativeWhereAVertexIsTurnedIn) {
  const std::vector<Point> arrow{{0, 0, 0}, {1, 0, 0}, {0.2, 0.2, 0}, {0, 1, 0}};
  EXPECT_LT(scaled_jacobian(CellType::quad4, arrow.data()), 0);
}

TEST(SummariseMesh, MeasuresBoxesOfEveryCellType) {
  for (int t = 0; t < n_cell_types; ++t) {
    const auto type = static_cast<CellType>(t);
    const CellTraits& cell = traits(type);
    if (cell.dim < 2) continue;
    const std::array<double, 3> size{3, 2, 1.5};
    const MeshSummary summary = summarise(box_of(type, {3, 2, 2}, size));
    EXPECT_NEAR(summary.measure, cell.dim == 2 ? 6 : 9, round_off) << cell.name;
    EXPECT_EQ(summary.dim, cell.dim);
    EXPECT_EQ(summary.n_components, 1) << cell.name;
    EXPECT_EQ(summary.cells_by_type.size(), 1u);
    EXPECT_EQ(summary.box.lower, (std::array<double, 3>{0, 0, 0}));
    EXPECT_NEAR(summary.box.upper[0], 3, round_off);
    EXPECT_NEAR(summary.box.upper[1], 2, round_off);
    EXPECT_GT(summary.min_scaled_jacobian, 0);
    if (cell.linear == CellType::hex8 || cell.linear == CellType::quad4) {
      EXPECT_NEAR(summary.min_scaled_jacobian, 1, round_off);
      EXPECT_NEAR(summary.max_aspect_ratio, cell.dim == 2 ? 1 : 1 / 0.75, round_off);
    }
  }
}

TEST(ComputeMeasures, GivesEveryGroupItsSize) {
  for (const CellType type : {CellType::tri3, CellType::quad9, CellType::tet10, CellType::hex20,
                              CellType::prism15, CellType::pyramid13}) {
    const Mesh mesh = box_of(type, {3, 2, 2}, {3, 2, 1.5});
    const std::vector<double> measures = compute_measures(mesh);
    const bool solid = mesh.dim == 3;
    const std::map<std::string, double> sizes{{"body", solid ? 9 : 6},
                                              {"xmin", solid ? 3 : 2},
                                              {"xmax", solid ? 3 : 2},
                                              {"ymin", solid ? 4.5 : 3}};
    for (const auto& [name, size] : sizes) {
      const LocalGroup* group = mesh.find_group(name);
      ASSERT_NE(group, nullptr) << name;
      EXPECT_NEAR(measures[static_cast<std::size_t>(group - mesh.groups.data())], size, round_off)
          << traits(type).name << " " << name;
    }
  }
}

/// Rows of unit squares with gaps of 1 between them, each `length` squares long.
RawMesh rows_of_squares(GlobalIndex rows, GlobalIndex length) {
  RawMesh mesh;
  mesh.dim = 2;
  mesh.group_sets = {{}};
  RawBlock block;
  block.type = CellType::quad4;
  if (world().is_root()) {
    for (GlobalIndex r = 0; r < rows; ++r) {
      const GlobalIndex first = 2 * r * (length + 1);
      for (GlobalIndex k = 0; k < 2 * (length + 1); ++k) {
        const double y = static_cast<double>(2 * r + k / (length + 1));
        mesh.coordinates.insert(mesh.coordinates.end(),
                                {static_cast<double>(k % (length + 1)), y, 0});
        mesh.node_tags.push_back(++mesh.n_nodes);
      }
      for (GlobalIndex i = 0; i < length; ++i) {
        const GlobalIndex a = first + i, up = length + 1;
        block.nodes.insert(block.nodes.end(), {a, a + 1, a + 1 + up, a + up});
        block.ids.push_back(mesh.n_cells++);
        block.tags.push_back(mesh.n_cells);
        block.group_set.push_back(0);
      }
    }
    mesh.cells = {block};
  }
  return scatter(world(), std::move(mesh));
}

TEST(SummariseMesh, CountsConnectedPartsAcrossRanks) {
  for (const GlobalIndex rows : {1, 2, 5}) {
    const Mesh mesh = distribute(world(), rows_of_squares(rows, 9), Partitioner::hilbert);
    const MeshSummary summary = summarise(mesh);
    EXPECT_EQ(summary.n_components, rows);
    EXPECT_NEAR(summary.measure, static_cast<double>(9 * rows), round_off);
  }
}

TEST(SummariseMesh, NamesTheWorstCell) {
  RawMesh raw = rows_of_squares(3, 9);
  for (std::size_t i = 0; i < raw.node_tags.size(); ++i)
    if (raw.node_tags[i] == 20 + 1 + 10 + 5)
      raw.coordinates[3 * i] += 0.4;  // top of squares 14, 15
  const MeshSummary summary = summarise(distribute(world(), raw, Partitioner::hilbert));
  // Square 14's upper right corner moves by 0.4: the sine at its left neighbour is the lowest.
  EXPECT_TRUE(summary.worst_cell_tag == 14 || summary.worst_cell_tag == 15)
      << summary.worst_cell_tag;
  EXPECT_NEAR(summary.min_scaled_jacobian, 1 / std::hypot(1, 0.4), round_off);
}

TEST(SummariseMesh, HintsAtMillimetres) {
  const MeshSummary large = summarise(box_of(CellType::quad4, {2, 2, 1}, {80, 25, 1}));
  ASSERT_EQ(large.warnings.size(), 1u);
  EXPECT_NE(large.warnings[0].find("80 m long"), std::string::npos);
  EXPECT_TRUE(summarise(box_of(CellType::quad4, {2, 2, 1}, {80, 25, 1}), true).warnings.empty());
  EXPECT_TRUE(summarise(box_of(CellType::quad4, {2, 2, 1}, {0.25, 0.08, 1})).warnings.empty());
}

}  // namespace
}  // namespace trestle::mesh

// Tests of generated boxes: counts, volumes, order of nodes, and the same mesh on any ranks.
#include "mesh/generate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "core/error.hpp"
#include "tests/mesh/whole_mesh.hpp"
#include "tests/support/devices.hpp"

namespace trestle::mesh {
namespace {

using test::Point;
using trestle::test::world;

constexpr double round_off = 1e-12;  // relative, of sums over some hundred cells

std::size_t at(GlobalIndex i) { return static_cast<std::size_t>(i); }

class EachBox : public testing::TestWithParam<CellType> {
 protected:
  const CellTraits& cell() const { return traits(GetParam()); }
  RawMesh box() const { return test::whole(world(), test::small_box(world(), GetParam())); }
};
INSTANTIATE_TEST_SUITE_P(Types, EachBox, testing::ValuesIn(test::box_types()),
                         [](const auto& info) { return std::string(traits(info.param).name); });

/// Nodes of the box of 3 x 2 x 4 bricks by counting bricks, faces, edges and corners.
GlobalIndex expected_nodes(CellType type) {
  constexpr GlobalIndex nx = 3, ny = 2, nz = 4;
  const GlobalIndex corners = (nx + 1) * (ny + 1) * (nz + 1), bricks = nx * ny * nz;
  const GlobalIndex edges =
      nx * (ny + 1) * (nz + 1) + (nx + 1) * ny * (nz + 1) + (nx + 1) * (ny + 1) * nz;
  const GlobalIndex xy = nx * ny * (nz + 1);  // faces with the normal along z
  const GlobalIndex faces = xy + nx * (ny + 1) * nz + (nx + 1) * ny * nz;
  const GlobalIndex plane = (nx + 1) * (ny + 1), plane_edges = nx * (ny + 1) + (nx + 1) * ny;
  switch (type) {
    case CellType::tri3:
    case CellType::quad4:
      return plane;
    case CellType::quad8:
      return plane + plane_edges;
    case CellType::tri6:
    case CellType::quad9:
      return (2 * nx + 1) * (2 * ny + 1);
    case CellType::tet10:  // edges, face diagonals, space diagonals
    case CellType::hex27:
      return corners + edges + faces + bricks;
    case CellType::hex20:
      return corners + edges;
    case CellType::prism15:  // diagonals of the faces with the normal along z
      return corners + edges + xy;
    case CellType::prism18:  // and the middles of the quadrilaterals, one within each brick
      return corners + edges + faces + bricks;
    case CellType::pyramid5:
      return corners + bricks;
    case CellType::pyramid13:  // 8 edges to the centre in each brick
      return corners + edges + 9 * bricks;
    case CellType::pyramid14:
      return corners + edges + faces + 9 * bricks;
    default:
      return corners;
  }
}

TEST_P(EachBox, HasTheNumbersOfCellsAndNodesThatCountingGives) {
  const std::map<CellType, GlobalIndex> per_brick{{CellType::tri3, 2},   {CellType::quad4, 1},
                                                  {CellType::tet4, 6},   {CellType::hex8, 1},
                                                  {CellType::prism6, 2}, {CellType::pyramid5, 6}};
  const RawMesh mesh = box();
  const GlobalIndex bricks = cell().dim == 2 ? 6 : 24;
  EXPECT_EQ(mesh.n_cells, bricks * per_brick.at(cell().linear));
  EXPECT_EQ(mesh.n_nodes, expected_nodes(GetParam()));
  ASSERT_EQ(mesh.cells.size(), 1u);
  EXPECT_EQ(mesh.cells[0].size(), at(mesh.n_cells));
  EXPECT_EQ(mesh.coordinates.size(), at(3 * mesh.n_nodes));
  for (GlobalIndex c = 0; c < mesh.n_cells; ++c) EXPECT_EQ(mesh.cells[0].ids[at(c)], c);
}

TEST_P(EachBox, IsFilledByPositiveCells) {
  const RawMesh mesh = box();
  const double size = cell().dim == 2 ? 6 : 30;
  for (std::size_t c = 0; c < mesh.cells[0].size(); ++c)
    EXPECT_GT(test::measure_of(GetParam(), test::vertices_of(mesh, mesh.cells[0], c)), 0);
  EXPECT_NEAR(test::measure_of(mesh), size, size * round_off);
}

TEST_P(EachBox, NumbersItsNodesLexicographicallyAndUsesEach) {
  const RawMesh mesh = box();
  Point before{-1e9, -1e9, -1e9};  // z, y, x
  for (std::size_t i = 0; i < mesh.coordinates.size(); i += 3) {
    const Point now{mesh.coordinates[i + 2], mesh.coordinates[i + 1], mesh.coordinates[i]};
    EXPECT_LT(before, now);
    before = now;
  }
  const std::set<GlobalIndex> used(mesh.cells[0].nodes.begin(), mesh.cells[0].nodes.end());
  EXPECT_EQ(used.size(), at(mesh.n_nodes));
}

TEST_P(EachBox, HasMidNodesInTheMiddleOfTheirVertices) {
  const RawMesh mesh = box();
  const auto x = [&](GlobalIndex node, std::size_t d) {
    return mesh.coordinates[at(3 * node) + d];
  };
  for (std::size_t c = 0; c < mesh.cells[0].size(); ++c) {
    const GlobalIndex* nodes = mesh.cells[0].nodes.data() + c * at(cell().n_nodes);
    for (int i = 0; i < cell().n_nodes; ++i) {
      const NodeParents parents = node_parents(GetParam(), i);
      for (std::size_t d = 0; d < 3; ++d) {
        double mean = 0;
        for (int k = 0; k < parents.n; ++k)
          mean += x(nodes[parents.vertices[at(k)]], d) / parents.n;
        EXPECT_NEAR(x(nodes[i], d), mean, round_off);
      }
    }
  }
}

TEST_P(EachBox, HasGroupsOnItsSides) {
  const RawMesh mesh = box();
  ASSERT_EQ(mesh.groups.size(), cell().dim == 2 ? 5u : 7u);
  EXPECT_EQ(mesh.groups[0].name, "body");
  for (int set : mesh.cells[0].group_set) EXPECT_EQ(mesh.group_sets[at(set)], std::vector<int>{0});
  const Point lower{-1, 2, 0.5}, upper{1, 5, 5.5};
  std::map<std::string, double> area;
  for (const RawBlock& block : mesh.entities)
    for (std::size_t e = 0; e < block.size(); ++e) {
      const Group& group = mesh.groups[at(mesh.group_sets[at(block.group_set[e])].at(0))];
      EXPECT_EQ(group.dim, cell().dim - 1);
      const auto axis = at(group.name[0] - 'x');
      for (const Point& x : test::vertices_of(mesh, block, e))
        EXPECT_EQ(x[axis], group.name.substr(1) == "min" ? lower[axis] : upper[axis]);
      area[group.name] += std::abs(test::measure_of(block.type, test::vertices_of(mesh, block, e)));
    }
  for (int g = 1; g < static_cast<int>(mesh.groups.size()); ++g) {
    const auto axis = at((g - 1) / 2);
    double expected = 1;
    for (std::size_t d = 0; d < at(cell().dim); ++d)
      if (d != axis) expected *= upper[d] - lower[d];
    EXPECT_NEAR(area[mesh.groups[at(g)].name], expected, expected * round_off) << g;
  }
}

TEST_P(EachBox, IsTheSameOnAnyNumberOfRanks) {
  const RawMesh mine = test::small_box(world(), GetParam());
  const Share share = share_of(mine.n_cells, world().rank(), world().size());
  EXPECT_EQ(mine.cells[0].size(), at(share.count()));
  const RawMesh mesh = box();
  const RawMesh serial = test::whole(test::alone(), test::small_box(test::alone(), GetParam()));
  EXPECT_EQ(mesh.coordinates, serial.coordinates);
  EXPECT_EQ(mesh.node_tags, serial.node_tags);
  ASSERT_EQ(mesh.entities.size(), serial.entities.size());
  EXPECT_EQ(mesh.cells[0].nodes, serial.cells[0].nodes);
  for (std::size_t b = 0; b < mesh.entities.size(); ++b) {
    EXPECT_EQ(mesh.entities[b].nodes, serial.entities[b].nodes);
    EXPECT_EQ(mesh.entities[b].tags, serial.entities[b].tags);
    EXPECT_EQ(mesh.entities[b].group_set, serial.entities[b].group_set);
  }
}

TEST(GenerateTest, RefusesBoxesThatAreNone) {
  const auto refused = [](auto change) {
    BoxOptions box;
    change(box);
    try {
      generate_box(world(), box);
    } catch (const Error& e) {
      return e.code() == ExitCode::mesh;
    }
    return false;
  };
  EXPECT_FALSE(refused([](BoxOptions&) {}));
  EXPECT_TRUE(refused([](BoxOptions& box) { box.size[1] = 0; }));
  EXPECT_TRUE(refused([](BoxOptions& box) { box.size[0] = std::nan(""); }));
  EXPECT_TRUE(refused([](BoxOptions& box) { box.cells[2] = 0; }));
  EXPECT_TRUE(refused([](BoxOptions& box) { box.cell = CellType::line2; }));
  EXPECT_TRUE(refused([](BoxOptions& box) { box.cells.fill(2147483647); }));
  EXPECT_TRUE(refused([](BoxOptions& box) { box.size[0] = 1e200; }));
  EXPECT_TRUE(refused([](BoxOptions& box) { box.size.fill(1e-300); }));
  EXPECT_TRUE(refused([](BoxOptions& box) { box.origin[0] = 1e20; }));
  EXPECT_TRUE(refused([](BoxOptions& box) { box.origin[2] = -1e15; }));
  EXPECT_FALSE(refused([](BoxOptions& box) { box.origin[0] = 1e6; }));
}

}  // namespace
}  // namespace trestle::mesh

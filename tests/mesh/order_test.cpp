// Tests of `with_order`: numbers and places of mid nodes, and the way back.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "core/error.hpp"
#include "mesh/generate.hpp"
#include "mesh/mesh.hpp"
#include "tests/mesh/whole_mesh.hpp"
#include "tests/support/devices.hpp"
#include "tests/support/raw_blocks.hpp"

namespace trestle::mesh {
namespace {

using test::Point;
using trestle::test::expect_same_blocks;
using trestle::test::world;

std::size_t at(GlobalIndex i) { return static_cast<std::size_t>(i); }

RawMesh raised(const RawMesh& whole) {
  return test::whole(world(), with_order(world(), test::slice(world(), whole), 2));
}

void expect_equal(const RawMesh& a, const RawMesh& b) {
  EXPECT_EQ(a.n_nodes, b.n_nodes);
  EXPECT_EQ(a.n_cells, b.n_cells);
  EXPECT_EQ(a.coordinates, b.coordinates);
  EXPECT_EQ(a.node_tags, b.node_tags);
  expect_same_blocks(a.cells, b.cells);
  expect_same_blocks(a.entities, b.entities);
}

/// Every new node of cells and entities, by the sorted vertices in whose middle it lies.
std::map<std::vector<GlobalIndex>, GlobalIndex> mid_nodes(const RawMesh& mesh) {
  std::map<std::vector<GlobalIndex>, GlobalIndex> found;
  for (const std::vector<RawBlock>* blocks : {&mesh.cells, &mesh.entities})
    for (const RawBlock& block : *blocks) {
      const CellTraits& type = traits(block.type);
      for (std::size_t c = 0; c < block.size(); ++c)
        for (int i = type.n_vertices; i < type.n_nodes; ++i) {
          const GlobalIndex* nodes = block.nodes.data() + c * at(type.n_nodes);
          const NodeParents parents = node_parents(block.type, i);
          std::vector<GlobalIndex> vertices;
          for (int k = 0; k < parents.n; ++k) vertices.push_back(nodes[parents.vertices[at(k)]]);
          std::ranges::sort(vertices);
          const auto [entry, added] = found.insert({vertices, nodes[i]});
          EXPECT_EQ(entry->second, nodes[i]) << "two nodes in the middle of the same vertices";
        }
    }
  return found;
}

/// Checks places, numbers and tags of the nodes that were added to `linear`.
void expect_raised(const RawMesh& linear, const RawMesh& mesh) {
  const auto middles = mid_nodes(mesh);
  ASSERT_EQ(mesh.n_nodes, linear.n_nodes + narrow<GlobalIndex>(middles.size()));
  std::vector<std::pair<std::size_t, std::vector<GlobalIndex>>> by_number(middles.size());
  for (const auto& [vertices, node] : middles) {
    ASSERT_GE(node, linear.n_nodes);
    by_number.at(at(node - linear.n_nodes)) = {vertices.size(), vertices};
    for (std::size_t d = 0; d < 3; ++d) {
      double mean = 0;
      for (GlobalIndex v : vertices)
        mean += mesh.coordinates[3 * at(v) + d] / static_cast<double>(vertices.size());
      EXPECT_NEAR(mesh.coordinates[3 * at(node) + d], mean, 1e-14 * 10);
    }
  }
  EXPECT_TRUE(std::ranges::is_sorted(by_number)) << "edges, faces, cells, each by sorted vertices";
  const std::int64_t last = *std::ranges::max_element(linear.node_tags);
  for (GlobalIndex i = 0; i < mesh.n_nodes; ++i)
    EXPECT_EQ(mesh.node_tags[at(i)],
              i < linear.n_nodes ? linear.node_tags[at(i)] : last + 1 + i - linear.n_nodes);
  for (std::size_t i = 0; i < linear.coordinates.size(); ++i)
    EXPECT_EQ(mesh.coordinates[i], linear.coordinates[i]);
}

std::vector<CellType> linear_types() {
  std::vector<CellType> types = test::box_types();
  std::erase_if(types, [](CellType type) { return traits(type).order != 1; });
  return types;
}

class EachLinearBox : public testing::TestWithParam<CellType> {};
INSTANTIATE_TEST_SUITE_P(Types, EachLinearBox, testing::ValuesIn(linear_types()),
                         [](const auto& info) { return std::string(traits(info.param).name); });

TEST_P(EachLinearBox, GetsNodesInTheMiddleOfEdgesFacesAndCells) {
  const RawMesh linear = test::whole(world(), test::small_box(world(), GetParam()));
  const RawMesh mesh = raised(linear);
  EXPECT_EQ(mesh.cells.at(0).type, traits(GetParam()).full);
  EXPECT_TRUE(mesh.warnings.empty());
  expect_raised(linear, mesh);
}

TEST_P(EachLinearBox, HasTheNodesOfTheGeneratedQuadraticBox) {
  const RawMesh linear = test::whole(world(), test::small_box(world(), GetParam()));
  const RawMesh mesh = raised(linear);
  const RawMesh generated = test::whole(world(), test::small_box(world(), traits(GetParam()).full));
  ASSERT_EQ(mesh.n_nodes, generated.n_nodes);
  for (std::size_t i = 0; i < mesh.cells.at(0).nodes.size(); ++i)
    for (std::size_t d = 0; d < 3; ++d)
      EXPECT_NEAR(mesh.coordinates[3 * at(mesh.cells[0].nodes[i]) + d],
                  generated.coordinates[3 * at(generated.cells.at(0).nodes[i]) + d], 1e-13);
}

TEST_P(EachLinearBox, ComesBackWhenMidNodesAreDropped) {
  const RawMesh linear = test::whole(world(), test::small_box(world(), GetParam()));
  RawMesh back = with_order(world(), test::slice(world(), raised(linear)), 1);
  ASSERT_EQ(back.warnings.size(), 1u);
  EXPECT_NE(back.warnings[0].find("mid nodes were dropped"), std::string::npos);
  expect_equal(test::whole(world(), back), linear);
}

TEST(OrderTest, EdgesOfATetrahedralBallObeyEulersFormula) {
  const RawMesh linear = test::whole(world(), test::small_box(world(), CellType::tet4));
  // V - E + F - C = 1, and each tetrahedron has 4 faces, shared but for those on the sides.
  GlobalIndex boundary = 0;
  for (const RawBlock& block : linear.entities) boundary += narrow<GlobalIndex>(block.size());
  const GlobalIndex faces = (4 * linear.n_cells + boundary) / 2;
  const GlobalIndex edges = linear.n_nodes + faces - linear.n_cells - 1;
  EXPECT_EQ(raised(linear).n_nodes, linear.n_nodes + edges);
}

TEST(OrderTest, RaisesMixedMeshesWithTheirEntities) {
  const RawMesh linear = test::whole(test::alone(), test::mixed_mesh());
  const RawMesh mesh = raised(linear);
  std::set<CellType> types;
  for (const RawBlock& block : mesh.cells) types.insert(block.type);
  for (const RawBlock& block : mesh.entities) types.insert(block.type);
  EXPECT_EQ(types,
            (std::set{CellType::point1, CellType::line3, CellType::tri6, CellType::quad9,
                      CellType::tet10, CellType::hex27, CellType::prism18, CellType::pyramid14}));
  expect_raised(linear, mesh);
  // Edges: 12 of the hexahedron, 4 more of the pyramid, 5 of the prism, 3 of the tetrahedron;
  // quadrilaterals: 6 and 2; one hexahedron.
  EXPECT_EQ(mesh.n_nodes, 12 + 24 + 8 + 1);
  expect_equal(mesh, test::whole(test::alone(), with_order(test::alone(), linear, 2)));
  expect_equal(test::whole(world(), with_order(world(), test::slice(world(), mesh), 1)), linear);
}

TEST(OrderTest, DropsTheNodesOfSerendipityCells) {
  for (const CellType type :
       {CellType::hex20, CellType::prism15, CellType::pyramid13, CellType::quad8}) {
    SCOPED_TRACE(traits(type).name);
    const RawMesh mesh =
        test::whole(world(), with_order(world(), test::small_box(world(), type), 1));
    const RawMesh linear = test::whole(world(), test::small_box(world(), traits(type).linear));
    EXPECT_EQ(mesh.coordinates, linear.coordinates);
    EXPECT_EQ(mesh.cells.at(0).nodes, linear.cells.at(0).nodes);
    EXPECT_EQ(mesh.entities.at(0).nodes, linear.entities.at(0).nodes);
  }
}

TEST(OrderTest, LeavesOutPointsOnDroppedNodesAndSaysSo) {
  RawMesh raw = with_order(test::alone(), test::mixed_mesh(), 2);
  raw.entities.push_back({CellType::point1, {20}, {}, {90}, {7}});
  const RawMesh mesh = with_order(world(), test::slice(world(), raw), 1);
  ASSERT_EQ(mesh.warnings.size(), 2u);
  EXPECT_NE(mesh.warnings[1].find("1 points"), std::string::npos) << mesh.warnings[1];
  expect_equal(test::whole(world(), mesh), test::whole(test::alone(), test::mixed_mesh()));
}

TEST(OrderTest, WarnsThatSetsOfNodesGetNoMidNodes) {
  const auto n_warnings = [](std::vector<GlobalIndex> points) {
    RawMesh raw = test::mixed_mesh();
    raw.groups.push_back({"held", 0, 99});
    RawBlock block{CellType::point1, points, {}, {}, {}};
    for (std::size_t i = 0; i < points.size(); ++i) {
      block.tags.push_back(static_cast<std::int64_t>(900 + i));
      block.group_set.push_back(0);
    }
    std::erase_if(raw.entities, [](const RawBlock& b) { return b.type == CellType::point1; });
    std::erase_if(raw.groups, [](const Group& g) { return g.dim == 0 && g.tag != 99; });
    raw.entities.push_back(std::move(block));
    return with_order(world(), test::slice(world(), raw), 2).warnings.size();
  };
  EXPECT_EQ(n_warnings({0, 1, 2}), 1u);
  EXPECT_EQ(n_warnings({0}), 0u);
}

TEST(OrderTest, ReturnsAMeshOfThatOrderAsItIs) {
  const RawMesh linear = test::whole(test::alone(), test::mixed_mesh());
  expect_equal(test::whole(world(), with_order(world(), test::slice(world(), linear), 1)), linear);
  const RawMesh hex20 = test::whole(world(), test::small_box(world(), CellType::hex20));
  expect_equal(raised(hex20), hex20);
}

TEST(OrderTest, KeepsNodesThatNoCellTouches) {
  RawMesh raw = test::mixed_mesh();
  raw.coordinates.insert(raw.coordinates.end(), {7, 7, 7});
  raw.node_tags.push_back(200);
  raw.n_nodes += 1;
  const RawMesh linear = test::whole(test::alone(), raw);
  const RawMesh mesh = raised(linear);
  EXPECT_EQ(mesh.n_nodes, 13 + 24 + 8 + 1);
  expect_equal(test::whole(world(), with_order(world(), test::slice(world(), mesh), 1)), linear);
}

TEST(OrderTest, RefusesIdsThatLeaveNoneForNewNodes) {
  RawMesh raw = test::mixed_mesh();
  const GlobalIndex n_new = raised(test::whole(test::alone(), raw)).n_nodes - raw.n_nodes;
  raw.node_tags.back() = std::numeric_limits<std::int64_t>::max() - n_new;
  EXPECT_NO_THROW(with_order(world(), test::slice(world(), raw), 2));
  ++raw.node_tags.back();
  EXPECT_THROW(with_order(world(), test::slice(world(), raw), 2), MeshError);
}

TEST(OrderTest, RefusesToRaiseAMixOfOrdersAndUnknownOrders) {
  RawMesh raw = test::mixed_mesh();
  raw.entities.push_back({CellType::line3, {0, 1, 2}, {}, {91}, {6}});
  EXPECT_THROW(with_order(world(), test::slice(world(), raw), 2), Error);
  EXPECT_THROW(with_order(world(), test::slice(world(), test::mixed_mesh()), 3), Error);
}

}  // namespace
}  // namespace trestle::mesh

// Tests of `distribute`: a partitioned mesh has every cell, node and group entity where the rules
// of mesh/mesh.hpp say, whatever the partition.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "core/error.hpp"
#include "mesh/generate.hpp"
#include "mesh/mesh.hpp"
#include "tests/mesh/whole_mesh.hpp"
#include "tests/support/devices.hpp"

namespace trestle::mesh {
namespace {

using test::Point;
using trestle::test::world;

std::size_t at(GlobalIndex i) { return static_cast<std::size_t>(i); }

template <class T>
std::vector<T> all(const std::vector<T>& values) {
  return world().all_gather(std::span<const T>(values));
}

/// A cell of the whole mesh.
struct WholeCell {
  CellType type;
  std::vector<GlobalIndex> nodes;
  std::int64_t tag;
  int group_set;
};

std::vector<WholeCell> cells_by_id(const RawMesh& whole) {
  std::vector<WholeCell> cells(at(whole.n_cells));
  for (const RawBlock& block : whole.cells) {
    const auto width = static_cast<std::ptrdiff_t>(traits(block.type).n_nodes);
    for (std::size_t c = 0; c < block.size(); ++c) {
      const auto nodes = block.nodes.begin() + static_cast<std::ptrdiff_t>(c) * width;
      cells[at(block.ids[c])] = {
          block.type, {nodes, nodes + width}, block.tags[c], block.group_set[c]};
    }
  }
  return cells;
}

/// A whole mesh, and this rank's part of it.
class Case {
 public:
  Case(RawMesh whole, Partitioner partitioner)
      : whole_(std::move(whole)),
        cells_(cells_by_id(whole_)),
        cells_of_node_(at(whole_.n_nodes)),
        mesh_(distribute(world(), test::slice(world(), whole_), partitioner)),
        serial_(distribute(test::alone(), whole_, Partitioner::automatic)) {
    for (GlobalIndex c = 0; c < whole_.n_cells; ++c)
      for (GlobalIndex node : cells_[at(c)].nodes) cells_of_node_[at(node)].insert(c);
    const auto owned = mesh_.nodes->ids().first(at(mesh_.nodes->n_owned()));
    owned_ = {owned.begin(), owned.end()};
  }

  void check() const {
    check_every_cell_is_owned_once();
    check_every_node_belongs_to_the_rank_of_its_lowest_cell();
    check_cells_here_are_those_owned_and_those_touching_owned_nodes();
    check_cells_are_copies();
    check_nodes_are_copies();
    check_order_of_cells();
    for (std::size_t g = 0; g < whole_.groups.size(); ++g) check_group(g);
  }

 private:
  void check_every_cell_is_owned_once() const {
    std::vector<GlobalIndex> owned;
    for (const CellBlock& block : mesh_.cells)
      for (std::size_t c = 0; c < block.ids.size(); ++c)
        if (block.owned[c] != 0) owned.push_back(block.ids[c]);
    owned = all(owned);
    std::ranges::sort(owned);
    std::vector<GlobalIndex> expected(cells_.size());
    std::iota(expected.begin(), expected.end(), 0);
    EXPECT_EQ(owned, expected);
    EXPECT_EQ(mesh_.n_cells_global, whole_.n_cells);
  }

  void check_every_node_belongs_to_the_rank_of_its_lowest_cell() const {
    std::vector<GlobalIndex> ids;
    for (const CellBlock& block : mesh_.cells)
      for (std::size_t c = 0; c < block.ids.size(); ++c)
        if (block.owned[c] != 0) ids.push_back(block.ids[c]);
    std::vector<int> rank_of_cell(cells_.size(), -1);
    for (GlobalIndex id : ids) rank_of_cell[at(id)] = world().rank();
    world().max(std::span<int>(rank_of_cell));
    std::set<GlobalIndex> expected;
    for (GlobalIndex node = 0; node < whole_.n_nodes; ++node)
      if (!cells_of_node_[at(node)].empty() &&
          rank_of_cell[at(*cells_of_node_[at(node)].begin())] == world().rank())
        expected.insert(node);
    const auto owned = mesh_.nodes->ids().first(at(mesh_.nodes->n_owned()));
    EXPECT_EQ(std::set<GlobalIndex>(owned.begin(), owned.end()), expected);
    EXPECT_EQ(owned.size(), expected.size());
  }

  void check_cells_here_are_those_owned_and_those_touching_owned_nodes() const {
    std::set<GlobalIndex> here, expected;
    std::size_t n = 0;
    for (const CellBlock& block : mesh_.cells)
      for (std::size_t c = 0; c < block.ids.size(); ++c, ++n) {
        here.insert(block.ids[c]);
        if (block.owned[c] != 0) expected.insert(block.ids[c]);
      }
    for (Index i = 0; i < mesh_.nodes->n_owned(); ++i)
      expected.insert(cells_of_node_[at(mesh_.nodes->ids()[at(i)])].begin(),
                      cells_of_node_[at(mesh_.nodes->ids()[at(i)])].end());
    EXPECT_EQ(here, expected);
    EXPECT_EQ(n, here.size());
  }

  void check_cells_are_copies() const {
    for (const CellBlock& block : mesh_.cells) {
      const auto width = at(traits(block.type).n_nodes);
      for (std::size_t c = 0; c < block.ids.size(); ++c) {
        const WholeCell& cell = cells_[at(block.ids[c])];
        EXPECT_EQ(block.type, cell.type);
        EXPECT_EQ(block.tags[c], cell.tag);
        EXPECT_EQ(block.group_set[c], cell.group_set);
        std::vector<GlobalIndex> nodes;
        for (std::size_t i = 0; i < width; ++i)
          nodes.push_back(mesh_.nodes->ids()[at(block.nodes[c * width + i])]);
        EXPECT_EQ(nodes, cell.nodes);
      }
    }
  }

  void check_nodes_are_copies() const {
    ASSERT_EQ(mesh_.coordinates.size(), 3 * at(mesh_.nodes->n_local()));
    std::set<GlobalIndex> used;
    for (const CellBlock& block : mesh_.cells)
      for (Index node : block.nodes) used.insert(node);
    EXPECT_EQ(used.size(), at(mesh_.nodes->n_local()));
    for (Index i = 0; i < mesh_.nodes->n_local(); ++i) {
      const std::size_t id = at(mesh_.nodes->ids()[at(i)]);
      EXPECT_EQ(mesh_.node_tags[at(i)], whole_.node_tags[id]);
      for (std::size_t d = 0; d < 3; ++d)
        EXPECT_EQ(mesh_.coordinates[3 * at(i) + d], whole_.coordinates[3 * id + d]);
    }
  }

  /// The cells of each type stand as they do on one rank, some left out.
  void check_order_of_cells() const {
    ASSERT_EQ(mesh_.cells.size(), serial_.cells.size());
    for (std::size_t b = 0; b < mesh_.cells.size(); ++b) {
      EXPECT_EQ(mesh_.cells[b].type, serial_.cells[b].type);
      const std::vector<GlobalIndex>& order = serial_.cells[b].ids;
      auto place = order.begin();
      for (GlobalIndex id : mesh_.cells[b].ids) {
        place = std::find(place, order.end(), id);
        ASSERT_NE(place, order.end()) << "cell " << id << " is out of order";
      }
    }
  }

  using Entities = std::map<std::set<GlobalIndex>, std::int64_t>;  // vertices, lowest tag

  Entities whole_entities(std::size_t g) const {
    Entities entities;
    for (const RawBlock& block : whole_.entities) {
      const CellTraits& type = traits(block.type);
      for (std::size_t e = 0; e < block.size(); ++e) {
        const std::vector<int>& set = whole_.group_sets[at(block.group_set[e])];
        if (std::ranges::find(set, static_cast<int>(g)) == set.end()) continue;
        const auto nodes = block.nodes.begin() + static_cast<std::ptrdiff_t>(e) * type.n_nodes;
        const auto [entry, added] =
            entities.insert({{nodes, nodes + type.n_vertices}, block.tags[e]});
        if (!added) entry->second = std::min(entry->second, block.tags[e]);
      }
    }
    return entities;
  }

  std::set<GlobalIndex> vertices(const Entity& entity) const {
    std::set<GlobalIndex> ids;
    for (int i = 0; i < traits(entity.type).n_vertices; ++i)
      ids.insert(mesh_.nodes->ids()[at(entity.nodes[at(i)])]);
    return ids;
  }

  bool owns_one_of(const std::set<GlobalIndex>& ids) const {
    return std::ranges::any_of(ids, [&](GlobalIndex id) { return owned_.contains(id); });
  }

  void check_group(std::size_t g) const {
    const LocalGroup& group = mesh_.groups.at(g);
    SCOPED_TRACE("group " + group.group.name);
    EXPECT_EQ(group.group.name, whole_.groups[g].name);
    EXPECT_EQ(mesh_.find_group(group.group.name, group.group.dim), &group);
    if (group.group.dim < mesh_.dim) {
      check_entities(g, group);
    } else {
      GlobalIndex n = 0;
      for (const WholeCell& cell : cells_) n += mesh_.set_has_group(cell.group_set, int(g));
      EXPECT_EQ(group.n_global, n);
      EXPECT_TRUE(group.entities.empty());
    }
    check_nodes_of_group(g, group);
  }

  void check_entities(std::size_t g, const LocalGroup& group) const {
    const Entities whole = whole_entities(g);
    EXPECT_EQ(group.n_global, narrow<GlobalIndex>(whole.size()));
    Entities expected, here;
    for (const auto& entry : whole)
      if (owns_one_of(entry.first) || owns_a_mid_node(g, entry.first) ||
          (group.group.dim == mesh_.dim - 1 && owns_cell(touching(entry.first).at(0))))
        expected.insert(entry);
    GlobalIndex n_owned = 0;
    auto place = serial_.groups[g].entities.begin();
    for (const Entity& entity : group.entities) {
      here[vertices(entity)] = entity.tag;
      n_owned += entity.owned;
      check_parent(entity);
      const auto end = serial_.groups[g].entities.end();
      place = std::find_if(place, end, [&](const Entity& e) { return e.tag == entity.tag; });
      ASSERT_NE(place, end) << "entity " << entity.tag << " is out of order";
      ++place;
    }
    EXPECT_EQ(here, expected);
    EXPECT_EQ(group.entities.size(), here.size());
    EXPECT_EQ(world().sum(n_owned), group.n_global);
  }

  /// The cells that have all of these vertices, ascending.
  std::vector<GlobalIndex> touching(const std::set<GlobalIndex>& vertices) const {
    std::vector<GlobalIndex> cells;
    for (GlobalIndex c = 0; c < whole_.n_cells; ++c)
      if (std::ranges::all_of(vertices,
                              [&](GlobalIndex v) { return cells_of_node_[at(v)].contains(c); }))
        cells.push_back(c);
    return cells;
  }

  bool owns_cell(GlobalIndex cell) const {
    return std::ranges::any_of(mesh_.cells, [&](const CellBlock& block) {
      const auto place = std::ranges::find(block.ids, cell);
      return place != block.ids.end() && block.owned[at(place - block.ids.begin())] != 0;
    });
  }

  /// Whether this rank owns a node of the entity that is no vertex.
  bool owns_a_mid_node(std::size_t g, const std::set<GlobalIndex>& ids) const {
    for (const Entity& entity : serial_.groups[g].entities) {
      std::set<GlobalIndex> vertices, nodes;
      for (int i = 0; i < traits(entity.type).n_nodes; ++i) {
        const GlobalIndex id = serial_.nodes->ids()[at(entity.nodes[at(i)])];
        nodes.insert(id);
        if (i < traits(entity.type).n_vertices) vertices.insert(id);
      }
      if (vertices == ids) return owns_one_of(nodes);
    }
    return false;
  }

  void check_parent(const Entity& entity) const {
    if (traits(entity.type).dim != mesh_.dim - 1) {
      EXPECT_EQ(entity.parent_cell, -1);
      return;
    }
    const std::set<GlobalIndex> wanted = vertices(entity);
    const std::vector<GlobalIndex> cells = touching(wanted);
    const CellBlock& block = mesh_.cells.at(at(entity.parent_block));
    const CellTraits& cell = traits(block.type);
    EXPECT_EQ(block.ids.at(at(entity.parent_cell)), cells.at(0));
    EXPECT_EQ(entity.internal, cells.size() == 2);
    const SubCell& facet = cell.facets[at(entity.parent_facet)];
    EXPECT_EQ(facet.type, entity.type);
    std::set<GlobalIndex> facet_vertices;
    for (int i = 0; i < traits(facet.type).n_vertices; ++i)
      facet_vertices.insert(cells_[at(cells[0])].nodes[facet.nodes[at(i)]]);
    EXPECT_EQ(facet_vertices, wanted);
  }

  void check_nodes_of_group(std::size_t g, const LocalGroup& group) const {
    std::set<GlobalIndex> in_group;
    for (const WholeCell& cell : cells_)
      if (mesh_.set_has_group(cell.group_set, static_cast<int>(g)))
        in_group.insert(cell.nodes.begin(), cell.nodes.end());
    for (const RawBlock& block : whole_.entities)
      for (std::size_t i = 0; i < block.nodes.size(); ++i) {
        const std::size_t entity = i / at(traits(block.type).n_nodes);
        if (mesh_.set_has_group(block.group_set[entity], static_cast<int>(g)))
          in_group.insert(block.nodes[i]);
      }
    std::vector<Index> expected;
    for (Index i = 0; i < mesh_.nodes->n_local(); ++i)
      if (in_group.contains(mesh_.nodes->ids()[at(i)])) expected.push_back(i);
    EXPECT_EQ(group.nodes, expected);
  }

  RawMesh whole_;
  std::vector<WholeCell> cells_;
  std::vector<std::set<GlobalIndex>> cells_of_node_;
  Mesh mesh_;
  Mesh serial_;
  std::set<GlobalIndex> owned_;  // canonical ids of the nodes that this rank owns
};

class DistributeTest : public testing::TestWithParam<Partitioner> {};
INSTANTIATE_TEST_SUITE_P(Partitioners, DistributeTest,
                         testing::Values(Partitioner::scotch, Partitioner::hilbert),
                         [](const auto& info) {
                           return info.param == Partitioner::scotch ? "scotch" : "hilbert";
                         });

TEST(DistributeBoxTest, KeepsItsRulesOnEveryType) {
  for (CellType type : test::box_types()) {
    SCOPED_TRACE(traits(type).name);
    Case(test::small_box(test::alone(), type), Partitioner::automatic).check();
  }
}

TEST_P(DistributeTest, KeepsItsRulesOnMixedMeshes) { Case(test::mixed_mesh(), GetParam()).check(); }

TEST_P(DistributeTest, KeepsItsRulesOnMixedMeshesOfOrderTwo) {
  Case(with_order(test::alone(), test::mixed_mesh(), 2), GetParam()).check();
}

TEST_P(DistributeTest, KeepsItsRulesWithFewerCellsThanRanks) {
  for (Index n : {1, 3}) {
    BoxOptions box;
    box.cells = {n, 1, 1};
    Case(generate_box(test::alone(), box), GetParam()).check();
  }
}

TEST_P(DistributeTest, KeepsItsRulesOnTheSlicesOfGenerators) {
  BoxOptions box;
  box.cell = CellType::tet4;
  box.cells = {7, 6, 5};
  const Mesh mesh = distribute(world(), generate_box(world(), box), GetParam());
  double volume = 0;
  for (const CellBlock& block : mesh.cells)
    for (std::size_t c = 0; c < block.ids.size(); ++c) {
      std::vector<Point> x;
      for (std::size_t i = 0; i < 4; ++i) {
        const double* p = mesh.coordinates.data() + 3 * block.nodes[4 * c + i];
        x.push_back({p[0], p[1], p[2]});
      }
      if (block.owned[c] != 0) volume += test::measure_of(block.type, x);
    }
  EXPECT_NEAR(world().sum(volume), 1, 1e-13);
  EXPECT_EQ(mesh.nodes->n_global(), 8 * 7 * 6);
  Case(test::whole(world(), generate_box(world(), box)), GetParam()).check();
}

TEST_P(DistributeTest, SpreadsALargerBoxEvenly) {
  BoxOptions box;
  box.cells = {16, 16, 16};
  const Mesh mesh = distribute(world(), generate_box(world(), box), GetParam());
  const GlobalIndex owned = std::ranges::count(mesh.cells.at(0).owned, 1);
  EXPECT_GE(owned, 4096 / world().size() * 9 / 10);
  EXPECT_LE(owned, 4096 / world().size() * 11 / 10);
}

TEST_P(DistributeTest, GivesEveryFacetToTheOwnerOfItsParent) {
  for (const CellType type : {CellType::tet4, CellType::prism6}) {
    BoxOptions box;
    box.cell = type;
    box.cells = {12, 12, 12};
    const Mesh mesh = distribute(world(), generate_box(world(), box), GetParam());
    for (const LocalGroup& group : mesh.groups) {
      if (group.group.dim != 2) continue;
      const auto has_parent = [&](const Entity& facet) {
        return mesh.cells[at(facet.parent_block)].owned[at(facet.parent_cell)] != 0;
      };
      const GlobalIndex n = std::ranges::count_if(group.entities, has_parent);
      EXPECT_EQ(world().sum(n), group.n_global) << group.group.name;
    }
  }
}

TEST_P(DistributeTest, GivesTheSamePartsEveryTime) {
  BoxOptions box;
  box.cell = CellType::tet4;
  box.cells = {8, 8, 8};
  const Mesh first = distribute(world(), generate_box(world(), box), GetParam());
  const Mesh second = distribute(world(), generate_box(world(), box), GetParam());
  EXPECT_EQ(first.cells.at(0).ids, second.cells.at(0).ids);
  EXPECT_EQ(first.cells.at(0).nodes, second.cells.at(0).nodes);
  EXPECT_TRUE(std::ranges::equal(first.nodes->ids(), second.nodes->ids()));
}

TEST(DistributeMixedTest, FindsTheInternalFacets) {
  const Mesh mesh =
      distribute(world(), test::slice(world(), test::mixed_mesh()), Partitioner::automatic);
  for (const Entity& entity : mesh.find_group("interface")->entities) {
    EXPECT_TRUE(entity.internal);
    // The quadrilateral touches pyramid 2 and hexahedron 3; the triangle tetrahedron 0 and
    // pyramid 2.
    const GlobalIndex parent = mesh.cells[at(entity.parent_block)].ids[at(entity.parent_cell)];
    EXPECT_EQ(parent, entity.type == CellType::quad4 ? 2 : 0);
  }
  for (const Entity& entity : mesh.find_group("bottom")->entities) EXPECT_FALSE(entity.internal);
  EXPECT_EQ(mesh.find_group("interface")->n_global, 2);
  EXPECT_EQ(mesh.find_group("both")->n_global, 2);
  EXPECT_EQ(mesh.find_group("edge")->n_global, 1);
  EXPECT_EQ(mesh.find_group("tip")->n_global, 1);
  EXPECT_EQ(mesh.find_group("nothing")->n_global, 0);
  EXPECT_EQ(mesh.find_group("rest")->n_global, 3);
  EXPECT_EQ(mesh.find_group("absent"), nullptr);
}

TEST(DistributeMixedTest, LeavesOutNodesWithoutCellsAndSaysSo) {
  RawMesh raw = test::mixed_mesh();
  raw.coordinates.insert(raw.coordinates.end(), {7, 7, 7, 8, 8, 8});
  raw.node_tags.insert(raw.node_tags.end(), {200, 201});
  raw.n_nodes += 2;
  const Mesh mesh = distribute(world(), test::slice(world(), raw), Partitioner::automatic);
  EXPECT_EQ(mesh.nodes->n_global(), 12);
  ASSERT_EQ(mesh.warnings.size(), 1u);
  EXPECT_NE(mesh.warnings[0].find("2 nodes"), std::string::npos) << mesh.warnings[0];
}

/// The message of the MeshError (65) that `distribute` throws on every rank, "" when it does not.
std::string fault_of(const RawMesh& whole) {
  try {
    distribute(world(), test::slice(world(), whole), Partitioner::automatic);
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ExitCode::mesh);
    return e.what();
  }
  return "";
}

TEST(DistributeFaultTest, NamesAFacetThatIsNoFacetOfACell) {
  RawMesh raw = test::mixed_mesh();
  raw.entities.push_back({CellType::tri3, {0, 1, 2}, {}, {77}, {3}});  // half a quadrilateral
  EXPECT_NE(fault_of(raw).find("tri3 77 "), std::string::npos);
}

TEST(DistributeFaultTest, NamesAnEdgeThatIsNoEdgeOfACell) {
  RawMesh raw = test::mixed_mesh();
  raw.entities.push_back({CellType::line2, {0, 6}, {}, {78}, {6}});
  EXPECT_NE(fault_of(raw).find("line2 78 "), std::string::npos);
}

TEST(DistributeFaultTest, NamesAnEntityOnNodesWithoutCells) {
  RawMesh raw = test::mixed_mesh();
  raw.coordinates.insert(raw.coordinates.end(), {7, 7, 7});
  raw.node_tags.push_back(200);
  raw.n_nodes += 1;
  raw.entities.push_back({CellType::point1, {12}, {}, {79}, {7}});
  EXPECT_NE(fault_of(raw).find("point1 79 "), std::string::npos);
}

TEST(DistributeFaultTest, NamesAFacetOfAnotherOrderThanItsCell) {
  RawMesh raw = with_order(test::alone(), test::mixed_mesh(), 2);
  raw.entities.push_back({CellType::tri3, {5, 6, 9}, {}, {80}, {3}});
  EXPECT_NE(fault_of(raw).find("tri3 80 "), std::string::npos);
}

TEST(DistributeFaultTest, NamesACellWithANodeThatIsNotThere) {
  RawMesh raw = test::mixed_mesh();
  raw.cells[0].nodes[2] = 12;
  EXPECT_NE(fault_of(raw).find("tet4 40 "), std::string::npos);
  raw.cells[0].nodes[2] = -1;
  EXPECT_NE(fault_of(raw).find("tet4 40 "), std::string::npos);
}

}  // namespace
}  // namespace trestle::mesh

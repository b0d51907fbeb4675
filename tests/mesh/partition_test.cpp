// Tests of the partitioners: balance, validity, the dual graph.
#include "mesh/partition.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <set>

#include "mesh/distribute_cells.hpp"
#include "mesh/generate.hpp"
#include "tests/mesh/whole_mesh.hpp"
#include "tests/support/devices.hpp"

namespace trestle::mesh {
namespace {

using trestle::test::world;

std::size_t at(GlobalIndex i) { return static_cast<std::size_t>(i); }

/// Pairs of cells with a common facet, by the sets of vertices.
std::set<std::pair<GlobalIndex, GlobalIndex>> neighbours(const RawMesh& whole) {
  std::map<std::set<GlobalIndex>, GlobalIndex> seen;
  std::set<std::pair<GlobalIndex, GlobalIndex>> pairs;
  for (const RawBlock& block : whole.cells)
    for (std::size_t c = 0; c < block.size(); ++c)
      for (const SubCell& facet : traits(block.type).facets) {
        std::set<GlobalIndex> vertices;
        for (int i = 0; i < traits(facet.type).n_vertices; ++i)
          vertices.insert(block.nodes[c * at(traits(block.type).n_nodes) + facet.nodes[at(i)]]);
        const auto [entry, added] = seen.insert({vertices, block.ids[c]});
        if (added) continue;
        pairs.insert({entry->second, block.ids[c]});
        pairs.insert({block.ids[c], entry->second});
      }
  return pairs;
}

TEST(PartitionTest, DualGraphHasThePairsOfCellsThatShareAFacet) {
  std::vector<RawMesh> meshes{test::mixed_mesh()};
  for (CellType type : test::box_types()) meshes.push_back(test::small_box(test::alone(), type));
  for (const RawMesh& mesh : meshes) {
    SCOPED_TRACE(traits(mesh.cells[0].type).name);
    const DualGraph graph = make_dual_graph(world(), test::slice(world(), mesh));
    const Share share = share_of(mesh.n_cells, world().rank(), world().size());
    EXPECT_EQ(graph.first_cell, share.first);
    ASSERT_EQ(graph.begin.size(), at(share.count()) + 1);
    std::set<std::pair<GlobalIndex, GlobalIndex>> found, expected;
    for (std::size_t row = 0; row + 1 < graph.begin.size(); ++row)
      for (Offset k = graph.begin[row]; k < graph.begin[row + 1]; ++k)
        found.insert({share.first + static_cast<GlobalIndex>(row), graph.columns[at(k)]});
    for (const auto& pair : neighbours(mesh))
      if (pair.first >= share.first && pair.first < share.last) expected.insert(pair);
    EXPECT_EQ(found, expected);
    EXPECT_EQ(graph.columns.size(), expected.size());
  }
}

TEST(PartitionTest, HilbertCutsTheCurveIntoPiecesOfEqualWork) {
  // Cells of work 1 to 3 with keys spread over the ranks in no order.
  CellsToPartition cells;
  std::uint64_t state = 1 + static_cast<std::uint64_t>(world().rank());
  const std::size_t n = 200 + 50 * static_cast<std::size_t>(world().rank());
  for (std::size_t i = 0; i < n; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    cells.keys.push_back(state >> 1);
    cells.work.push_back(static_cast<Index>(1 + i % 3));
  }
  const std::vector<int> parts = partition_hilbert(world(), cells);
  std::vector<GlobalIndex> work(at(world().size()), 0);
  std::vector<std::int64_t> first(work.size(), std::numeric_limits<std::int64_t>::max());
  std::vector<std::int64_t> last(work.size(), -1);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t part = at(parts[i]);
    work.at(part) += cells.work[i];
    first[part] = std::min(first[part], static_cast<std::int64_t>(cells.keys[i]));
    last[part] = std::max(last[part], static_cast<std::int64_t>(cells.keys[i]));
  }
  world().sum(std::span<GlobalIndex>(work));
  world().min(std::span<std::int64_t>(first));
  world().max(std::span<std::int64_t>(last));
  const GlobalIndex total = std::accumulate(work.begin(), work.end(), GlobalIndex{0});
  for (std::size_t p = 0; p < work.size(); ++p) {
    EXPECT_NEAR(static_cast<double>(work[p]), static_cast<double>(total) / world().size(), 3 + 1);
    if (p > 0) {
      EXPECT_LT(last[p - 1], first[p]);
    }
  }
}

TEST(PartitionTest, HilbertWorksWithFewerCellsThanRanksAndWithEqualKeys) {
  CellsToPartition cells;
  if (world().rank() == world().size() - 1) cells = {{5}, {8}};
  const std::vector<int> one = partition_hilbert(world(), cells);
  EXPECT_EQ(one, std::vector<int>(cells.keys.size(), 0));
  cells = {{7, 7, 7}, {4, 4, 4}};  // the same place everywhere: they stay together
  for (int part : partition_hilbert(world(), cells)) EXPECT_EQ(part, 0);
  EXPECT_TRUE(partition_hilbert(world(), {}).empty());
}

TEST(PartitionTest, ScotchCutsFewerFacetsThanChanceAndKeepsTheBalance) {
  if (world().size() == 1) return;
  BoxOptions box;
  box.cell = CellType::tet4;
  box.cells = {10, 10, 10};
  const RawMesh mesh = generate_box(world(), box);
  CellsToPartition cells{compute_cell_keys(world(), mesh), {}};
  cells.work.assign(cells.keys.size(), 4);
  for (const auto& parts :
       {partition_scotch(world(), mesh, cells), partition_hilbert(world(), cells)}) {
    const std::vector<int> all = world().all_gather(std::span<const int>(parts));
    ASSERT_EQ(all.size(), 6000u);
    std::vector<int> sizes(at(world().size()), 0);
    for (int part : all) ++sizes.at(at(part));
    for (int size : sizes) EXPECT_NEAR(size, 6000.0 / world().size(), 600.0 / world().size());
    std::size_t cut = 0;
    const auto pairs = neighbours(test::whole(world(), mesh));
    for (const auto& [a, b] : pairs) cut += all[at(a)] != all[at(b)];
    // One plane through the box cuts 200 of the 11400 facets; chance would cut half or more.
    EXPECT_LT(cut / 2, 1200u);
    EXPECT_GT(cut, 0u);
  }
}

}  // namespace
}  // namespace trestle::mesh

// The pattern of matrices: which columns a row has, and where those of a cell stand in it.
#include "fem/matrix_layout.hpp"

#include <gtest/gtest.h>

#include <set>

#include "tests/support/devices.hpp"
#include "tests/support/meshes.hpp"

namespace trestle::fem {
namespace {

using test::world;

/// The nodes that share a cell with each owned node, itself included.
std::vector<std::set<Index>> neighbours(const mesh::Mesh& mesh) {
  std::vector<std::set<Index>> of_node(static_cast<std::size_t>(mesh.nodes->n_owned()));
  for (const mesh::CellBlock& block : mesh.cells) {
    const auto n = static_cast<std::size_t>(mesh::traits(block.type).n_nodes);
    for (std::size_t slot = 0; slot < block.nodes.size(); ++slot)
      if (const auto row = static_cast<std::size_t>(block.nodes[slot]); row < of_node.size())
        for (std::size_t b = 0; b < n; ++b) of_node[row].insert(block.nodes[slot / n * n + b]);
  }
  return of_node;
}

/// The columns of a row, owned ones and then ghosts.
std::vector<Index> columns_of(const solver::Pattern& pattern, std::size_t row) {
  std::vector<Index> columns;
  for (const auto* offsets : {&pattern.owned_offsets, &pattern.ghost_offsets})
    columns.insert(columns.end(), pattern.columns.begin() + (*offsets)[row],
                   pattern.columns.begin() + (*offsets)[row + 1]);
  return columns;
}

class MatrixLayoutOfCell : public testing::TestWithParam<mesh::CellType> {};
INSTANTIATE_TEST_SUITE_P(Cells, MatrixLayoutOfCell, testing::ValuesIn(test::all_cells()),
                         [](const auto& info) { return test::cell_name(info.param); });

TEST_P(MatrixLayoutOfCell, ARowHasTheNodesThatShareACellAscending) {
  const Discretisation discretisation(gpu::make_cpu_device(),
                                      test::box_mesh(world(), GetParam(), 3, 0), {});
  const mesh::Mesh& mesh = discretisation.mesh();
  const MatrixLayout layout = make_matrix_layout(discretisation);
  const std::vector<std::set<Index>> expected = neighbours(mesh);
  ASSERT_EQ(layout.pattern->owned_offsets.size(), expected.size() + 1);
  for (std::size_t row = 0; row < expected.size(); ++row)
    EXPECT_EQ(columns_of(*layout.pattern, row),
              std::vector<Index>(expected[row].begin(), expected[row].end()))
        << "row " << row;
  EXPECT_TRUE(layout.places.empty());
}

TEST_P(MatrixLayoutOfCell, PlacesLeadToTheColumnsOfTheCell) {
  const Discretisation discretisation(gpu::make_debug_device(),
                                      test::box_mesh(world(), GetParam(), 2, 0), {});
  const mesh::Mesh& mesh = discretisation.mesh();
  const MatrixLayout layout = make_matrix_layout(discretisation);
  ASSERT_EQ(layout.places.size(), mesh.cells.size());
  for (std::size_t block = 0; block < mesh.cells.size(); ++block) {
    const std::vector<Index>& nodes = mesh.cells[block].nodes;
    const auto n = static_cast<std::size_t>(mesh::traits(mesh.cells[block].type).n_nodes);
    const std::vector<std::uint16_t> places = gpu::download(layout.places[block]);
    for (std::size_t slot = 0; slot < nodes.size(); ++slot) {
      if (nodes[slot] >= mesh.nodes->n_owned()) continue;
      const std::vector<Index> columns =
          columns_of(*layout.pattern, static_cast<std::size_t>(nodes[slot]));
      for (std::size_t b = 0; b < n; ++b)
        ASSERT_EQ(columns.at(places[slot * n + b]), nodes[slot / n * n + b]);
    }
  }
}

}  // namespace
}  // namespace trestle::fem

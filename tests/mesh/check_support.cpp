// What the tests of checks of meshes share.
#include "tests/mesh/check_support.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/error.hpp"
#include "mesh/check.hpp"
#include "mesh/check_slices.hpp"
#include "tests/mesh/whole_mesh.hpp"
#include "tests/support/devices.hpp"

namespace trestle::mesh::test {
namespace {

bool are_same(const std::vector<RawBlock>& a, const std::vector<RawBlock>& b) {
  return std::ranges::equal(a, b, [](const RawBlock& x, const RawBlock& y) {
    return x.type == y.type && x.nodes == y.nodes && x.ids == y.ids && x.tags == y.tags &&
           x.group_set == y.group_set;
  });
}

}  // namespace

RawMesh mesh_of(int dim, const std::vector<Point>& nodes) {
  RawMesh mesh;
  mesh.dim = dim;
  mesh.group_sets = {{}};
  mesh.n_nodes = static_cast<GlobalIndex>(nodes.size());
  for (const Point& x : nodes) {
    mesh.coordinates.insert(mesh.coordinates.end(), x.begin(), x.end());
    mesh.node_tags.push_back(static_cast<std::int64_t>(mesh.node_tags.size()) + 1);
  }
  return mesh;
}

void add_cells(RawMesh& mesh, CellType type, const std::vector<std::vector<GlobalIndex>>& cells) {
  RawBlock& block = mesh.cells.emplace_back();
  block.type = type;
  for (const auto& nodes : cells) {
    block.nodes.insert(block.nodes.end(), nodes.begin(), nodes.end());
    block.ids.push_back(mesh.n_cells++);
    block.tags.push_back(mesh.n_cells);
    block.group_set.push_back(0);
  }
}

std::vector<GlobalIndex> first(int n) {
  std::vector<GlobalIndex> nodes(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i] = static_cast<GlobalIndex>(i);
  return nodes;
}

std::vector<Point> reference_nodes(CellType type) {
  return {traits(type).nodes.begin(), traits(type).nodes.end()};
}

RawMesh reference_cell(CellType type) {
  RawMesh mesh = mesh_of(traits(type).dim, reference_nodes(type));
  add_cells(mesh, type, {first(traits(type).n_nodes)});
  return mesh;
}

void check(RawMesh& mesh) {
  const RawMesh before = mesh;
  RawMesh slices = slice(trestle::test::world(), mesh);
  const bool clean = is_clean(trestle::test::world(), slices);
  try {
    check_and_mend(mesh, {});
  } catch (const MeshError&) {
    EXPECT_FALSE(clean);
    throw;
  }
  const bool only_parts =
      mesh.warnings.empty() ||
      (mesh.warnings.size() == 1 && mesh.warnings[0].ends_with("connected components."));
  EXPECT_EQ(clean, only_parts && are_same(before.cells, mesh.cells) &&
                       are_same(before.entities, mesh.entities) &&
                       before.node_tags == mesh.node_tags);
  if (clean) {
    EXPECT_EQ(slices.warnings, mesh.warnings);
  }
}

std::string refusal(RawMesh mesh) {
  try {
    check(mesh);
  } catch (const MeshError& e) {
    return e.what();
  }
  return "";
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

bool warns(const RawMesh& mesh, const std::string& part) {
  for (const std::string& warning : mesh.warnings)
    if (has(warning, part)) return true;
  return false;
}

}  // namespace trestle::mesh::test

#include "io/results_mesh.hpp"

#include <fmt/core.h>

#include <cstring>

#include "core/error.hpp"
#include "io/vtk_cells.hpp"

namespace trestle::io {

namespace {

template <class T>
constexpr Number number_of() {
  if constexpr (std::is_same_v<T, double>)
    return Number::float64;
  else if constexpr (std::is_same_v<T, std::uint8_t>)
    return Number::uint8;
  else {
    static_assert(std::is_same_v<T, std::int64_t>);
    return Number::int64;
  }
}

template <class T>
MeshArray array_of(std::string path, GlobalIndex n_rows, Share rows, const std::vector<T>& values,
                   std::size_t width = 1) {
  MeshArray array{std::move(path), number_of<T>(), width, n_rows, rows, {}, {}};
  const auto bytes = std::as_bytes(std::span(values));
  array.values.assign(bytes.begin(), bytes.end());
  array.hashes = block_hashes(array.values, array.row_bytes());
  return array;
}

std::vector<std::int64_t> widened(const std::vector<int>& values) {
  return {values.begin(), values.end()};
}

void check_sizes(const ResultMesh& mesh) {
  const std::size_t points = mesh.point_ids.size(), cells = mesh.cell_ids.size();
  const bool fits = mesh.coordinates.size() == 3 * points && mesh.node_ids.size() == points &&
                    mesh.node_tags.size() == points && mesh.point_regions.size() == points &&
                    mesh.cell_types.size() == cells && mesh.cell_tags.size() == cells &&
                    mesh.cell_regions.size() == cells;
  require(fits, ExitCode::bug, "results: the arrays of the mesh differ in length");
}

/// Point ids of every owned cell, in the order of nodes of VTK.
std::vector<std::vector<GlobalIndex>> lists_of_points(const ResultMesh& mesh) {
  std::vector<std::vector<GlobalIndex>> lists;
  std::size_t begin = 0;
  for (mesh::CellType type : mesh.cell_types) {
    const auto n = static_cast<std::size_t>(mesh::traits(type).n_nodes);
    require(begin + n <= mesh.cell_points.size(), ExitCode::bug,
            "results: fewer nodes than the types of the cells ask for");
    auto& list = lists.emplace_back();
    for (std::uint8_t k : vtk_cell(type).order) list.push_back(mesh.cell_points[begin + k]);
    for (GlobalIndex point : list)
      require(point >= 0 && point < mesh.n_points, ExitCode::bug,
              fmt::format("results: a cell has point {} of {}", point, mesh.n_points));
    begin += n;
  }
  require(begin == mesh.cell_points.size(), ExitCode::bug,
          "results: more nodes than the types of the cells ask for");
  return lists;
}

/// The rows of "Offsets" that belong to a slice of cells: the end of each; rank 0 has the leading
/// 0 as well.
MeshArray offsets_array(const Comm& comm, GlobalIndex n_cells, Share cells, GlobalIndex begin,
                        std::span<const Index> counts) {
  std::vector<std::int64_t> offsets;
  if (comm.is_root()) offsets.push_back(0);
  for (Index count : counts) offsets.push_back(begin += count);
  const Share rows{comm.is_root() ? 0 : cells.first + 1, cells.last + 1};
  MeshArray array = array_of("Offsets", n_cells + 1, rows, offsets);
  array.hashes.clear();  // it follows from the types
  return array;
}

MeshArray connectivity_array(GlobalIndex n_rows, GlobalIndex begin, std::span<const Index> counts,
                             const std::vector<GlobalIndex>& points) {
  const Share rows{begin, begin + static_cast<GlobalIndex>(points.size())};
  MeshArray array = array_of("Connectivity", n_rows, rows, points);
  std::vector<std::size_t> ends;  // the blocks are those of the cells
  std::size_t end = 0;
  for (std::size_t c = 0; c < counts.size(); ++c) {
    end += static_cast<std::size_t>(counts[c]) * sizeof(GlobalIndex);
    if ((c + 1) % static_cast<std::size_t>(rows_per_block) == 0 || c + 1 == counts.size())
      ends.push_back(end);
  }
  array.hashes = block_hashes(array.values, ends);
  return array;
}

void add_cells(const Comm& comm, const ResultMesh& mesh,
               const std::vector<std::vector<GlobalIndex>>& lists, std::vector<MeshArray>& arrays) {
  std::vector<std::uint8_t> codes;
  std::vector<Index> counts;
  for (mesh::CellType type : mesh.cell_types) codes.push_back(vtk_cell(type).vtk_code);
  for (const auto& list : lists) counts.push_back(narrow<Index>(list.size()));
  const ToSlices cells(comm, mesh.n_cells, mesh.cell_ids, "cell");
  const Share share = cells.share();
  const auto add = [&](const char* path, const auto& values) {
    using T = typename std::decay_t<decltype(values)>::value_type;
    arrays.push_back(array_of(path, mesh.n_cells, share, cells.move(std::span<const T>(values))));
  };
  add("Types", codes);
  add("CellData/cell_tag", mesh.cell_tags);
  add("CellData/region", widened(mesh.cell_regions));
  const std::vector<Index> counts_here = cells.move(std::span<const Index>(counts));
  const std::vector<GlobalIndex> points = cells.move_lists(lists, counts_here);
  const auto n_here = static_cast<GlobalIndex>(points.size());
  const GlobalIndex begin = comm.exclusive_sum(n_here), n_all = comm.sum(n_here);
  arrays.push_back(offsets_array(comm, mesh.n_cells, share, begin, counts_here));
  arrays.push_back(connectivity_array(n_all, begin, counts_here, points));
}

}  // namespace

std::vector<MeshArray> mesh_arrays(const Comm& comm, const ResultMesh& mesh,
                                   const ToSlices& points) {
  std::vector<std::vector<GlobalIndex>> lists;
  comm.agree([&] {
    check_sizes(mesh);
    lists = lists_of_points(mesh);
  });
  std::vector<MeshArray> arrays;
  const auto add = [&](const char* path, const auto& values, std::size_t width) {
    using T = typename std::decay_t<decltype(values)>::value_type;
    arrays.push_back(array_of(path, mesh.n_points, points.share(),
                              points.move(std::span<const T>(values), width), width));
  };
  add("Points", mesh.coordinates, 3);
  add("PointData/node_id", mesh.node_ids, 1);
  add("PointData/node_tag", mesh.node_tags, 1);
  add("PointData/region", widened(mesh.point_regions), 1);
  add_cells(comm, mesh, lists, arrays);
  return arrays;
}

}  // namespace trestle::io

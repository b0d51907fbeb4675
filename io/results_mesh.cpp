#include "io/results_mesh.hpp"

#include <fmt/core.h>

#include <numeric>

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

/// Values that own themselves; no hashes yet.
template <class T>
ArrayValues hold(std::vector<T> values) {
  const auto held = std::make_shared<const std::vector<T>>(std::move(values));
  return {held, std::as_bytes(std::span(*held)), {}};
}

std::vector<std::int64_t> widened(std::vector<int> values) {
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

/// Puts the points of every owned cell in VTK's order; where those of each end.
std::vector<Offset> to_vtk_order(ResultMesh& mesh) {
  std::vector<GlobalIndex>& points = mesh.cell_points;
  for (GlobalIndex point : points)
    if (point < 0 || point >= mesh.n_points)
      throw Error(ExitCode::bug,
                  fmt::format("results: a cell has point {} of {}", point, mesh.n_points));
  std::vector<Offset> ends(mesh.cell_types.size());
  std::array<GlobalIndex, mesh::max_nodes_per_cell> cell;
  std::size_t begin = 0, end = 0;  // in what was, and in what will be, which is no longer
  for (std::size_t c = 0; c < ends.size(); ++c) {
    const auto n = static_cast<std::size_t>(mesh::traits(mesh.cell_types[c]).n_nodes);
    require(begin + n <= points.size(), ExitCode::bug,
            "results: fewer nodes than the types of the cells ask for");
    std::copy_n(points.data() + begin, n, cell.data());
    for (std::uint8_t k : vtk_cell(mesh.cell_types[c]).order) points[end++] = cell[k];
    begin += n;
    ends[c] = static_cast<Offset>(end);
  }
  require(begin == points.size(), ExitCode::bug,
          "results: more nodes than the types of the cells ask for");
  points.resize(end);
  return ends;
}

std::vector<Offset> checked_ends(const Comm& comm, ResultMesh& mesh) {
  std::vector<Offset> ends;
  comm.agree([&] {
    check_sizes(mesh);
    ends = to_vtk_order(mesh);
  });
  return ends;
}

/// Hashes of the connectivity: its blocks are those of the cells.
std::vector<std::uint64_t> hashes_by_cells(std::span<const std::byte> bytes,
                                           std::span<const Offset> ends_of_cells) {
  std::vector<std::size_t> ends;
  constexpr auto block = static_cast<std::size_t>(rows_per_block);
  for (std::size_t c = 0; c < ends_of_cells.size(); c += block) {
    const Offset end = ends_of_cells[std::min(c + block, ends_of_cells.size()) - 1];
    ends.push_back(static_cast<std::size_t>(end) * sizeof(GlobalIndex));
  }
  return block_hashes(bytes, ends);
}

}  // namespace

MeshArrays::MeshArrays(const Comm& comm, ResultMesh mesh, const ToSlices& points)
    : mesh_(std::move(mesh)),
      points_(points),
      ends_(checked_ends(comm, mesh_)),
      cells_(comm, mesh_.n_cells, mesh_.cell_ids, "cell") {
  for (mesh::CellType type : mesh_.cell_types) codes_.push_back(vtk_cell(type).vtk_code);
  point_regions_ = widened(std::move(mesh_.point_regions));
  cell_regions_ = widened(std::move(mesh_.cell_regions));
  add("Points", points_, mesh_.coordinates, 3);
  add("PointData/node_id", points_, mesh_.node_ids);
  add("PointData/node_tag", points_, mesh_.node_tags);
  add("PointData/region", points_, point_regions_);
  add("Types", cells_, codes_);
  add("CellData/cell_tag", cells_, mesh_.cell_tags);
  add("CellData/region", cells_, cell_regions_);
  add_connectivity(comm);
}

/// An array whose rows are the entries of `values` in another order.
template <class T>
void MeshArrays::add(std::string path, const ToSlices& order, std::vector<T>& values,
                     std::size_t width) {
  const GlobalIndex n_rows = &order == &points_ ? mesh_.n_points : mesh_.n_cells;
  list_.push_back({std::move(path), number_of<T>(), width, n_rows, order.share()});
  makers_.push_back([&order, &values, width, row_bytes = list_.back().row_bytes()] {
    ArrayValues result = hold(order.move(std::span<const T>(values), width));
    values = {};
    result.hashes = block_hashes(result.bytes, row_bytes);
    return result;
  });
}

/// "Offsets" and "Connectivity". A rank writes the end of each of its cells' points; rank 0 the
/// leading 0 as well.
void MeshArrays::add_connectivity(const Comm& comm) {
  std::vector<Offset> counts(ends_.size());
  std::adjacent_difference(ends_.begin(), ends_.end(), counts.begin());
  ends_in_slice_ = cells_.move(std::span<const Offset>(counts));
  std::partial_sum(ends_in_slice_.begin(), ends_in_slice_.end(), ends_in_slice_.begin());
  const Offset n_here = ends_in_slice_.empty() ? 0 : ends_in_slice_.back();
  const GlobalIndex begin = comm.exclusive_sum(n_here), n_all = comm.sum(n_here);
  const Share cells = cells_.share();
  list_.push_back({"Offsets",
                   Number::int64,
                   1,
                   mesh_.n_cells + 1,
                   {comm.is_root() ? 0 : cells.first + 1, cells.last + 1},
                   false});
  makers_.push_back([this, begin, leading = comm.is_root()] {
    std::vector<Offset> offsets(leading ? 1 : 0, 0);
    offsets.reserve(offsets.size() + ends_in_slice_.size());
    for (Offset end : ends_in_slice_) offsets.push_back(begin + end);
    return hold(std::move(offsets));
  });
  list_.push_back({"Connectivity", Number::int64, 1, n_all, {begin, begin + n_here}, true});
  makers_.push_back([this] {
    ArrayValues result = hold(
        cells_.move_lists(std::span<const GlobalIndex>(mesh_.cell_points), ends_, ends_in_slice_));
    mesh_.cell_points = {};
    result.hashes = hashes_by_cells(result.bytes, ends_in_slice_);
    return result;
  });
}

}  // namespace trestle::io

#include "io/results/mesh.hpp"

#include <fmt/core.h>

#include <array>

#include "core/error.hpp"
#include "io/results/vtk_cells.hpp"

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

/// Numbers as the file has them.
std::vector<std::int64_t> as_in_file(std::vector<int>&& values) {
  return {values.begin(), values.end()};
}
template <class T>
std::vector<T> as_in_file(std::vector<T>&& values) {
  return std::move(values);
}

/// VTK's type of each owned cell. Throws Error(70) on all ranks for types that are not written.
/// Collective.
std::vector<std::uint8_t> vtk_codes(const Comm& comm, std::span<const mesh::CellType> types) {
  std::vector<std::uint8_t> codes;
  codes.reserve(types.size());
  comm.agree([&] {
    for (mesh::CellType type : types) codes.push_back(vtk_cell(type).vtk_code);
  });
  return codes;
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

/// The points of owned cells in VTK's order of nodes, one cell at a time.
class VtkPoints {
 public:
  VtkPoints(const ResultMesh& mesh, std::span<const mesh::CellType> types)
      : mesh_(mesh), types_(types) {}
  /// Those of an owned cell, until the next one is asked for.
  std::span<const GlobalIndex> operator()(std::size_t cell) {
    const auto n = static_cast<std::size_t>(mesh::traits(types_[cell]).n_nodes);
    mesh_.cell_points(cell, std::span(own_).first(n));
    for (std::size_t a = 0; a < n; ++a)
      if (own_[a] < 0 || own_[a] >= mesh_.n_points) outside_ = own_[a];
    const std::span<const std::uint8_t> order = vtk_cell(types_[cell]).order;
    for (std::size_t k = 0; k < order.size(); ++k) vtk_[k] = own_[order[k]];
    return std::span(vtk_).first(order.size());
  }
  /// Throws Error(70) when a cell had a point that is none.
  void check() const {
    if (outside_)
      throw Error(ExitCode::bug,
                  fmt::format("results: a cell has point {} of {}", *outside_, mesh_.n_points));
  }

 private:
  const ResultMesh& mesh_;
  std::span<const mesh::CellType> types_;
  std::array<GlobalIndex, mesh::max_nodes_per_cell> own_, vtk_;
  std::optional<GlobalIndex> outside_;
};

}  // namespace

template <class T>
std::vector<T> make_array(const Comm& comm, const Maker<T>& maker,
                          std::optional<std::size_t> size) {
  std::vector<T> values;
  comm.agree([&] {
    values = maker();
    if (size && values.size() != *size)
      throw Error(ExitCode::bug, fmt::format("results: an array of the mesh has {} values, not {}",
                                             values.size(), *size));
  });
  return values;
}
template std::vector<std::int64_t> make_array(const Comm&, const Maker<std::int64_t>&,
                                              std::optional<std::size_t>);

MeshArrays::MeshArrays(const Comm& comm, ResultMesh mesh, const ToSlices& points)
    : comm_(comm),
      mesh_(std::move(mesh)),
      points_(points),
      types_(make_array(comm, mesh_.cell_types)),
      cells_(comm, mesh_.n_cells, make_array(comm, mesh_.cell_ids, types_.size()), "cell"),
      codes_(cells_.move(std::span<const std::uint8_t>(vtk_codes(comm, types_)))) {
  add("Points", points_, mesh_.coordinates, 3);
  add("PointData/node_id", points_, mesh_.node_ids);
  add("PointData/node_tag", points_, mesh_.node_tags);
  add("PointData/region", points_, mesh_.point_regions);
  add_cells();
}

/// An array whose rows are what `maker` makes in another order.
template <class T>
void MeshArrays::add(std::string path, const ToSlices& order, const Maker<T>& maker,
                     std::size_t width) {
  const bool of_points = &order == &points_;
  const std::size_t size = width * (of_points ? mesh_.point_ids.size() : types_.size());
  using InFile = typename decltype(as_in_file(std::vector<T>()))::value_type;
  list_.push_back({std::move(path), number_of<InFile>(), width,
                   of_points ? mesh_.n_points : mesh_.n_cells, order.share()});
  makers_.push_back([this, &order, &maker, width, size, row_bytes = list_.back().row_bytes()] {
    const auto slice = [&] {
      const std::vector<T> values = make_array(comm_, maker, size);
      return order.move(std::span<const T>(values), width);
    };
    ArrayValues result = hold(as_in_file(slice()));
    result.hashes = block_hashes(result.bytes, row_bytes);
    return result;
  });
}

/// What describes cells. Of "Offsets" a rank writes the end of each of its cells' points, rank 0
/// the leading 0 as well.
void MeshArrays::add_cells() {
  const Share cells = cells_.share();
  list_.push_back({"Types", Number::uint8, 1, mesh_.n_cells, cells});
  makers_.push_back([this] {
    const auto bytes = std::as_bytes(std::span(codes_));
    return ArrayValues{nullptr, bytes, block_hashes(bytes, 1)};
  });
  add("CellData/cell_tag", cells_, mesh_.cell_tags);
  add("CellData/region", cells_, mesh_.cell_regions);
  Offset n_here = 0;
  for (std::uint8_t code : codes_) n_here += std::ssize(vtk_cell_of_code(code)->order);
  const GlobalIndex begin = comm_.exclusive_sum(n_here), n_all = comm_.sum(n_here);
  const Share ends{comm_.is_root() ? 0 : cells.first + 1, cells.last + 1};
  list_.push_back({"Offsets", Number::int64, 1, mesh_.n_cells + 1, ends, false});
  makers_.push_back([this, begin, leading = comm_.is_root() ? 1u : 0u] {
    return hold(add_cell_ends(std::vector<Offset>(leading, 0), begin));
  });
  list_.push_back({"Connectivity", Number::int64, 1, n_all, {begin, begin + n_here}, true});
  makers_.push_back([this] { return connectivity(); });
}

/// Adds to `ends` where the points of each cell of the slice end; those of the first begin at
/// `begin`.
std::vector<Offset> MeshArrays::add_cell_ends(std::vector<Offset> ends, Offset begin) const {
  ends.reserve(ends.size() + codes_.size());
  for (std::uint8_t code : codes_)
    ends.push_back(begin += std::ssize(vtk_cell_of_code(code)->order));
  return ends;
}

ArrayValues MeshArrays::connectivity() const {
  VtkPoints points(mesh_, types_);
  const std::vector<Offset> ends = add_cell_ends({}, 0);
  ArrayValues result = hold(cells_.move_lists<GlobalIndex>(points, ends));
  comm_.agree([&] { points.check(); });
  result.hashes = hashes_by_cells(result.bytes, ends);
  return result;
}

}  // namespace trestle::io

// Results with known values: what the tests write and every reader must find again.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "core/comm.hpp"
#include "io/results/results.hpp"

namespace trestle::test {

/// The arrays of an io::ResultMesh, all in memory; `cell_points` those of each cell one after the
/// other.
struct SampleMesh {
  GlobalIndex n_points = 0;
  GlobalIndex n_cells = 0;
  std::vector<GlobalIndex> point_ids;
  std::vector<double> coordinates;
  std::vector<GlobalIndex> node_ids;
  std::vector<std::int64_t> node_tags;
  std::vector<int> point_regions;
  std::vector<GlobalIndex> cell_ids;
  std::vector<mesh::CellType> cell_types;
  std::vector<GlobalIndex> cell_points;
  std::vector<std::int64_t> cell_tags;
  std::vector<int> cell_regions;
  std::vector<std::string> region_names;

  operator io::ResultMesh() const {
    const auto held = std::make_shared<const SampleMesh>(*this);
    std::vector<std::size_t> begins;
    std::size_t begin = 0;
    for (mesh::CellType type : cell_types) {
      begins.push_back(begin);
      begin += static_cast<std::size_t>(mesh::traits(type).n_nodes);
    }
    const auto make = [held](auto array) { return [held, array] { return (*held).*array; }; };
    return {n_points,
            n_cells,
            point_ids,
            make(&SampleMesh::coordinates),
            make(&SampleMesh::node_ids),
            make(&SampleMesh::node_tags),
            make(&SampleMesh::point_regions),
            make(&SampleMesh::cell_ids),
            make(&SampleMesh::cell_types),
            make(&SampleMesh::cell_tags),
            make(&SampleMesh::cell_regions),
            [held, begins](std::size_t cell, std::span<GlobalIndex> points) {
              std::copy_n(held->cell_points.data() + begins[cell], points.size(), points.data());
            },
            region_names};
  }
};

/// Owned on `rank` when entries are dealt out one by one: nothing is contiguous.
inline bool dealt_to(const Comm& comm, GlobalIndex i) { return i % comm.size() == comm.rank(); }

inline void add_point(SampleMesh& mesh, GlobalIndex id, GlobalIndex node, int region,
                      const std::array<double, 3>& x) {
  mesh.point_ids.push_back(id);
  mesh.node_ids.push_back(node);
  mesh.node_tags.push_back(node + 1);
  mesh.point_regions.push_back(region);
  mesh.coordinates.insert(mesh.coordinates.end(), x.begin(), x.end());
}

/// One reference cell of every type of dimension 2 and 3, the k-th moved by 4 k along x. Its nodes
/// are points of its own; regions are the dimensions.
inline SampleMesh one_cell_of_each_type(const Comm& comm) {
  SampleMesh mesh;
  mesh.region_names = {"flat", "solid"};
  for (int t = 0; t < mesh::n_cell_types; ++t) {
    const mesh::CellTraits& type = mesh::traits(static_cast<mesh::CellType>(t));
    if (type.dim < 2) continue;
    const GlobalIndex cell = mesh.n_cells++;
    const bool owned = dealt_to(comm, cell);
    for (const auto& node : type.nodes) {
      const GlobalIndex id = mesh.n_points++;
      if (dealt_to(comm, id))
        add_point(mesh, id, id, type.dim - 2,
                  {node[0] + 4 * static_cast<double>(cell), node[1], node[2]});
      if (owned) mesh.cell_points.push_back(id);
    }
    if (!owned) continue;
    mesh.cell_ids.push_back(cell);
    mesh.cell_types.push_back(type.type);
    mesh.cell_tags.push_back(100 + cell);
    mesh.cell_regions.push_back(type.dim - 2);
  }
  return mesh;
}

/// The unit cube as n x n x n hexahedra, n even: regions "left" and "right" of x = 1/2, where each
/// node is two points. Points: those of "left", then those of "right".
inline SampleMesh two_regions(const Comm& comm, GlobalIndex n) {
  SampleMesh mesh;
  mesh.region_names = {"left", "right"};
  const GlobalIndex half = n / 2, columns = half + 1, per_region = columns * (n + 1) * (n + 1);
  mesh.n_points = 2 * per_region;
  mesh.n_cells = n * n * n;
  const auto h = 1 / static_cast<double>(n);
  for (GlobalIndex id = 0; id < mesh.n_points; ++id) {
    if (!dealt_to(comm, id)) continue;
    const int region = static_cast<int>(id / per_region);
    const GlobalIndex in_region = id % per_region, line = in_region / columns;
    const GlobalIndex i = in_region % columns + region * half, j = line % (n + 1),
                      k = line / (n + 1);
    add_point(mesh, id, i + (n + 1) * (j + (n + 1) * k), region,
              {static_cast<double>(i) * h, static_cast<double>(j) * h, static_cast<double>(k) * h});
  }
  for (GlobalIndex cell = 0; cell < mesh.n_cells; ++cell) {
    if (!dealt_to(comm, cell)) continue;
    const GlobalIndex i = cell % n, j = cell / n % n, k = cell / n / n;
    const int region = i < half ? 0 : 1;
    const auto point = [&](GlobalIndex a, GlobalIndex b, GlobalIndex c) {
      return region * per_region + a - region * half + columns * (b + (n + 1) * c);
    };
    for (GlobalIndex c : {k, k + 1})
      for (const auto& [a, b] : {std::array{i, j}, {i + 1, j}, {i + 1, j + 1}, {i, j + 1}})
        mesh.cell_points.push_back(point(a, b, c));
    mesh.cell_ids.push_back(cell);
    mesh.cell_types.push_back(mesh::CellType::hex8);
    mesh.cell_tags.push_back(100 + cell);
    mesh.cell_regions.push_back(region);
  }
  return mesh;
}

inline std::vector<io::ResultField> sample_fields() {
  return {{"temperature", 1, "K"}, {"displacement", 3, "m"}, {"stress", 6, "Pa"}};
}

/// Component c of field f (0, 1, 2) at a point in a step.
inline double sample_value(int f, int c, GlobalIndex point, const double* x, int step) {
  if (f == 0) return static_cast<double>(point) + 1e6 * step;
  if (f == 1) return x[c] * (step + 1);
  return (c + 1) * (x[0] + 2 * x[1] + 3 * x[2]) + 100 * step;
}

/// [field][owned point, components]
inline std::vector<std::vector<double>> sample_values(const SampleMesh& mesh, int step) {
  const auto fields = sample_fields();
  std::vector<std::vector<double>> values(fields.size());
  for (std::size_t f = 0; f < fields.size(); ++f)
    for (std::size_t i = 0; i < mesh.point_ids.size(); ++i)
      for (int c = 0; c < fields[f].components; ++c)
        values[f].push_back(sample_value(static_cast<int>(f), c, mesh.point_ids[i],
                                         &mesh.coordinates[3 * i], step));
  return values;
}

}  // namespace trestle::test

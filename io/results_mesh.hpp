// The arrays of a results file that describe its mesh, each as this rank's slice.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/comm.hpp"
#include "io/results.hpp"
#include "io/results_layout.hpp"

namespace trestle::io {

enum class Number { float64, int64, uint8 };

constexpr std::size_t bytes_of(Number number) { return number == Number::uint8 ? 1 : 8; }

/// One dataset [n_rows, width] and the rows of it that this rank writes.
struct MeshArray {
  std::string path;  // below /VTKHDF
  Number number = Number::int64;
  std::size_t width = 1;
  GlobalIndex n_rows = 0;             // all ranks
  Share rows{0, 0};                   // of this rank
  std::vector<std::byte> values;      // [row of `rows`, width]
  std::vector<std::uint64_t> hashes;  // of this rank's blocks; none for what follows from others

  std::size_t row_bytes() const { return width * bytes_of(number); }
};

/// Points, node ids, cells in VTK's order of nodes ... `points` orders `mesh.point_ids`. Throws
/// Error(70) on all ranks when sizes or ids do not fit each other. Collective.
std::vector<MeshArray> mesh_arrays(const Comm& comm, const ResultMesh& mesh,
                                   const ToSlices& points);

}  // namespace trestle::io

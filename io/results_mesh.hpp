// The arrays of a results file that describe its mesh, each as this rank's slice.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
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
  GlobalIndex n_rows = 0;  // all ranks
  Share rows{0, 0};        // of this rank
  bool hashed = true;      // false: it follows from others

  std::size_t row_bytes() const { return width * bytes_of(number); }
};

/// The values of an array on this rank: [row of MeshArray::rows, width].
struct ArrayValues {
  std::shared_ptr<const void> owner;
  std::span<const std::byte> bytes;
  std::vector<std::uint64_t> hashes;  // of this rank's blocks, where the array is hashed
};

/// Points, node ids, cells in VTK's order of nodes ..., which are brought to slices one after the
/// other.
class MeshArrays {
 public:
  /// `points` orders `mesh.point_ids`, and must outlive this. Throws Error(70) on all ranks when
  /// sizes or ids do not fit each other. Collective.
  MeshArrays(const Comm& comm, ResultMesh mesh, const ToSlices& points);
  MeshArrays(const MeshArrays&) = delete;
  MeshArrays& operator=(const MeshArrays&) = delete;

  const std::vector<MeshArray>& list() const { return list_; }
  /// The values of `list()[array]`, once: what they are made of goes. Collective.
  ArrayValues take(std::size_t array) const { return makers_[array](); }

 private:
  template <class T>
  void add(std::string path, const ToSlices& order, std::vector<T>& values, std::size_t width = 1);
  void add_connectivity(const Comm& comm);

  ResultMesh mesh_;
  const ToSlices& points_;
  std::vector<Offset> ends_;  // [owned cell]: of its points in VTK's order
  ToSlices cells_;
  std::vector<std::uint8_t> codes_;  // [owned cell]
  std::vector<std::int64_t> point_regions_, cell_regions_;
  std::vector<Offset> ends_in_slice_;  // [cell of the slice]
  std::vector<MeshArray> list_;
  std::vector<std::function<ArrayValues()>> makers_;
};

}  // namespace trestle::io

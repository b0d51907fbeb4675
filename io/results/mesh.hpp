// The arrays of a results file that describe its mesh, each as this rank's slice.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/comm.hpp"
#include "io/results/layout.hpp"
#include "io/results/results.hpp"

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

/// What `maker` makes. Throws Error(70) on all ranks where it has not the size wanted, if any.
/// Collective.
template <class T>
std::vector<T> make_array(const Comm& comm, const Maker<T>& maker,
                          std::optional<std::size_t> size = {});

/// Points, node ids, cells in VTK's order of nodes ..., each made and brought to slices when it is
/// taken.
class MeshArrays {
 public:
  /// `points` orders `mesh.point_ids`, and must outlive this. Throws Error(70) on all ranks when
  /// ids do not fit. Collective.
  MeshArrays(const Comm& comm, ResultMesh mesh, const ToSlices& points);
  MeshArrays(const MeshArrays&) = delete;
  MeshArrays& operator=(const MeshArrays&) = delete;

  const std::vector<MeshArray>& list() const { return list_; }
  /// The values of `list()[array]`. Throws Error(70) on all ranks when sizes or ids do not fit.
  /// Collective.
  ArrayValues take(std::size_t array) const { return makers_[array](); }

 private:
  template <class T>
  void add(std::string path, const ToSlices& order, const Maker<T>& maker, std::size_t width = 1);
  void add_cells();
  std::vector<Offset> add_cell_ends(std::vector<Offset> ends, Offset begin) const;
  ArrayValues connectivity() const;

  Comm comm_;
  ResultMesh mesh_;
  const ToSlices& points_;
  std::vector<mesh::CellType> types_;  // [owned cell]
  ToSlices cells_;
  std::vector<std::uint8_t> codes_;  // [cell of the slice]: VTK's type
  std::vector<MeshArray> list_;
  std::vector<std::function<ArrayValues()>> makers_;
};

}  // namespace trestle::io

// RectangularMatrix: what one field does to another, in r x c blocks on the pattern of the mesh.
#pragma once

#include <memory>

#include "solver/matrix/block_matrix.hpp"
#include "solver/matrix/vector.hpp"

namespace trestle::solver {

/// Values are [entry, row in block, column in block].
class RectangularMatrix {
 public:
  /// All values zero.
  RectangularMatrix(const gpu::Device& device, std::shared_ptr<const Pattern> pattern, int rows,
                    int columns);

  const Pattern& pattern() const { return *pattern_; }
  int rows() const { return rows_; }
  int columns() const { return columns_; }
  gpu::Array<double>& values() { return values_; }
  const gpu::Array<double>& values() const { return values_; }
  const DevicePattern& on_device() const { return on_device_; }

  /// y += factor A x at owned nodes, for x of `columns` and y of `rows` values a node; the ghosts
  /// of x are up to date. Each row sums its owned columns, then its ghosts. Queued.
  void add_product(double factor, const Vector<double>& x, Vector<double>& y) const;

 private:
  std::shared_ptr<const Pattern> pattern_;
  int rows_, columns_;
  DevicePattern on_device_;
  gpu::Array<double> values_;
};

}  // namespace trestle::solver

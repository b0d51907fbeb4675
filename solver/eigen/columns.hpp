// Columns: several vectors of one shape side by side on a device, and what block methods do to
// them.
#pragma once

#include <array>
#include <vector>

#include "solver/matrix/matrix_operator.hpp"
#include "solver/matrix/vector.hpp"

namespace trestle::solver {

/// A small matrix on the host, the same on all ranks: [row + n_rows * column].
struct SmallMatrix {
  SmallMatrix(int rows, int columns)
      : n_rows(rows), n_columns(columns), values(entries(rows, columns)) {}
  double& operator()(int i, int j) { return values[entries(n_rows, j) + static_cast<unsigned>(i)]; }
  double operator()(int i, int j) const {
    return values[entries(n_rows, j) + static_cast<unsigned>(i)];
  }
  /// Columns [first, first + n).
  SmallMatrix part(int first, int n) const;

  int n_rows, n_columns;
  std::vector<double> values;

 private:
  static std::size_t entries(int n, int m) {
    return static_cast<std::size_t>(n) * static_cast<std::size_t>(m);
  }
};

/// [column, owned entry].
class Columns {
 public:
  /// Room for `capacity` columns of the shape that `a` takes; none is in use.
  Columns(const Operator<double>& a, int capacity);

  int n() const { return n_; }
  int capacity() const { return capacity_; }
  /// The first `n` are in use.
  void resize(int n) { n_ = n; }
  const gpu::Device& device() const { return values_.device(); }
  gpu::View<double, 1> column(int k) { return {values_.data() + k * length_, length_}; }
  gpu::View<const double, 1> column(int k) const { return {values_.data() + k * length_, length_}; }
  /// [column, owned entry] of columns [first, first + n).
  gpu::View<double, 2> view(int first, int n) {
    return {values_.data() + first * length_, n, length_};
  }
  gpu::View<const double, 2> view(int first, int n) const {
    return {values_.data() + first * length_, n, length_};
  }
  Offset length() const { return length_; }

 private:
  Offset length_;
  int capacity_;
  int n_ = 0;
  gpu::Array<double> values_;
};

/// Columns [first, first + n) of one block.
struct ColumnRange {
  int first;
  int n;
};

/// a_i . b_j over all ranks, [a.n, b.n]; each as `dot` sums it. Waits for the device. Collective.
SmallMatrix products(const Comm& comm, const Columns& a, ColumnRange of_a, const Columns& b,
                     ColumnRange of_b);
/// The upper triangle of a_i . b_j of the first n columns, [n, n]; the rest is 0. Collective.
SmallMatrix upper_products(const Comm& comm, const Columns& a, const Columns& b, int n);
/// to_k = sum_j from_j c(j, k), or is changed by as much where `add`. `from` and `to` are different
/// columns. Waits for the device.
void combine(const Columns& from, ColumnRange of_from, const SmallMatrix& c, bool add, Columns& to,
             int first);
/// Columns of `y` = A those of `x`, by way of the vectors `in` and `out`. Collective.
void apply_to_columns(const MatrixOperator<double>& a, const Columns& x, ColumnRange range,
                      Vector<double>& in, Vector<double>& out, Columns& y);

/// Sums of (d_i x_i)^2 and of d_i x_i^2 of this rank. Waits for the device.
std::array<double, 2> weighted_squares(const gpu::Device& device, gpu::View<const double, 1> d,
                                       gpu::View<const double, 1> x);
/// x_i = 0 where d_i is 0. Queued.
void clear_where_zero(const gpu::Device& device, gpu::View<const double, 1> d,
                      gpu::View<double, 1> x);

}  // namespace trestle::solver

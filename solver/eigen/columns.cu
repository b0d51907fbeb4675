#include "solver/eigen/columns.hpp"

#include <algorithm>

#include "gpu/for_each.hpp"
#include "gpu/reduce.hpp"
#include "gpu/vector_ops.hpp"
#include "solver/krylov/krylov_kernels.hpp"

namespace trestle::solver {
namespace {

using gpu::View;

/// Columns that a pass over `from` forms: their sums stay in registers.
constexpr int columns_a_pass = 8;

struct Combine {
  View<const double, 2> from;  // [j, entry]
  View<const double, 2> c;     // [k, j]
  View<double, 2> to;          // [k, entry], at most columns_a_pass
  bool add;

  TRESTLE_KERNEL void operator()(Offset i) const {
    double sums[columns_a_pass] = {};
    const int n = static_cast<int>(to.extent(0));
    for (Offset j = 0; j < from.extent(0); ++j) {
      const double value = from(j, i);
      for (int k = 0; k < n; ++k) sums[k] += value * c(k, j);
    }
    for (int k = 0; k < n; ++k) to(k, i) = add ? to(k, i) + sums[k] : sums[k];
  }
};

struct SquareOfProduct {
  View<const double, 1> d, x;
  TRESTLE_KERNEL double operator()(Offset i) const { return d[i] * x[i] * (d[i] * x[i]); }
};

struct WeightedSquare {
  View<const double, 1> d, x;
  TRESTLE_KERNEL double operator()(Offset i) const { return d[i] * x[i] * x[i]; }
};

struct ClearWhereZero {
  View<const double, 1> d;
  View<double, 1> x;
  TRESTLE_KERNEL void operator()(Offset i) const {
    if (d[i] == 0) x[i] = 0;
  }
};

}  // namespace

SmallMatrix SmallMatrix::part(int first, int n) const {
  SmallMatrix result(n_rows, n);
  const auto begin = values.begin() + static_cast<std::ptrdiff_t>(entries(n_rows, first));
  std::copy_n(begin, result.values.size(), result.values.begin());
  return result;
}

Columns::Columns(const Operator<double>& a, int capacity)
    : length_(static_cast<Offset>(a.shared_map()->n_owned()) * a.block()),
      capacity_(capacity),
      values_(a.device(), length_ * capacity, "modes") {}

namespace {

/// Fills row i from column `begin` on with the products of this rank.
void fill_row(const Columns& a, int of_a, const Columns& b, ColumnRange of_b, int i, int begin,
              SmallMatrix& sums) {
  for (int j = begin; j < of_b.n; j += 2) {
    const int next = j + 1 < of_b.n ? j + 1 : j;
    const auto [first, second] = dot_pair<double>(
        a.device(), a.column(of_a), b.column(of_b.first + j), b.column(of_b.first + next));
    sums(i, j) = first;
    sums(i, next) = second;
  }
}

}  // namespace

SmallMatrix products(const Comm& comm, const Columns& a, ColumnRange of_a, const Columns& b,
                     ColumnRange of_b) {
  SmallMatrix sums(of_a.n, of_b.n);
  for (int i = 0; i < of_a.n; ++i) fill_row(a, of_a.first + i, b, of_b, i, 0, sums);
  comm.sum(std::span<double>(sums.values));
  return sums;
}

SmallMatrix upper_products(const Comm& comm, const Columns& a, const Columns& b, int n) {
  SmallMatrix sums(n, n);
  for (int i = 0; i < n; ++i) fill_row(a, i, b, {0, n}, i, i, sums);
  comm.sum(std::span<double>(sums.values));
  return sums;
}

void combine(const Columns& from, ColumnRange of_from, const SmallMatrix& c, bool add, Columns& to,
             int first) {
  if (c.n_columns == 0) return;
  gpu::Array<double> coefficients(to.device(), static_cast<Offset>(c.values.size()), "modes");
  {
    const auto host = gpu::write(coefficients);
    std::copy(c.values.begin(), c.values.end(), host.begin());
  }
  for (int k = 0; k < c.n_columns; k += columns_a_pass) {
    const int n = std::min(columns_a_pass, c.n_columns - k);
    const View<const double, 2> part(coefficients.data() + static_cast<Offset>(k) * c.n_rows, n,
                                     c.n_rows);
    gpu::for_each(to.device(), to.length(),
                  Combine{from.view(of_from.first, of_from.n), part, to.view(first + k, n), add});
  }
  to.device().synchronize();  // before the coefficients go
}

void apply_to_columns(const MatrixOperator<double>& a, const Columns& x, ColumnRange range,
                      Vector<double>& in, Vector<double>& out, Columns& y) {
  const Vector<double>& result = out;
  for (int k = range.first; k < range.first + range.n; ++k) {
    gpu::copy(a.device(), x.column(k), in.owned());
    a.apply(in, out);
    gpu::copy(a.device(), result.owned(), y.column(k));
  }
}

std::array<double, 2> weighted_squares(const gpu::Device& device, View<const double, 1> d,
                                       View<const double, 1> x) {
  return gpu::sums(device, x.size(), SquareOfProduct{d, x}, WeightedSquare{d, x});
}

void clear_where_zero(const gpu::Device& device, View<const double, 1> d, View<double, 1> x) {
  gpu::for_each(device, x.size(), ClearWhereZero{d, x});
}

}  // namespace trestle::solver

#include "solver/multigrid/sell_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "gpu/for_each.hpp"
#include "solver/multigrid/block_sizes.hpp"
#include "solver/multigrid/sell_rows.hpp"

namespace trestle::solver {
namespace {

using gpu::View;

/// Lanes of a slice: eight floats fill a vector register; 32 threads make a warp.
constexpr int host_height = 8;
constexpr int card_height = 32;
/// Rows that may change places to stand beside rows of like length.
constexpr Index window = 256;

int height_of(const gpu::Device& device) {
  return device.kind() == gpu::DeviceKind::cuda ? card_height : host_height;
}

template <class Real, int m>
struct Store {
  View<Real, 1> y;
  TRESTLE_KERNEL void operator()(Offset row, const Real (&sum)[m]) const {
    for (int i = 0; i < m; ++i) y[row * m + i] = sum[i];
  }
};

template <class Real, int m>
struct Add {
  View<Real, 1> y;
  TRESTLE_KERNEL void operator()(Offset row, const Real (&sum)[m]) const {
    for (int i = 0; i < m; ++i) y[row * m + i] += sum[i];
  }
};

template <class Real, int m>
struct Residual {
  View<const Real, 1> b;
  View<Real, 1> r;
  TRESTLE_KERNEL void operator()(Offset row, const Real (&sum)[m]) const {
    for (int i = 0; i < m; ++i) r[row * m + i] = b[row * m + i] - sum[i];
  }
};

/// D_row^-1 r, one component.
template <class Real, int m>
TRESTLE_KERNEL Real corrected(const View<const Real, 1>& inverses, Offset row, int i,
                              const Real (&r)[m]) {
  Real value = 0;
  for (int j = 0; j < m; ++j) value += inverses[(row * m + i) * m + j] * r[j];
  return value;
}

template <class Real, int m>
struct FirstStep {
  View<const Real, 1> inverses, b;
  Real add;
  View<Real, 1> r, d;
  TRESTLE_KERNEL void operator()(Offset row, const Real (&sum)[m]) const {
    Real of_row[m];
    for (int i = 0; i < m; ++i) r[row * m + i] = of_row[i] = b[row * m + i] - sum[i];
    for (int i = 0; i < m; ++i) d[row * m + i] = add * corrected<Real, m>(inverses, row, i, of_row);
  }
};

template <class Real, int m>
struct NextStep {
  typename SellMatrix<Real>::Step step;
  View<const Real, 1> r_in, d;
  View<Real, 1> r_out, e, x;
  TRESTLE_KERNEL void operator()(Offset row, const Real (&sum)[m]) const {
    Real of_row[m];
    for (int i = 0; i < m; ++i) r_out[row * m + i] = of_row[i] = r_in[row * m + i] - sum[i];
    for (int i = 0; i < m; ++i) {
      const Offset k = row * m + i;
      const Real before = d[k];
      const Real direction =
          step.keep * before + step.add * corrected<Real, m>(step.inverses, row, i, of_row);
      e[k] = direction;
      x[k] = (step.start ? Real{0} : x[k]) + (step.weight_before * before + step.weight * direction);
    }
  }
};

/// The arrays of the matrix and its input, for the kernel.
template <class Real>
struct Operands {
  View<const Offset, 1> slices;
  View<const Index, 1> rows;
  View<const Index, 1> columns;
  View<const Real, 1> values;
  View<const Real, 1> x;
};

template <int m, int n, class Real, class Finish>
void run(const gpu::Device& device, const Operands<Real>& o, const Finish& finish) {
  const Offset n_lanes = o.rows.size();
  if (height_of(device) == card_height)
    gpu::for_each(device, n_lanes,
                  SellRows<card_height, 1, m, n, Real, Finish>{o.slices, o.rows, o.columns,
                                                               o.values, o.x, finish});
  else
    gpu::for_each(device, n_lanes / host_height,
                  SellRows<host_height, host_height, m, n, Real, Finish>{
                      o.slices, o.rows, o.columns, o.values, o.x, finish});
}

/// Rows with the entries that are kept.
class Slicer {
 public:
  Slicer(const BlockRowsOnHost& rows, double drop, int height)
      : rows_(rows), square_(rows.row_block == rows.column_block), drop_(drop), height_(height) {
    count_entries();
    order_rows();
  }

  std::vector<Offset> slices;  // [slice + 1]
  std::vector<Index> order;    // [slice, lane]

  template <class Real>
  void fill(std::span<Index> columns, std::span<Real> values) const {
    const auto size = static_cast<std::size_t>(rows_.block_size());
    std::fill(columns.begin(), columns.end(), 0);
    std::fill(values.begin(), values.end(), Real{0});
    const auto height = static_cast<std::size_t>(height_);
    for (std::size_t slot = 0; slot < order.size(); ++slot) {
      if (order[slot] < 0) continue;
      std::size_t at = static_cast<std::size_t>(slices[slot / height]);
      const std::size_t lane = slot % height;
      const double limit = limit_of(order[slot]);
      rows_.visit_row(order[slot], [&](Offset e, Index column) {
        if (!keeps(e, limit)) return;
        columns[at + lane] = column;
        const double* block = rows_.block(e);
        for (std::size_t k = 0; k < size; ++k)
          values[at * size + k * height + lane] = static_cast<Real>(block[k]);
        at += height;
      });
    }
  }

 private:
  double limit_of(Index row) const {
    if (!square_) return -1;
    double largest = 0;
    rows_.visit_row(row, [&](Offset e, Index column) {
      if (column != row) return;
      for (Offset k = 0; k < rows_.block_size(); ++k)
        largest = std::max(largest, std::abs(rows_.block(e)[k]));
    });
    return drop_ * largest;
  }
  bool keeps(Offset entry, double limit) const {
    const double* block = rows_.block(entry);
    for (Offset k = 0; k < rows_.block_size(); ++k)
      if (std::abs(block[k]) > limit) return true;
    return false;
  }
  void count_entries() {
    lengths_.resize(static_cast<std::size_t>(rows_.n_rows()));
    for (Index row = 0; row < rows_.n_rows(); ++row) {
      const double limit = limit_of(row);
      Index length = 0;
      rows_.visit_row(row, [&](Offset e, Index) { length += keeps(e, limit) ? 1 : 0; });
      lengths_[static_cast<std::size_t>(row)] = length;
    }
  }
  /// Rows of like length side by side within each window.
  void order_rows() {
    const auto n = static_cast<std::size_t>(rows_.n_rows());
    const auto height = static_cast<std::size_t>(height_);
    order.assign((n + height - 1) / height * height, -1);
    std::iota(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(n), 0);
    const auto length = [&](Index row) { return lengths_[static_cast<std::size_t>(row)]; };
    for (std::size_t begin = 0; begin < n; begin += window)
      std::stable_sort(order.begin() + static_cast<std::ptrdiff_t>(begin),
                       order.begin() + static_cast<std::ptrdiff_t>(std::min(n, begin + window)),
                       [&](Index a, Index b) { return length(a) > length(b); });
    slices.assign(1, 0);
    for (std::size_t first = 0; first < order.size(); first += height)
      slices.push_back(slices.back() + static_cast<Offset>(length(order[first])) * height_);
  }

  const BlockRowsOnHost& rows_;
  bool square_;
  double drop_;
  int height_;
  std::vector<Index> lengths_;
};

}  // namespace

template <class Real>
SellMatrix<Real>::SellMatrix(const gpu::Device& device, const BlockRowsOnHost& rows, double drop,
                             const std::string& item)
    : row_block_(rows.row_block),
      column_block_(rows.column_block),
      n_rows_(rows.n_rows()),
      slices_(device, 0, item),
      rows_(device, 0, item),
      columns_(device, 0, item),
      values_(device, 0, item) {
  const Slicer slicer(rows, drop, height_of(device));
  slices_ = gpu::upload(device, slicer.slices, item);
  rows_ = gpu::upload(device, slicer.order, item);
  columns_ = gpu::Array<Index>(device, slicer.slices.back(), item);
  values_ = gpu::Array<Real>(device, slicer.slices.back() * rows.block_size(), item);
  const auto columns = gpu::write(columns_);
  const auto values = gpu::write(values_);
  slicer.fill<Real>(columns.span(), values.span());
}

template <class Real>
void SellMatrix<Real>::apply(View<const Real, 1> x, View<Real, 1> y) const {
  const Operands<Real> o{slices_.view(), rows_.view(), columns_.view(), values_.view(), x};
  with_block_size(row_block_, [&](auto m) {
    with_block_size(column_block_,
                    [&](auto n) { run<m, n>(device(), o, Store<Real, m>{y}); });
  });
}

template <class Real>
void SellMatrix<Real>::add(View<const Real, 1> x, View<Real, 1> y) const {
  const Operands<Real> o{slices_.view(), rows_.view(), columns_.view(), values_.view(), x};
  with_block_size(row_block_, [&](auto m) {
    with_block_size(column_block_, [&](auto n) { run<m, n>(device(), o, Add<Real, m>{y}); });
  });
}

template <class Real>
void SellMatrix<Real>::residual(View<const Real, 1> b, View<const Real, 1> x,
                                View<Real, 1> r) const {
  const Operands<Real> o{slices_.view(), rows_.view(), columns_.view(), values_.view(), x};
  with_block_size(row_block_, [&](auto m) {
    run<m, m>(device(), o, Residual<Real, m>{b, r});
  });
}

template <class Real>
void SellMatrix<Real>::first_step(const Step& step, View<const Real, 1> b, View<const Real, 1> x,
                                  View<Real, 1> r, View<Real, 1> d) const {
  const Operands<Real> o{slices_.view(), rows_.view(), columns_.view(), values_.view(), x};
  with_block_size(row_block_, [&](auto m) {
    run<m, m>(device(), o, FirstStep<Real, m>{step.inverses, b, step.add, r, d});
  });
}

template <class Real>
void SellMatrix<Real>::next_step(const Step& step, View<const Real, 1> r_in, View<const Real, 1> d,
                                 View<Real, 1> r_out, View<Real, 1> e, View<Real, 1> x) const {
  const Operands<Real> o{slices_.view(), rows_.view(), columns_.view(), values_.view(), d};
  with_block_size(row_block_, [&](auto m) {
    run<m, m>(device(), o, NextStep<Real, m>{step, r_in, d, r_out, e, x});
  });
}

template class SellMatrix<float>;
template class SellMatrix<double>;

}  // namespace trestle::solver

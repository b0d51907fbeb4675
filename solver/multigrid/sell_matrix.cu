#include "solver/multigrid/sell_matrix.hpp"

#include <algorithm>
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
      x[k] =
          (step.start ? Real{0} : x[k]) + (step.weight_before * before + step.weight * direction);
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

/// Which row stands where, and how long the slices are.
struct Slices {
  std::vector<Offset> offsets;  // [slice + 1]
  std::vector<Index> rows;      // [slice, lane] the row, or -1
};

Slices make_slices(const BlockRowsOnHost& rows, Index height) {
  const Index n = rows.n_rows();
  const Index n_lanes = (n + height - 1) / height * height;
  Slices slices;
  slices.rows.assign(static_cast<std::size_t>(n_lanes), -1);
  const auto begin = slices.rows.begin();
  std::iota(begin, begin + n, 0);
  const auto longer = [&](Index a, Index b) { return rows.n_in_row(a) > rows.n_in_row(b); };
  for (Index first = 0; first < n; first += window)
    std::stable_sort(begin + first, begin + std::min(n, first + window), longer);
  slices.offsets.assign(1, 0);
  for (Index first = 0; first < n_lanes; first += height)
    slices.offsets.push_back(slices.offsets.back() + rows.n_in_row(*(begin + first)) * height);
  return slices;
}

/// visit(place of the first lane, lane, entry, column) for the entries of all rows; `offsets` and
/// `lanes` are those of Slices.
template <class Visit>
void visit_entries(const BlockRowsOnHost& rows, std::span<const Offset> offsets,
                   std::span<const Index> lanes, Offset height, const Visit& visit) {
  for (std::size_t slot = 0; slot < lanes.size(); ++slot) {
    if (lanes[slot] < 0) continue;
    Offset place = offsets[slot / static_cast<std::size_t>(height)];
    rows.visit_row(lanes[slot], [&](Offset e, Index column) {
      visit(place, static_cast<Offset>(slot) % height, e, column);
      place += height;
    });
  }
}

}  // namespace

template <class Real>
SellMatrix<Real>::SellMatrix(const gpu::Device& device, const BlockRowsOnHost& rows,
                             const std::string& item)
    : row_block_(rows.row_block),
      column_block_(rows.column_block),
      n_rows_(rows.n_rows()),
      slices_(device, 0, item),
      rows_(device, 0, item),
      columns_(device, 0, item),
      values_(device, 0, item) {
  const int height = height_of(device);
  const Slices slices = make_slices(rows, height);
  slices_ = gpu::upload(device, slices.offsets, item);
  rows_ = gpu::upload(device, slices.rows, item);
  columns_ = gpu::Array<Index>(device, slices.offsets.back(), item);
  values_ = gpu::Array<Real>(device, slices.offsets.back() * rows.block_size(), item);
  {
    const auto columns = gpu::write(columns_);
    std::fill(columns.begin(), columns.end(), 0);
    visit_entries(
        rows, slices.offsets, slices.rows, height,
        [&](Offset place, Offset lane, Offset, Index column) { columns[place + lane] = column; });
  }
  set_values(rows);
}

template <class Real>
void SellMatrix<Real>::set_values(const BlockRowsOnHost& rows) {
  const Offset height = height_of(device()), size = rows.block_size();
  const auto offsets = gpu::read(slices_);
  const auto lanes = gpu::read(rows_);
  const auto values = gpu::write(values_);
  std::fill(values.begin(), values.end(), Real{0});
  visit_entries(rows, offsets.span(), lanes.span(), height,
                [&](Offset place, Offset lane, Offset e, Index) {
                  const double* block = rows.block(e);
                  Real* to = values.begin() + place * size + lane;
                  for (Offset k = 0; k < size; ++k) to[k * height] = static_cast<Real>(block[k]);
                });
}

template <class Real>
void SellMatrix<Real>::apply(View<const Real, 1> x, View<Real, 1> y) const {
  const Operands<Real> o{slices_.view(), rows_.view(), columns_.view(), values_.view(), x};
  with_block_size(row_block_, [&](auto m) {
    with_block_size(column_block_, [&](auto n) { run<m, n>(device(), o, Store<Real, m>{y}); });
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
  with_block_size(row_block_, [&](auto m) { run<m, m>(device(), o, Residual<Real, m>{b, r}); });
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

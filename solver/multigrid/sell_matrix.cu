#include "solver/multigrid/sell_matrix.hpp"

#include <algorithm>
#include <numeric>

#include "gpu/for_each.hpp"
#include "solver/multigrid/block_sizes.hpp"
#include "solver/multigrid/sell_lanes.hpp"

namespace trestle::solver {
namespace {

using gpu::View;

/// Lanes of a slice: the threads of a warp.
constexpr int card_height = 32;
/// Rows that may change places to stand beside rows of like length.
constexpr Index window = 256;

template <class Real>
int height_of(const gpu::Device& device) {
  return device.kind() == gpu::DeviceKind::cuda ? card_height : SellLanes<Real>::height;
}

template <int m, int n, class Real, class Finish>
void launch(const gpu::Device& device, const SellOperands<Real>& a, const Finish& finish) {
  gpu::for_each(device, a.rows.size(), SellRows<card_height, m, n, Real, Finish>{a, finish});
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
    rows.fetch_behind(lanes[slot]);
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
  const int height = height_of<Real>(device);
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
  const Offset height = height_of<Real>(device()), size = rows.block_size();
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
bool SellMatrix<Real>::on_card() const {
  return device().kind() == gpu::DeviceKind::cuda;
}

template <class Real>
SellOperands<Real> SellMatrix<Real>::operands(View<const Real, 1> x) const {
  return {slices_.view(), rows_.view(), columns_.view(), values_.view(), x};
}

template <class Real>
void SellMatrix<Real>::apply(View<const Real, 1> x, View<Real, 1> y) const {
  if (!on_card())
    return SellLanes<Real>::apply(device(), row_block_, column_block_, operands(x), y);
  with_block_size(row_block_, [&](auto m) {
    with_block_size(column_block_,
                    [&](auto n) { launch<m, n>(device(), operands(x), StoreSum<Real, m>{y}); });
  });
}

template <class Real>
void SellMatrix<Real>::add(View<const Real, 1> x, View<Real, 1> y) const {
  if (!on_card()) return SellLanes<Real>::add(device(), row_block_, column_block_, operands(x), y);
  with_block_size(row_block_, [&](auto m) {
    with_block_size(column_block_,
                    [&](auto n) { launch<m, n>(device(), operands(x), AddSum<Real, m>{y}); });
  });
}

template <class Real>
void SellMatrix<Real>::residual(View<const Real, 1> b, View<const Real, 1> x,
                                View<Real, 1> r) const {
  if (!on_card()) return SellLanes<Real>::residual(device(), row_block_, operands(x), b, r);
  with_block_size(row_block_, [&](auto m) {
    launch<m, m>(device(), operands(x), StoreResidual<Real, m>{b, r});
  });
}

template <class Real>
void SellMatrix<Real>::first_step(const Step& step, View<const Real, 1> b, View<const Real, 1> x,
                                  View<Real, 1> r, View<Real, 1> d) const {
  if (!on_card())
    return SellLanes<Real>::first_step(device(), row_block_, operands(x), step, b, r, d);
  with_block_size(row_block_, [&](auto m) {
    launch<m, m>(device(), operands(x), FirstStep<Real, m>{step.inverses, b, step.add, r, d});
  });
}

template <class Real>
void SellMatrix<Real>::next_step(const Step& step, View<const Real, 1> r_in, View<const Real, 1> d,
                                 View<Real, 1> r_out, View<Real, 1> e, View<Real, 1> x) const {
  if (!on_card())
    return SellLanes<Real>::next_step(device(), row_block_, operands(d), step, r_in, r_out, e, x);
  with_block_size(row_block_, [&](auto m) {
    launch<m, m>(device(), operands(d), NextStep<Real, m>{step, r_in, d, r_out, e, x});
  });
}

template class SellMatrix<float>;
template class SellMatrix<double>;

}  // namespace trestle::solver

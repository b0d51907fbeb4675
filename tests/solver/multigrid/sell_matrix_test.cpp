// Products in sliced ELLPACK form against the same sums over plain rows.
#include "solver/multigrid/sell_matrix.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "solver/multigrid/sell_lanes.hpp"
#include "tests/support/devices.hpp"

namespace trestle::solver {
namespace {

/// Numbers in [-1, 1) without pattern.
double noise(int i) { return std::fmod(std::sin(12.9898 * i) * 43758.5453, 1.0); }

/// `n` rows of 0 to 6 blocks in `n_columns` columns.
BlockRowsStore random_rows(int m, int n_block, Index n, Index n_columns) {
  BlockRowsStore rows;
  rows.row_block = m;
  rows.column_block = n_block;
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < (7 * i + 3) % 7; ++k) {
      rows.columns.push_back((13 * i + 5 * k) % n_columns);
      for (int v = 0; v < m * n_block; ++v)
        rows.values.push_back(noise(static_cast<int>(rows.values.size())));
    }
    rows.end_row();
  }
  return rows;
}

std::vector<double> numbers(std::size_t n, int seed) {
  std::vector<double> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = noise(static_cast<int>(i) + seed);
  return x;
}

std::vector<double> product(const BlockRowsOnHost& a, const std::vector<double>& x) {
  std::vector<double> y(static_cast<std::size_t>(a.n_rows() * a.row_block), 0.0);
  for (Index row = 0; row < a.n_rows(); ++row)
    a.visit_row(row, [&](Offset e, Index column) {
      for (int i = 0; i < a.row_block; ++i)
        for (int j = 0; j < a.column_block; ++j)
          y[static_cast<std::size_t>(row * a.row_block + i)] +=
              a.block(e)[i * a.column_block + j] *
              x[static_cast<std::size_t>(column * a.column_block + j)];
    });
  return y;
}

class SellMatrixTest : public test::OnEachDevice {
 protected:
  template <class Real>
  gpu::Array<Real> on_device(const std::vector<double>& x) {
    return gpu::upload(device(), std::vector<Real>(x.begin(), x.end()), "vectors");
  }
  /// Rounding of a row of up to 36 products of numbers below 1.
  template <class Real>
  void expect_near(const gpu::Array<Real>& got, const std::vector<double>& want) {
    const std::vector<Real> values = gpu::download(got);
    for (std::size_t i = 0; i < want.size(); ++i)
      EXPECT_NEAR(static_cast<double>(values[i]), want[i],
                  100 * static_cast<double>(std::numeric_limits<Real>::epsilon()));
  }
  template <class Real>
  void check_products(int m, int n) {
    const BlockRowsStore store = random_rows(m, n, 303, 97);  // 303: a slice is not full
    const std::vector<double> x = numbers(static_cast<std::size_t>(97 * n), 1);
    std::vector<double> y = product(store.rows(), x);
    const SellMatrix<Real> a(device(), store.rows(), "test");
    const auto x_there = on_device<Real>(x);
    auto y_there = on_device<Real>(numbers(y.size(), 7));
    a.apply(x_there.view(), y_there.view());
    expect_near<Real>(y_there, y);
    a.add(x_there.view(), y_there.view());
    for (double& value : y) value *= 2;
    expect_near<Real>(y_there, y);
  }
};
TRESTLE_ON_EACH_DEVICE(SellMatrixTest);

TEST_P(SellMatrixTest, ProductsAreThoseOfTheRowsForBlocksOfEveryShape) {
  for (int m : {1, 2, 3, 6})
    for (int n : {1, 2, 3, 6}) {
      SCOPED_TRACE(std::to_string(m) + " x " + std::to_string(n));
      check_products<double>(m, n);
      check_products<float>(m, n);
    }
}

TEST_P(SellMatrixTest, TheStepsOfASmootherAreTheirFormulas) {
  for (int b : {1, 2, 3, 6}) {
    SCOPED_TRACE(b);
    const BlockRowsStore store = random_rows(b, b, 77, 77);
    const SellMatrix<double> a(device(), store.rows(), "test");
    const auto size = static_cast<std::size_t>(77 * b);
    const std::vector<double> rhs = numbers(size, 3), x = numbers(size, 5);
    const std::vector<double> inverses = numbers(size * static_cast<std::size_t>(b), 9);
    const auto scaled = [&](const std::vector<double>& r, double factor) {
      std::vector<double> z(size, 0.0);
      const auto n = static_cast<std::size_t>(b);
      for (std::size_t i = 0; i < size; ++i)
        for (std::size_t j = 0; j < n; ++j) z[i] += factor * inverses[i * n + j] * r[i / n * n + j];
      return z;
    };
    std::vector<double> r = product(store.rows(), x);
    for (std::size_t i = 0; i < size; ++i) r[i] = rhs[i] - r[i];
    const std::vector<double> d = scaled(r, 0.7);

    const auto inverses_there = on_device<double>(inverses), rhs_there = on_device<double>(rhs);
    auto x_there = on_device<double>(x), r_there = on_device<double>(x),
         d_there = on_device<double>(x), e_there = on_device<double>(x);
    const gpu::Array<double>&x_read = x_there, &r_read = r_there, &d_read = d_there;
    SellMatrix<double>::Step step{inverses_there.view(), 0.4, 0.7, 1.1, 1.3, false};
    a.first_step(step, rhs_there.view(), x_read.view(), r_there.view(), d_there.view());
    expect_near<double>(r_there, r);
    expect_near<double>(d_there, d);

    const std::vector<double> product_d = product(store.rows(), d);
    for (std::size_t i = 0; i < size; ++i) r[i] -= product_d[i];
    std::vector<double> e = scaled(r, 0.7), sum(size);
    for (std::size_t i = 0; i < size; ++i) {
      e[i] += 0.4 * d[i];
      sum[i] = x[i] + 1.1 * d[i] + 1.3 * e[i];
    }
    a.next_step(step, r_read.view(), d_read.view(), r_there.view(), e_there.view(), x_there.view());
    expect_near<double>(r_there, r);
    expect_near<double>(e_there, e);
    expect_near<double>(x_there, sum);

    a.residual(rhs_there.view(), d_read.view(), r_there.view());
    for (std::size_t i = 0; i < size; ++i) r[i] = rhs[i] - product_d[i];
    expect_near<double>(r_there, r);
  }
}

TEST(SellRowsTest, LanesOfACardGiveTheBitsOfAWholeSlice) {
  // Two slices of 8 rows, 3 and 2 places; what a card does lane by lane.
  const std::vector<Offset> slices{0, 24, 40};
  std::vector<Index> rows(16), columns(40);
  const std::vector<double> values = numbers(40, 2), x = numbers(11, 4);
  std::vector<double> whole(16), by_lane(16);
  for (int i = 0; i < 16; ++i) rows[static_cast<std::size_t>(i)] = 15 - i;
  for (int i = 0; i < 40; ++i) columns[static_cast<std::size_t>(i)] = (7 * i) % 11;
  const auto view = [](const auto& v) {
    return gpu::View<const typename std::decay_t<decltype(v)>::value_type, 1>(v.data(), v.size());
  };
  const SellOperands<double> a{view(slices), view(rows), view(columns), view(values), view(x)};
  SellLanes<double>::apply(gpu::make_cpu_device(), 1, 1, a, {whole.data(), 16});
  const SellRows<8, 1, 1, double, StoreSum<double, 1>> card{a, {{by_lane.data(), 16}}};
  for (Offset i = 0; i < 16; ++i) card(i);
  EXPECT_EQ(whole, by_lane);
}

}  // namespace
}  // namespace trestle::solver

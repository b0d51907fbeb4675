#include "gpu/sparse.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/error.hpp"
#include "gpu/array.hpp"
#include "gpu/cusparse.hpp"
#include "tests/gpu/random.hpp"
#include "tests/support/devices.hpp"

namespace trestle::test {
namespace {

/// Block CSR on the host: row i has i % 7 entries, so that empty, odd and even rows occur; the
/// entries stand behind `skipped` foreign ones.
template <class Real>
struct HostMatrix {
  int block;
  Index n_columns = 61;
  std::vector<Offset> offsets;
  std::vector<Index> columns;
  std::vector<Real> values;

  HostMatrix(int block_size, Offset n_rows, Offset skipped) : block(block_size) {
    columns.assign(static_cast<std::size_t>(skipped), -1);
    offsets.push_back(skipped);
    for (Offset i = 0; i < n_rows; ++i) {
      for (Offset k = 0; k < i % 7; ++k)
        columns.push_back(static_cast<Index>((i * 5 + k * 8) % n_columns));
      offsets.push_back(static_cast<Offset>(columns.size()));
    }
    values = random_values<Real>(columns.size() * static_cast<std::size_t>(block * block), 7);
  }

  /// y = A x in long double, and sum |a||x| as a measure of what rounding may do.
  void product(const std::vector<double>& x, std::vector<double>& y,
               std::vector<double>& size) const {
    const auto b = static_cast<std::size_t>(block);
    y.assign((offsets.size() - 1) * b, 0.0);
    size = y;
    for (std::size_t i = 0; i + 1 < offsets.size(); ++i)
      for (std::size_t r = 0; r < b; ++r) {
        long double sum = 0, magnitude = 0;
        for (auto e = static_cast<std::size_t>(offsets[i]);
             e < static_cast<std::size_t>(offsets[i + 1]); ++e)
          for (std::size_t c = 0; c < b; ++c) {
            const long double term =
                static_cast<long double>(values[(e * b + r) * b + c]) *
                static_cast<long double>(x[static_cast<std::size_t>(columns[e]) * b + c]);
            sum += term;
            magnitude += std::abs(term);
          }
        y[i * b + r] = static_cast<double>(sum);
        size[i * b + r] = static_cast<double>(magnitude);
      }
  }
};

/// Compares y = A x and y += A x with the sums in long double; at most 6 blocks of 6 terms, so 40
/// roundings bound the error.
template <class MatrixReal, class VectorReal>
void expect_right_product(const gpu::Device& on, int block, Offset skipped) {
  const HostMatrix<MatrixReal> a(block, 200, skipped);
  const auto x = random_values<VectorReal>(static_cast<std::size_t>(a.n_columns * block), 8);
  const auto offsets = gpu::upload(on, a.offsets, "matrix");
  const auto columns = gpu::upload(on, a.columns, "matrix");
  const auto values = gpu::upload(on, a.values, "matrix");
  const auto x_device = gpu::upload(on, x, "x");
  gpu::Array<VectorReal> y_device(on, 200 * block, "y");
  const gpu::SparseProduct<MatrixReal, VectorReal> product(
      on, 200, block, offsets.view(), columns.view(), values.view(), a.n_columns);
  std::vector<double> expected, size;
  a.product({x.begin(), x.end()}, expected, size);
  constexpr double rounding = 40 * static_cast<double>(std::numeric_limits<VectorReal>::epsilon());
  for (const int times : {1, 2}) {
    product.apply(x_device.view(), y_device.view(), times == 2);
    const auto y = gpu::read(y_device);
    for (std::size_t i = 0; i < expected.size(); ++i)
      ASSERT_NEAR(static_cast<double>(y[static_cast<Offset>(i)]), times * expected[i],
                  times * rounding * size[i])
          << product.algorithm() << ", block " << block << ", row " << i;
  }
}

class Sparse : public OnEachDevice {};

TEST_P(Sparse, ProductAgreesWithLongDoubleForEveryBlockAndType) {
  for (int block : {1, 2, 3, 4, 6})
    for (Offset skipped : {0, 13}) {
      expect_right_product<float, float>(device(), block, skipped);
      expect_right_product<double, double>(device(), block, skipped);
      expect_right_product<float, double>(device(), block, skipped);
    }
}

TEST_P(Sparse, NewValuesTakePartInTheNextProduct) {
  const gpu::Device on = device();
  const auto offsets = gpu::upload(on, std::vector<Offset>{0, 1, 2}, "matrix");
  const auto columns = gpu::upload(on, std::vector<Index>{1, 0}, "matrix");
  auto values = gpu::upload(on, std::vector<double>{2, 3}, "matrix");
  const auto x = gpu::upload(on, std::vector<double>{5, 7}, "x");
  gpu::Array<double> y(on, 2, "y");
  const gpu::SparseProduct<double, double> product(on, 2, 1, offsets.view(), columns.view(),
                                                   std::as_const(values).view(), 2);
  product.apply(x.view(), y.view(), false);
  EXPECT_EQ(gpu::download(y), (std::vector<double>{14, 15}));
  gpu::write(values)[0] = 4;
  product.apply(x.view(), y.view(), false);
  EXPECT_EQ(gpu::download(y), (std::vector<double>{28, 15}));
}

TEST_P(Sparse, MatrixWithoutRowsWorks) {
  const gpu::Device on = device();
  const auto offsets = gpu::upload(on, std::vector<Offset>{0}, "matrix");
  const gpu::SparseProduct<double, double> product(on, 0, 3, offsets.view(), {}, {}, 0);
  product.apply({}, {}, false);
  on.synchronize();
}

TEST_P(Sparse, UnsupportedBlockSizeIsRefused) {
  const auto offsets = gpu::upload(device(), std::vector<Offset>{0}, "matrix");
  EXPECT_THROW((gpu::SparseProduct<double, double>(device(), 0, 5, offsets.view(), {}, {}, 0)),
               Error);
}

TEST_P(Sparse, CusparseTakesTheProductsOfACardThatFitIt) {
  const gpu::Device on = device();
  const bool expected =
      on.kind() == gpu::DeviceKind::cuda && gpu::cusparse_availability().starts_with("cuSPARSE ");
  const HostMatrix<double> a(3, 200, 0);
  const auto offsets = gpu::upload(on, a.offsets, "matrix");
  const auto columns = gpu::upload(on, a.columns, "matrix");
  const auto values = gpu::upload(on, a.values, "matrix");
  const gpu::BlockRows<double> rows{200,          a.n_columns, 3, offsets.view(), columns.view(),
                                    values.view()};
  using Product = gpu::SparseProduct<double, double>;
  EXPECT_EQ(Product(on, rows).algorithm(), expected ? "cusparse_bsr_alg1" : "own");
  EXPECT_EQ(Product(on, rows, gpu::ProductChoice::own).algorithm(), "own");
}

TRESTLE_ON_EACH_DEVICE(Sparse);

TEST(Cusparse, AvailabilityNamesVersionAndFileOrTheReasonOfItsAbsence) {
  const std::string text = gpu::cusparse_availability();
  if (text.starts_with("cuSPARSE "))
    EXPECT_NE(text.find("libcusparse.so.12"), std::string::npos) << text;
  else
    EXPECT_TRUE(text.starts_with("own products: ")) << text;
}

}  // namespace
}  // namespace trestle::test

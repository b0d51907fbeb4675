#include "solver/multigrid/sell_lanes.hpp"

#include <cstring>

#include "gpu/fetch.hpp"
#include "solver/multigrid/block_sizes.hpp"

namespace trestle::solver {
namespace {

/// A register of floats or doubles, which GCC would not keep in one as an array.
template <class Real>
struct Register;
template <>
struct Register<float> {
  using Type = float __attribute__((vector_size(32)));
  static Type gather(const float* const* x, int j) {
    return Type{x[0][j], x[1][j], x[2][j], x[3][j], x[4][j], x[5][j], x[6][j], x[7][j]};
  }
};
template <>
struct Register<double> {
  using Type = double __attribute__((vector_size(32)));
  static Type gather(const double* const* x, int j) {
    return Type{x[0][j], x[1][j], x[2][j], x[3][j]};
  }
};

template <int m, int n, class Real, class Finish>
struct Slices {
  static constexpr int height = SellLanes<Real>::height, n_lanes = 32 / sizeof(Real),
                       n_parts = height / n_lanes;
  using Part = typename Register<Real>::Type;

  SellOperands<Real> matrix;
  Finish finish;

  void operator()() const {
    for (Offset slice = 0; slice + 1 < matrix.slices.size(); ++slice) run(slice);
  }

 private:
  void run(Offset slice) const {
    Part sum[m][n_parts] = {};
    const Offset end = matrix.slices[slice + 1];
    for (Offset e = matrix.slices[slice]; e < end; e += height)
      add_place(matrix.columns.data() + e, matrix.values.data() + e * m * n, sum);
    const Index* rows = matrix.rows.data() + slice * height;
    for (int l = 0; l < height; ++l) {
      if (rows[l] < 0) continue;
      Real of_row[m];
      for (int i = 0; i < m; ++i) of_row[i] = sum[i][l / n_lanes][l % n_lanes];
      finish(rows[l], of_row);
    }
  }
  void add_place(const Index* column, const Real* a, Part (&sum)[m][n_parts]) const {
    // Scalars, bound by their gathers, gain nothing from it.
    if constexpr (m * n > 1) gpu::fetch_behind<2048>(a, 0, m * n * height);
    for (int part = 0; part < n_parts; ++part) {
      const Real* x[n_lanes];
      for (int l = 0; l < n_lanes; ++l)
        x[l] = matrix.x.data() + static_cast<Offset>(column[n_lanes * part + l]) * n;
      for (int j = 0; j < n; ++j) {
        const Part at = Register<Real>::gather(x, j);
        for (int i = 0; i < m; ++i) {
          Part factor;
          std::memcpy(&factor, a + (i * n + j) * height + n_lanes * part, sizeof factor);
          sum[i][part] += factor * at;
        }
      }
    }
  }
};

template <int m, int n, class Real, class Finish>
void run(const gpu::Device& device, const SellOperands<Real>& a, const Finish& finish) {
  device.enqueue(Slices<m, n, Real, Finish>{a, finish});
}

}  // namespace

template <class Real>
void SellLanes<Real>::apply(const gpu::Device& device, int m, int n, const Operands& a,
                            gpu::View<Real, 1> y) {
  with_block_size(m, [&](auto rows) {
    with_block_size(n,
                    [&](auto columns) { run<rows, columns>(device, a, StoreSum<Real, rows>{y}); });
  });
}

template <class Real>
void SellLanes<Real>::add(const gpu::Device& device, int m, int n, const Operands& a,
                          gpu::View<Real, 1> y) {
  with_block_size(m, [&](auto rows) {
    with_block_size(n, [&](auto columns) { run<rows, columns>(device, a, AddSum<Real, rows>{y}); });
  });
}

template <class Real>
void SellLanes<Real>::residual(const gpu::Device& device, int m, const Operands& a,
                               gpu::View<const Real, 1> b, gpu::View<Real, 1> r) {
  with_block_size(m, [&](auto rows) {
    run<rows, rows>(device, a, StoreResidual<Real, rows>{b, r});
  });
}

template <class Real>
void SellLanes<Real>::first_step(const gpu::Device& device, int m, const Operands& a,
                                 const SellStep<Real>& step, gpu::View<const Real, 1> b,
                                 gpu::View<Real, 1> r, gpu::View<Real, 1> d) {
  with_block_size(m, [&](auto rows) {
    run<rows, rows>(device, a, FirstStep<Real, rows>{step.inverses, b, step.add, r, d});
  });
}

template <class Real>
void SellLanes<Real>::next_step(const gpu::Device& device, int m, const Operands& a,
                                const SellStep<Real>& step, gpu::View<const Real, 1> r_in,
                                gpu::View<Real, 1> r_out, gpu::View<Real, 1> e,
                                gpu::View<Real, 1> x) {
  with_block_size(m, [&](auto rows) {
    run<rows, rows>(device, a, NextStep<Real, rows>{step, r_in, a.x, r_out, e, x});
  });
}

template struct SellLanes<float>;
template struct SellLanes<double>;

}  // namespace trestle::solver

// Sparse products in sliced ELLPACK form and the vector kernels of Krylov methods.
#include <benchmark/benchmark.h>

#include <algorithm>

#include "gpu/vector_ops.hpp"
#include "solver/krylov/krylov_kernels.hpp"
#include "solver/multigrid/sell_matrix.hpp"

namespace trestle::solver {
namespace {

/// The pattern of linear tetrahedra on a cube of `edge`^3 nodes: each with the 14 that share an
/// edge with it, those of Kuhn's cut.
BlockRowsStore cube_rows(Index edge, int block) {
  BlockRowsStore rows;
  rows.row_block = rows.column_block = block;
  const auto inside = [&](Index i) { return i >= 0 && i < edge; };
  for (Index z = 0; z < edge; ++z)
    for (Index y = 0; y < edge; ++y)
      for (Index x = 0; x < edge; ++x) {
        for (Index sign : {-1, 1})
          for (Index corner = sign > 0 ? 0 : 1; corner < 8; ++corner) {
            const Index i = x + sign * (corner & 1), j = y + sign * (corner >> 1 & 1),
                        k = z + sign * (corner >> 2);
            if (inside(i) && inside(j) && inside(k))
              rows.columns.push_back((k * edge + j) * edge + i);
          }
        rows.end_row();
      }
  rows.values.assign(rows.columns.size() * static_cast<std::size_t>(block * block), 0.1);
  return rows;
}

template <class Real, int block>
void SellProduct(benchmark::State& state) {
  const gpu::Device device = gpu::make_cpu_device();
  const BlockRowsStore rows = cube_rows(static_cast<Index>(state.range(0)), block);
  const SellMatrix<Real> matrix(device, rows.rows(), "benchmark");
  const Offset n = Offset{matrix.n_rows()} * block;
  gpu::Array<Real> x(device, n, "benchmark"), y(device, n, "benchmark");
  gpu::fill(device, x.view(), 1.0);
  for (auto _ : state) {
    matrix.apply(std::as_const(x).view(), y.view());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * n);
  state.SetBytesProcessed(state.iterations() *
                          static_cast<Offset>(matrix.bytes() + x.bytes() + y.bytes()));
}
BENCHMARK(SellProduct<float, 1>)->Arg(20)->Arg(100);
BENCHMARK(SellProduct<double, 1>)->Arg(20)->Arg(100);
BENCHMARK(SellProduct<float, 3>)->Arg(12)->Arg(60);
BENCHMARK(SellProduct<double, 3>)->Arg(12)->Arg(60);

template <class Real>
void Dot(benchmark::State& state) {
  const gpu::Device device = gpu::make_cpu_device();
  gpu::Array<Real> x(device, state.range(0), "benchmark"), y(device, state.range(0), "benchmark");
  gpu::fill(device, x.view(), 1.0);
  gpu::fill(device, y.view(), 2.0);
  for (auto _ : state)
    benchmark::DoNotOptimize(gpu::dot(device, std::as_const(x).view(), std::as_const(y).view()));
  state.SetBytesProcessed(state.iterations() * static_cast<Offset>(x.bytes() + y.bytes()));
}
BENCHMARK(Dot<float>)->Arg(1 << 13)->Arg(1 << 23);
BENCHMARK(Dot<double>)->Arg(1 << 13)->Arg(1 << 23);

void SubtractAndSquare(benchmark::State& state) {
  const gpu::Device device = gpu::make_cpu_device();
  const auto vector = [&] {
    gpu::Array<double> made(device, state.range(0), "benchmark");
    gpu::fill(device, made.view(), 1.0);
    return made;
  };
  gpu::Array<double> q = vector(), r = vector();
  for (auto _ : state)
    benchmark::DoNotOptimize(
        subtract_and_square<double>(device, 1e-9, std::as_const(q).view(), r.view()));
  state.SetBytesProcessed(state.iterations() * state.range(0) * 24);
}
BENCHMARK(SubtractAndSquare)->Arg(1 << 13)->Arg(1 << 22);

}  // namespace
}  // namespace trestle::solver

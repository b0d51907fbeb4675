// Keys of the Hilbert curve and the sort by them: the order of cells.
#include <benchmark/benchmark.h>

#include <random>
#include <vector>

#include "mesh/hilbert.hpp"
#include "mesh/sort_keys.hpp"

namespace trestle::mesh {
namespace {

/// [point, 3] in the unit cube.
std::vector<double> random_points(std::size_t n) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> place(0, 1);
  std::vector<double> points(3 * n);
  for (double& x : points) x = place(random);
  return points;
}

std::vector<std::uint64_t> hilbert_keys(const std::vector<double>& points) {
  const HilbertCurve curve({{0, 0, 0}, {1, 1, 1}});
  std::vector<std::uint64_t> keys(points.size() / 3);
  for (std::size_t i = 0; i < keys.size(); ++i)
    keys[i] = curve.key(points[3 * i], points[3 * i + 1], points[3 * i + 2]);
  return keys;
}

void HilbertKeys(benchmark::State& state) {
  const std::vector<double> points = random_points(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(hilbert_keys(points).data());
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(HilbertKeys)->Arg(1 << 14)->Arg(1 << 20);

void OrderByKey(benchmark::State& state) {
  const std::vector<std::uint64_t> keys =
      hilbert_keys(random_points(static_cast<std::size_t>(state.range(0))));
  for (auto _ : state)
    benchmark::DoNotOptimize(order_by_key(keys, [](Index a, Index b) { return a < b; }).data());
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(OrderByKey)->Arg(1 << 14)->Arg(1 << 20);

}  // namespace
}  // namespace trestle::mesh

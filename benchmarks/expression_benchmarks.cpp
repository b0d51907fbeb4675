// Expressions of a case file at many points.
#include <benchmark/benchmark.h>

#include "gpu/vector_ops.hpp"
#include "io/case/expression_parser.hpp"

namespace trestle::fem {
namespace {

void evaluate_text(benchmark::State& state, const char* text) {
  const gpu::Device device = gpu::make_cpu_device();
  const Expression expression = io::parse_expression(text, {"benchmark"});
  const Offset n = state.range(0);
  gpu::Array<double> points(device, 3 * n, "benchmark"), values(device, n, "benchmark");
  gpu::fill(device, points.view(), 0.3);
  const gpu::View<const double, 2> places(std::as_const(points).data(), n, Offset{3});
  for (auto _ : state) {
    evaluate(device, expression, places, 0.0, values.view());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * n);
}
BENCHMARK_CAPTURE(evaluate_text, polynomial, "1 + 2*x - 3*x*y + z^2")->Arg(1 << 16);
BENCHMARK_CAPTURE(evaluate_text, functions, "if(x < 0.5, sin(pi*x)*exp(-y), sqrt(z))")
    ->Arg(1 << 16);

}  // namespace
}  // namespace trestle::fem

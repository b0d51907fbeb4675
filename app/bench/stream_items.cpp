#include "app/bench/items.hpp"
#include "gpu/stream_bandwidth.hpp"
#include "gpu/vector_ops.hpp"
#include "solver/krylov/krylov_kernels.hpp"

namespace trestle::app {
namespace {

/// The vectors of conjugate gradients.
struct CgVectors {
  CgVectors(const gpu::Device& device, Offset n_entries)
      : p(device, n_entries, "bench"),
        q(device, n_entries, "bench"),
        x(device, n_entries, "bench"),
        r(device, n_entries, "bench"),
        z(device, n_entries, "bench") {
    for (gpu::Array<double>* vector : {&p, &q, &x, &r, &z}) gpu::fill(device, vector->view(), 1.0);
  }

  /// What solver/krylov/cg.cpp does with vectors between two products, with factors that keep them
  /// bounded.
  void iterate() {
    const auto in = [](const gpu::Array<double>& vector) { return vector.view(); };
    const gpu::Device& device = p.device();
    gpu::dot(device, in(p), in(q));
    solver::subtract_and_square<double>(device, 1e-6, in(q), r.view());
    gpu::dot(device, in(r), in(z));
    solver::advance_and_turn<double>(device, 1e-6, 0.5, in(z), p.view(), x.view());
  }

  gpu::Array<double> p, q, x, r, z;
};

}  // namespace

BenchItems stream_items(const Comm& comm, const gpu::Device& device) {
  // On `debug` every kernel opens all memory, and speed means nothing.
  const Offset n_triad = device.kind() == gpu::DeviceKind::debug
                             ? gpu::StreamTriad::long_enough / 64
                             : gpu::StreamTriad::long_enough;
  const Offset n_vectors = n_triad / 2;
  std::shared_ptr<gpu::StreamTriad> triad;
  std::shared_ptr<CgVectors> vectors;
  comm.agree([&] {
    triad = std::make_shared<gpu::StreamTriad>(device, n_triad);
    vectors = std::make_shared<CgVectors>(device, n_vectors);
  });
  const auto n = static_cast<double>(n_vectors);
  return {{.name = "triad",
           .unit = "entries",
           .n = n_triad * comm.size(),
           .formula = "24 n",
           .model_bytes = triad->bytes(),
           .counted_bytes = triad->bytes(),
           .run = [triad] { triad->run(); }},
          {.name = "cg_vectors",
           .unit = "unknowns",
           .n = n_vectors * comm.size(),
           .formula = "72 n (two fused kernels)",
           .model_bytes = 72 * n,
           .counted_bytes = 96 * n,  // p.q 16, r and |r| 24, r.z 16, x and p 40
           .run = [vectors] { vectors->iterate(); }}};
}

}  // namespace trestle::app

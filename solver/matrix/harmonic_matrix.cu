#include "solver/matrix/harmonic_matrix.hpp"

#include "gpu/for_each.hpp"

namespace trestle::solver {
namespace {

struct HarmonicEntry {
  gpu::View<const double, 1> K, M;  // [entry, row in block, column in block]
  double k_real, m_real, k_imaginary, m_imaginary;
  int block;                    // of K and M
  gpu::View<double, 1> system;  // [entry, 2 block, 2 block]

  TRESTLE_KERNEL void operator()(Offset entry) const {
    const int n = block, wide = 2 * block;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        const Offset at = (entry * n + i) * n + j;
        const double a = k_real * K[at] + m_real * M[at];
        const double b = k_imaginary * K[at] + m_imaginary * M[at];
        const Offset upper = (entry * wide + i) * wide + j, lower = upper + Offset{n} * wide;
        system[upper] = a;
        system[upper + n] = -b;
        system[lower] = -b;
        system[lower + n] = -a;
      }
  }
};

}  // namespace

void make_harmonic_matrix(const BlockMatrix<double>& K, const BlockMatrix<double>& M,
                          const HarmonicFactors& factors, BlockMatrix<double>& system) {
  const double omega = factors.omega;
  gpu::for_each(system.device(), K.pattern().n_entries(),
                HarmonicEntry{K.values().view(), M.values().view(), 1, -omega * omega,
                              factors.loss_factor + omega * factors.stiffness_damping,
                              omega * factors.mass_damping, K.block(), system.values().view()});
}

}  // namespace trestle::solver

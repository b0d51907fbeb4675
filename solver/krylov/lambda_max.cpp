#include "solver/krylov/lambda_max.hpp"

#include <cstdint>

#include "solver/krylov/cg.hpp"

namespace trestle::solver {
namespace {

/// A number in [-1, 1) that only `id` decides [splitmix64, Steele et al. 2014].
double noise(GlobalIndex id) {
  auto z = static_cast<std::uint64_t>(id) + 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  z ^= z >> 31;
  return static_cast<double>(z >> 11) * 0x1p-52 - 1;
}

template <class Real>
Vector<Real> start_vector(const Operator<Real>& a) {
  Vector<Real> start = a.make_vector("preconditioner");
  const auto values = gpu::write(start.values());
  const auto ids = a.shared_map()->ids();
  const Offset block = a.block();
  for (std::size_t i = 0; i < ids.size(); ++i)
    for (Offset c = 0; c < block; ++c)
      values[static_cast<Offset>(i) * block + c] = static_cast<Real>(noise(ids[i] * block + c));
  return start;
}

}  // namespace

template <class Real>
double ritz_lambda_max(const Operator<Real>& a, ApproximateInverse<Real>& m, int steps) {
  Cg<Real> cg(a, m, false);
  Vector<Real> r = start_vector(a);
  Vector<Real> x = a.make_vector("preconditioner");
  cg.solve(r, x, {0, steps}, {});
  return largest_ritz_value(cg.alphas(), cg.betas());
}

template <class Real>
double estimate_lambda_max(const Operator<Real>& a, ApproximateInverse<Real>& m, int steps) {
  constexpr double safety = 1.1;
  const double estimate = ritz_lambda_max(a, m, steps);
  return estimate > 0 ? safety * estimate : 1;
}

template double estimate_lambda_max(const Operator<float>&, ApproximateInverse<float>&, int);
template double estimate_lambda_max(const Operator<double>&, ApproximateInverse<double>&, int);
template double ritz_lambda_max(const Operator<double>&, ApproximateInverse<double>&, int);

}  // namespace trestle::solver

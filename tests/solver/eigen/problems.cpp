#include "tests/solver/eigen/problems.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "gpu/vector_ops.hpp"
#include "solver/krylov/inner_product.hpp"
#include "solver/matrix/matrix_operator.hpp"

namespace trestle::test {

std::shared_ptr<solver::BlockMatrix<double>> diagonal_mass(
    const std::shared_ptr<solver::BlockMatrix<double>>& K,
    const std::function<double(GlobalIndex, int)>& value) {
  auto M =
      std::make_shared<solver::BlockMatrix<double>>(K->device(), K->shared_pattern(), K->block());
  const solver::Pattern& pattern = K->pattern();
  const auto to = gpu::write(M->values());
  std::fill(to.begin(), to.end(), 0.0);
  const int b = K->block();
  for (Index row = 0; row < pattern.map->n_owned(); ++row) {
    const auto i = static_cast<std::size_t>(row);
    for (Offset e = pattern.owned_offsets[i]; e < pattern.owned_offsets[i + 1]; ++e)
      if (pattern.columns[static_cast<std::size_t>(e)] == row)
        for (int d = 0; d < b; ++d) to[e * b * b + d * (b + 1)] = value(pattern.map->ids()[i], d);
  }
  return M;
}

EigenProblem unit_masses(const Model& model, const gpu::Device& device, const Comm& comm) {
  const auto K = make_matrix<double>(device, comm, model);
  return {K, diagonal_mass(K, [](GlobalIndex, int) { return 1.0; }), {}};
}

void expect_orthonormal(const EigenProblem& problem, const solver::EigenResult& result) {
  const solver::MatrixOperator<double> M(problem.M);
  for (std::size_t j = 0; j < result.modes.size(); ++j) {
    solver::Vector<double> x = M.make_vector("modes"), Mx = M.make_vector("modes");
    gpu::copy(x.device(), result.modes[j].shape.view(), x.view());
    M.apply(x, Mx);
    for (std::size_t i = 0; i < result.modes.size(); ++i)
      EXPECT_NEAR(solver::dot(result.modes[i].shape, Mx), i == j ? 1.0 : 0.0, 1e-11)
          << i << " " << j;
  }
}

void expect_same_modes(const solver::EigenResult& a, const solver::EigenResult& b, std::size_t n) {
  ASSERT_TRUE(a.converged && b.converged);
  ASSERT_TRUE(a.modes.size() >= n && b.modes.size() >= n);
  for (std::size_t k = 0; k < n; ++k) {
    EXPECT_NEAR(a.modes[k].eigenvalue, b.modes[k].eigenvalue, 1e-12);
    EXPECT_LE(largest_difference(gather(a.modes[k].shape), gather(b.modes[k].shape)), 1e-7);
  }
}

}  // namespace trestle::test

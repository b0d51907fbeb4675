// Eigenvalue problems of model matrices, and what modes of any problem fulfil.
#pragma once

#include <functional>

#include "solver/eigen/eigen.hpp"
#include "tests/solver/model_matrices.hpp"
#include "tests/support/devices.hpp"

namespace trestle::test {

struct EigenProblem {
  std::shared_ptr<solver::BlockMatrix<double>> K, M;
  solver::MatrixTraits traits;
};

/// `value(node, component)` on the diagonal, in the pattern of K.
std::shared_ptr<solver::BlockMatrix<double>> diagonal_mass(
    const std::shared_ptr<solver::BlockMatrix<double>>& K,
    const std::function<double(GlobalIndex, int)>& value);

/// The model with masses of 1 at all its unknowns.
EigenProblem unit_masses(const Model& model, const gpu::Device& device = gpu::make_cpu_device(),
                         const Comm& comm = world());

/// x_i' M x_j over all pairs.
void expect_orthonormal(const EigenProblem& problem, const solver::EigenResult& result);

/// The first n modes of both, whatever their ranks: eigenvalues to 1e-12, shapes to 1e-7.
void expect_same_modes(const solver::EigenResult& a, const solver::EigenResult& b, std::size_t n);

}  // namespace trestle::test

// Which near-null vectors a matrix does not resist at all: the rigid-body modes that the supports
// of a model leave free.
#pragma once

#include <memory>
#include <vector>

#include "solver/matrix/block_matrix.hpp"

namespace trestle::solver {

/// Combinations z = sum_k c_k z_k with A z = 0 up to rounding, as coefficient vectors c
/// [combination][vector], each of length 1; empty when the matrix resists all of them. `vectors`
/// are orthonormal, [owned node, block] each, on the host (rigid_body_modes). A row counts as zero
/// when |(A z)_i| <= t max|z| sum_j |A_ij|, t = 1e-10 for double, 1e-5 for float, so that each row
/// is measured by its own stiffness. Combinations come from the singular value decomposition of the
/// row-scaled A Z by one-sided Jacobi rotations [Demmel & Veselic 1992]. Collective.
template <class Real>
std::vector<std::vector<double>> free_combinations(std::shared_ptr<const BlockMatrix<Real>> matrix,
                                                   const std::vector<std::vector<double>>& vectors);

extern template std::vector<std::vector<double>> free_combinations(
    std::shared_ptr<const BlockMatrix<float>>, const std::vector<std::vector<double>>&);
extern template std::vector<std::vector<double>> free_combinations(
    std::shared_ptr<const BlockMatrix<double>>, const std::vector<std::vector<double>>&);

}  // namespace trestle::solver

#include "solver/multigrid/multigrid.hpp"

namespace trestle::solver {
namespace {

template <class Real, class MatrixReal>
Hierarchy<Real> make_hierarchy(const BlockMatrix<MatrixReal>& matrix,
                               const std::vector<std::vector<double>>& near_null) {
  const Pattern& pattern = matrix.pattern();
  const auto make = [&](std::span<const double> values) {
    return Hierarchy<Real>(matrix.device(), pattern.map,
                           LevelMatrix::rows_of(pattern, matrix.block(), values),
                           make_near_null(near_null, matrix.block(), pattern.map->n_owned()));
  };
  const auto values = gpu::read(matrix.values());
  if constexpr (std::is_same_v<MatrixReal, double>)
    return make(values.span());
  else
    return make(std::vector<double>(values.begin(), values.end()));
}

}  // namespace

template <class Real>
template <class MatrixReal>
Multigrid<Real>::Multigrid(const BlockMatrix<MatrixReal>& matrix,
                           const std::vector<std::vector<double>>& near_null)
    : hierarchy_(make_hierarchy<Real>(matrix, near_null)) {}

template class Multigrid<float>;
template class Multigrid<double>;
template Multigrid<float>::Multigrid(const BlockMatrix<float>&,
                                     const std::vector<std::vector<double>>&);
template Multigrid<float>::Multigrid(const BlockMatrix<double>&,
                                     const std::vector<std::vector<double>>&);
template Multigrid<double>::Multigrid(const BlockMatrix<double>&,
                                      const std::vector<std::vector<double>>&);

}  // namespace trestle::solver

#include "solver/multigrid/multigrid.hpp"

namespace trestle::solver {
namespace {

using NearNullVectors = std::vector<std::vector<double>>;

/// work(rows of the matrix in double).
template <class MatrixReal, class Work>
auto with_rows(const BlockMatrix<MatrixReal>& matrix, const Work& work) {
  const auto values = gpu::read(matrix.values());
  const auto call = [&](std::span<const double> in_double) {
    return work(LevelMatrix::rows_of(matrix.pattern(), matrix.block(), in_double));
  };
  if constexpr (std::is_same_v<MatrixReal, double>)
    return call(values.span());
  else
    return call(std::vector<double>(values.begin(), values.end()));
}

template <class Real, class MatrixReal>
Hierarchy<Real> make_hierarchy(const BlockMatrix<MatrixReal>& matrix,
                               const NearNullVectors& near_null, Updates updates,
                               const SetUpObserver& observer) {
  const std::shared_ptr<const IndexMap>& map = matrix.pattern().map;
  return with_rows(matrix, [&](const BlockRowsOnHost& rows) {
    return Hierarchy<Real>(matrix.device(), map, rows,
                           make_near_null(near_null, matrix.block(), map->n_owned()), updates,
                           observer);
  });
}

}  // namespace

template <class Real>
template <class MatrixReal>
Multigrid<Real>::Multigrid(const BlockMatrix<MatrixReal>& matrix, const NearNullVectors& near_null,
                           Updates updates, SetUpObserver observer)
    : observer_(std::move(observer)),
      hierarchy_(make_hierarchy<Real>(matrix, near_null, updates, observer_)) {}

template <class Real>
template <class MatrixReal>
bool Multigrid<Real>::update(const BlockMatrix<MatrixReal>& matrix,
                             const NearNullVectors& near_null) {
  const bool updated =
      with_rows(matrix, [&](const BlockRowsOnHost& rows) { return hierarchy_.update(rows); });
  if (!updated) hierarchy_ = make_hierarchy<Real>(matrix, near_null, Updates::expected, observer_);
  return updated;
}

template class Multigrid<float>;
template class Multigrid<double>;
template Multigrid<float>::Multigrid(const BlockMatrix<float>&, const NearNullVectors&, Updates,
                                     SetUpObserver);
template Multigrid<float>::Multigrid(const BlockMatrix<double>&, const NearNullVectors&, Updates,
                                     SetUpObserver);
template Multigrid<double>::Multigrid(const BlockMatrix<double>&, const NearNullVectors&, Updates,
                                      SetUpObserver);
template bool Multigrid<float>::update(const BlockMatrix<float>&, const NearNullVectors&);
template bool Multigrid<float>::update(const BlockMatrix<double>&, const NearNullVectors&);
template bool Multigrid<double>::update(const BlockMatrix<double>&, const NearNullVectors&);

}  // namespace trestle::solver

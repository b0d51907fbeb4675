// Multigrid: smoothed aggregation as a preconditioner.
#pragma once

#include "solver/matrix/block_matrix.hpp"
#include "solver/multigrid/hierarchy.hpp"

namespace trestle::solver {

/// One V-cycle of a hierarchy in `Real`, made from a matrix in any precision; the set-up works in
/// double. For symmetric positive definite matrices.
template <class Real>
class Multigrid final : public ApproximateInverse<Real> {
 public:
  /// `near_null` as MatrixTraits has them. Throws Error on all ranks as Hierarchy does.
  /// Collective.
  template <class MatrixReal>
  Multigrid(const BlockMatrix<MatrixReal>& matrix,
            const std::vector<std::vector<double>>& near_null, Updates updates = Updates::none,
            SetUpObserver observer = {});
  /// Takes other values of the same pattern and near-null vectors; aggregates stay as they are
  /// where Hierarchy::update allows it, else all is made anew, for further updates, and the result
  /// is false. Throws as the constructor. Collective.
  template <class MatrixReal>
  bool update(const BlockMatrix<MatrixReal>& matrix,
              const std::vector<std::vector<double>>& near_null);

  void apply(const Vector<Real>& r, double, Vector<Real>& z) override { hierarchy_.cycle(r, z); }
  std::string name() const override { return "amg"; }
  const Hierarchy<Real>& hierarchy() const { return hierarchy_; }

 private:
  SetUpObserver observer_;
  Hierarchy<Real> hierarchy_;
};

extern template class Multigrid<float>;
extern template class Multigrid<double>;
extern template Multigrid<float>::Multigrid(const BlockMatrix<float>&,
                                            const std::vector<std::vector<double>>&, Updates,
                                            SetUpObserver);
extern template Multigrid<float>::Multigrid(const BlockMatrix<double>&,
                                            const std::vector<std::vector<double>>&, Updates,
                                            SetUpObserver);
extern template Multigrid<double>::Multigrid(const BlockMatrix<double>&,
                                             const std::vector<std::vector<double>>&, Updates,
                                             SetUpObserver);
extern template bool Multigrid<float>::update(const BlockMatrix<float>&,
                                              const std::vector<std::vector<double>>&);
extern template bool Multigrid<float>::update(const BlockMatrix<double>&,
                                              const std::vector<std::vector<double>>&);
extern template bool Multigrid<double>::update(const BlockMatrix<double>&,
                                               const std::vector<std::vector<double>>&);

}  // namespace trestle::solver

// TrueResidual: b - A x in double, and how large it is, whatever a method believes.
#pragma once

#include "solver/matrix/matrix_operator.hpp"

namespace trestle::solver {

template <class MatrixReal>
class TrueResidual {
 public:
  /// Collective.
  explicit TrueResidual(std::shared_ptr<const BlockMatrix<MatrixReal>> matrix)
      : product_(std::move(matrix)) {}

  void update_ghosts(Vector<double>& x) const { product_.update_ghosts(x); }
  /// r = b - A x; brings the ghosts of x up to date. Collective.
  void compute(const Vector<double>& b, Vector<double>& x, Vector<double>& r) const;
  /// || |A||x| + |b| ||, the scale of the backward error [Oettli & Prager 1964]; the ghosts of x
  /// are up to date, `work` is overwritten. Collective.
  double backward_scale(const Vector<double>& b, const Vector<double>& x,
                        Vector<double>& work) const;

  const BlockMatrix<MatrixReal>& matrix() const { return product_.matrix(); }
  /// A vector of the system in double.
  Vector<double> make_vector(std::string item) const {
    return product_.make_vector(std::move(item));
  }

 private:
  MatrixOperator<MatrixReal, double> product_;
};

extern template class TrueResidual<float>;
extern template class TrueResidual<double>;

}  // namespace trestle::solver

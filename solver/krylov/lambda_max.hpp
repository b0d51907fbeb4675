// The largest eigenvalue of a preconditioned operator, which polynomial smoothers need.
#pragma once

#include "solver/operator.hpp"

namespace trestle::solver {

/// An upper estimate of the largest eigenvalue of M^-1 A, both symmetric positive definite: 1.1 of
/// what `steps` Lanczos steps find from a vector that depends on canonical ids only. Collective.
template <class Real>
double estimate_lambda_max(const Operator<Real>& a, ApproximateInverse<Real>& m, int steps);

/// What `steps` Lanczos steps find of it, from below. Collective.
template <class Real>
double ritz_lambda_max(const Operator<Real>& a, ApproximateInverse<Real>& m, int steps);

extern template double estimate_lambda_max(const Operator<float>&, ApproximateInverse<float>&, int);
extern template double estimate_lambda_max(const Operator<double>&, ApproximateInverse<double>&,
                                           int);
extern template double ritz_lambda_max(const Operator<double>&, ApproximateInverse<double>&, int);

}  // namespace trestle::solver

// Inner products and norms of distributed vectors: each rank sums in a fixed order, then the ranks.
#pragma once

#include <array>

#include "solver/matrix/vector.hpp"

namespace trestle::solver {

/// Sum of x_i y_i over all owned entries of all ranks, in double. Waits for the device. Collective.
template <class Real>
double dot(const Vector<Real>& x, const Vector<Real>& y);

/// x . y and x . z in one pass and one message. Waits for the device. Collective.
template <class Real>
std::array<double, 2> dots(const Vector<Real>& x, const Vector<Real>& y, const Vector<Real>& z);

/// sqrt(x . x). Waits for the device. Collective.
template <class Real>
double norm(const Vector<Real>& x);

/// sqrt(x . x / n) over the n entries of all ranks. Waits for the device. Collective.
double root_mean_square(const Vector<double>& x);

/// As `norm`, right for every finite x: the squares neither overflow nor vanish. Not a number or
/// infinite where an entry is. Collective.
double safe_norm(const Vector<double>& x);

extern template double dot(const Vector<float>&, const Vector<float>&);
extern template double dot(const Vector<double>&, const Vector<double>&);
extern template std::array<double, 2> dots(const Vector<float>&, const Vector<float>&,
                                           const Vector<float>&);
extern template std::array<double, 2> dots(const Vector<double>&, const Vector<double>&,
                                           const Vector<double>&);
extern template double norm(const Vector<float>&);
extern template double norm(const Vector<double>&);

}  // namespace trestle::solver

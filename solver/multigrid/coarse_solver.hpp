// CoarseSolver: solves the coarsest level of a hierarchy.
#pragma once

#include <memory>

#include "solver/matrix/vector.hpp"

namespace trestle::solver {

template <class Real>
class CoarseSolver {
 public:
  virtual ~CoarseSolver() = default;
  /// x = A^-1 b on owned nodes, nearly. Queued where it can be. Collective.
  virtual void solve(const Vector<Real>& b, Vector<Real>& x) = 0;
};

}  // namespace trestle::solver

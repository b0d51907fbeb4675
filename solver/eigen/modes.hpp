// Modes from a subspace: Rayleigh-Ritz, a basis that does not depend on how it was found,
// residuals.
#pragma once

#include <vector>

#include "solver/eigen/eigen.hpp"
#include "solver/eigen/krylov.hpp"

namespace trestle::solver {

/// K and M with room for one vector each.
class Pencil {
 public:
  /// Collective.
  Pencil(std::shared_ptr<const BlockMatrix<double>> K, std::shared_ptr<const BlockMatrix<double>> M)
      : K_(std::move(K)), M_(std::move(M)) {}

  const MatrixOperator<double>& K() const { return K_; }
  const MatrixOperator<double>& M() const { return M_; }
  const IndexMap& map() const { return *K_.shared_map(); }
  int block() const { return K_.block(); }
  const Comm& comm() const { return map().comm(); }

 private:
  MatrixOperator<double> K_, M_;
};

/// Approximate modes, ascending.
struct RitzPairs {
  std::vector<double> values;
  HostColumns vectors;      // M-orthonormal
  std::vector<bool> zeros;  // no energy but rounding
};

/// The modes of K and M within the span of independent `vectors` [Parlett 1998, sec. 11.3].
/// Collective.
RitzPairs rayleigh_ritz(const Pencil& pencil, HostColumns vectors);

/// Eigenvalues, ascending, and eigenvectors of a x = lambda b x, small, dense and symmetric, b
/// positive definite: [row + n * column], x' b x = 1. The same bits on all ranks. Throws
/// NumericalError (80), naming `what`, where b is not positive definite. Collective.
struct DenseModes {
  std::vector<double> values, vectors;
};
DenseModes dense_modes(const Comm& comm, std::size_t n, std::vector<double> a,
                       std::vector<double> b, const char* what);

/// Turns vectors of equal values (up to 1e-8) among themselves: the first has the largest component
/// that any vector of their span of this length has, the others are zero there, and so on; of equal
/// components (up to 1e-6) that of the lowest canonical id counts. It becomes positive. Collective.
void turn_to_canonical_basis(const Pencil& pencil, RitzPairs& pairs);

/// The modes with their residuals. Collective.
std::vector<Mode> make_modes(const Pencil& pencil, const RitzPairs& pairs);

/// A sentence on the first mode whose residual is above `tolerance`, other than by rounding; empty:
/// there is none.
std::string inexact_mode(const std::vector<Mode>& modes, double tolerance);

}  // namespace trestle::solver

// Operator and ApproximateInverse: the two things that a Krylov method knows of a linear system.
#pragma once

#include <array>
#include <memory>
#include <string>

#include "solver/krylov/inner_product.hpp"
#include "solver/matrix/vector.hpp"

namespace trestle::solver {

/// A linear map between vectors on one index map and one device.
template <class Real>
class Operator {
 public:
  virtual ~Operator() = default;

  /// y = A x on owned entries; brings the ghosts of x up to date on the way. Queued. Collective.
  virtual void apply(Vector<Real>& x, Vector<Real>& y) const = 0;

  virtual const gpu::Device& device() const = 0;
  virtual const std::shared_ptr<const IndexMap>& shared_map() const = 0;
  virtual int block() const = 0;
  const Comm& comm() const { return shared_map()->comm(); }
  /// A vector that this operator takes, uninitialised, accounted under `item`.
  Vector<Real> make_vector(std::string item) const {
    return Vector<Real>(device(), shared_map(), block(), std::move(item));
  }
};

/// A preconditioner M^-1 (`Preconditioner` is the word of the case file).
template <class Real>
class ApproximateInverse {
 public:
  virtual ~ApproximateInverse() = default;

  /// z = M^-1 r on owned entries; `norm` is ||r|| or of its size, as the method knows it. Queued.
  /// Collective.
  virtual void apply(const Vector<Real>& r, double norm, Vector<Real>& z) = 0;
  /// As `apply`; returns z.r and z.q, in one pass and one message. Waits for the device.
  /// Collective.
  virtual std::array<double, 2> apply_and_dot(const Vector<Real>& r, double norm,
                                              const Vector<Real>& q, Vector<Real>& z) {
    apply(r, norm, z);
    return dots<Real>(z, r, q);
  }
  /// "block_jacobi", "chebyshev" ...
  virtual std::string name() const = 0;
};

}  // namespace trestle::solver

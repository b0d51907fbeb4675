// Identity, and FloatPreconditioner: a preconditioner in float for vectors in double.
#pragma once

#include <memory>

#include "gpu/vector_ops.hpp"
#include "solver/krylov/krylov_kernels.hpp"
#include "solver/matrix/matrix_operator.hpp"
#include "solver/matrix/vector_kernels.hpp"
#include "solver/operator.hpp"

namespace trestle::solver {

template <class Real>
class Identity final : public ApproximateInverse<Real> {
 public:
  void apply(const Vector<Real>& r, double, Vector<Real>& z) override {
    gpu::copy(r.device(), r.owned(), z.owned());
  }
  std::string name() const override { return "none"; }
};

/// z = ||r|| M^-1 (r / ||r||) with M in float: the scaling keeps small residuals in its range.
class FloatPreconditioner final : public ApproximateInverse<double> {
 public:
  /// `a` only says what vectors look like.
  FloatPreconditioner(std::unique_ptr<ApproximateInverse<float>> inner, const Operator<double>& a)
      : inner_(std::move(inner)),
        r_(a.device(), a.shared_map(), a.block(), "preconditioner"),
        z_(a.device(), a.shared_map(), a.block(), "preconditioner") {}

  void apply(const Vector<double>& r, double norm, Vector<double>& z) override {
    const double scale = apply_in_float(r, norm);
    scaled_copy<float, double>(r.device(), scale, result().owned(), z.owned());
  }
  std::array<double, 2> apply_and_dot(const Vector<double>& r, double norm, const Vector<double>& q,
                                      Vector<double>& z) override {
    const double scale = apply_in_float(r, norm);
    std::array<double, 2> products =
        widen_and_dot(r.device(), scale, result().owned(), r.owned(), q.owned(), z.owned());
    r.map().comm().sum(std::span<double>(products));
    return products;
  }
  std::string name() const override { return inner_->name(); }

 private:
  /// Returns what the result must be multiplied by.
  double apply_in_float(const Vector<double>& r, double norm) {
    const double scale = norm > 0 ? norm : 1;
    scaled_copy<double, float>(r.device(), 1 / scale, r.owned(), r_.owned());
    inner_->apply(r_, 1, z_);
    return scale;
  }
  const Vector<float>& result() const { return z_; }

  std::unique_ptr<ApproximateInverse<float>> inner_;
  Vector<float> r_, z_;
};

}  // namespace trestle::solver

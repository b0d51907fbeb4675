#include "solver/steps/rate_scheme.hpp"

#include <algorithm>
#include <cmath>

#include "gpu/vector_ops.hpp"
#include "solver/krylov/inner_product.hpp"

namespace trestle::solver {
namespace {

void add(double a, const Vector<double>& x, Vector<double>& y) {
  gpu::axpy(y.device(), a, x.view(), y.view());
}
void set(const Vector<double>& x, Vector<double>& y) { gpu::copy(y.device(), x.view(), y.view()); }
void clear(Vector<double>& y) { gpu::fill(y.device(), y.view(), 0.0); }

}  // namespace

RateScheme::RateScheme(RateKind kind, const Vector<double>& u, const Vector<double>& rate)
    : kind_(kind),
      rate_(u.device(), u.shared_map(), u.block(), "time steps"),
      former_rate_(u.device(), u.shared_map(), u.block(), "time steps"),
      offset_(u.device(), u.shared_map(), u.block(), "time steps") {
  past_.emplace_back(u.device(), u.shared_map(), u.block(), "time steps");
  set(u, past_[0]);
  set(rate, rate_);
  clear(former_rate_);
  clear(offset_);
}

Vector<double> RateScheme::make_vector() const {
  return Vector<double>(offset_.device(), offset_.shared_map(), offset_.block(), "time steps");
}

StepForm RateScheme::begin(double dt, bool damped) {
  step_ = dt;
  damped_ = damped;
  if (kind_ == RateKind::crank_nicolson && !damped) {
    factor_ = 2 / dt;
    weights_ = {{-factor_}, 1};
  } else if (damped || kind_ == RateKind::backward_euler || past_.size() < 2) {
    factor_ = 1 / dt;
    weights_ = {{-factor_}, 0};
  } else {
    const double w = dt / lengths_[0];
    factor_ = (1 + 2 * w) / ((1 + w) * dt);
    weights_ = {{-(1 + w) / dt, w * w / ((1 + w) * dt)}, 0};
  }
  clear(offset_);
  for (std::size_t k = 0; k < weights_.weights.size(); ++k)
    add(weights_.weights[k], past_[k], offset_);
  if (weights_.rate != 0) add(-weights_.rate, rate_, offset_);
  StepForm form;
  form.mass_factor = factor_;
  form.mass_offset = &offset_;
  return form;
}

void RateScheme::rate(const Vector<double>& u, Vector<double>& rate) const {
  set(offset_, rate);
  add(factor_, u, rate);
}

void RateScheme::predict(Vector<double>& u) const {
  set(past_[0], u);
  if (damped_) return;
  if (kind_ == RateKind::crank_nicolson) {
    if (lengths_.empty()) return;
    const double w = step_ / lengths_[0];
    add(0.5 * step_ * (2 + w), rate_, u);
    add(-0.5 * step_ * w, former_rate_, u);
    return;
  }
  if (past_.size() < 2) return;
  if (kind_ == RateKind::backward_euler) return add(step_, rate_, u);
  // Newton's form of the polynomial through the last two or three.
  const double t1 = step_, t2 = step_ + lengths_[0];
  add(t1 / lengths_[0], past_[0], u);
  add(-t1 / lengths_[0], past_[1], u);
  if (past_.size() < 3) return;
  const double second = t1 * t2 / (lengths_[0] + lengths_[1]);
  add(second / lengths_[0], past_[0], u);
  add(-second * (1 / lengths_[0] + 1 / lengths_[1]), past_[1], u);
  add(second / lengths_[1], past_[2], u);
}

double RateScheme::error(const Vector<double>& u) const {
  if (damped_) return 0;
  Vector<double> difference = make_vector();
  if (kind_ == RateKind::backward_euler) {
    if (past_.size() < 2) return 0;
    rate(u, difference);  // dt/2 (u'_{n+1} - u'_n) = dt^2/2 u''
    add(-1, rate_, difference);
    return 0.5 * step_ * root_mean_square(difference);
  }
  if (past_.size() < (kind_ == RateKind::bdf2 ? 3u : 2u)) return 0;
  predict(difference);
  gpu::scale(u.device(), -1, difference.view());
  add(1, u, difference);
  const double distance = root_mean_square(difference);
  if (kind_ == RateKind::crank_nicolson)  // of the trapezoidal rule behind Adams-Bashforth 2
    return distance / (3 * (1 + lengths_[0] / step_));
  // u - p = u''' t1 t2 t3 / 6, and the error of the step is u''' t1 t2 / 6 over factor.
  const double t3 = step_ + lengths_[0] + lengths_[1];
  return distance / (factor_ * t3);
}

void RateScheme::accept(const Vector<double>& u) {
  std::swap(rate_, former_rate_);
  rate(u, rate_);
  const std::size_t kept = kind_ == RateKind::bdf2 ? 3 : 2;
  if (past_.size() < kept) past_.push_back(make_vector());
  std::rotate(past_.begin(), past_.end() - 1, past_.end());
  set(u, past_[0]);
  lengths_.insert(lengths_.begin(), step_);
  if (lengths_.size() > kept - 1) lengths_.resize(kept - 1);
}

void RateScheme::visit(StateVisitor& visitor) {
  std::size_t n = past_.size();
  visitor.number("rate_scheme.n_past", n);
  while (past_.size() < n) past_.push_back(make_vector());
  past_.erase(past_.begin() + static_cast<std::ptrdiff_t>(n), past_.end());
  visitor.values("rate_scheme.lengths", lengths_);
  // Of the others, only BDF2 reads the values before the last.
  const std::size_t n_read = kind_ == RateKind::bdf2 ? n : 1;
  for (std::size_t k = 0; k < n_read; ++k)
    visitor.nodal("rate_scheme.past_" + std::to_string(k), past_[k]);
  if (kind_ == RateKind::bdf2) return;
  visitor.nodal("rate_scheme.rate", rate_);
  if (kind_ == RateKind::crank_nicolson) visitor.nodal("rate_scheme.former_rate", former_rate_);
}

}  // namespace trestle::solver

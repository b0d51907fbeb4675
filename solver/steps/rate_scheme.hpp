// RateScheme: implicit schemes for equations of first order in time, M u' = F(t, u).
#pragma once

#include <vector>

#include "solver/state_visitor.hpp"
#include "solver/steps/step_form.hpp"

namespace trestle::solver {

enum class RateKind { backward_euler, crank_nicolson, bdf2 };

/// At the end of a step the rate is u' = a u + h with h from the steps before; with it the
/// equations M u' = F(t, u) at that time are solved. Crank-Nicolson is in the form of the
/// trapezoidal rule for u', u' = 2 (u - u_n) / dt - u'_n, BDF2 for unequal steps [Hairer, Norsett &
/// Wanner 1993, sec. III.5] starts with a step of backward Euler.
class RateScheme {
 public:
  /// `rate` is u' at time 0; only Crank-Nicolson uses it.
  RateScheme(RateKind kind, const Vector<double>& u, const Vector<double>& rate);

  int order() const { return kind_ == RateKind::backward_euler ? 1 : 2; }
  /// Prepares a step of length dt [s] from the last accepted state; the form of its equations holds
  /// until the next call. A `damped` step is one of backward Euler, whatever the scheme: two halves
  /// in the place of each of the first steps behind a jump keep Crank-Nicolson from ringing, at the
  /// same factor and at order 2 [Rannacher 1984].
  StepForm begin(double dt, bool damped = false);
  /// a [1/s].
  double factor() const { return factor_; }
  /// h, ghosts up to date.
  const Vector<double>& offset() const { return offset_; }
  /// h is this sum over past states u_k, newest first, less `rate` times u'_0.
  struct Past {
    std::vector<double> weights;
    double rate = 0;
  };
  const Past& past() const { return weights_; }
  /// u_k of `past`.
  const Vector<double>& state(std::size_t k) const { return past_[k]; }
  /// rate = a u + h.
  void rate(const Vector<double>& u, Vector<double>& rate) const;
  /// u = extrapolation to the end of the step by the polynomial or the rates of the steps before.
  void predict(Vector<double>& u) const;
  /// Root mean square over all unknowns of the estimated error of the step with the solution u; 0
  /// while there are too few steps to tell, and of damped steps. From differences of u or u' over
  /// the last steps [Gresho & Sani 1998, sec. 2.7.4]. Collective.
  double error(const Vector<double>& u) const;
  /// The step is taken with the solution u.
  void accept(const Vector<double>& u);

  /// Between steps. Collective.
  void visit(StateVisitor& visitor);

  /// u of the last accepted step, and its rate.
  const Vector<double>& last() const { return past_[0]; }
  const Vector<double>& last_rate() const { return rate_; }

 private:
  Vector<double> make_vector() const;

  RateKind kind_;
  std::vector<Vector<double>> past_;  // u, newest first: up to 3
  std::vector<double> lengths_;       // of the steps between them [s]
  Vector<double> rate_;               // at past_[0]
  Vector<double> former_rate_;        // at past_[1]
  Vector<double> offset_;
  double step_ = 0, factor_ = 0;
  bool damped_ = false;
  Past weights_;
};

}  // namespace trestle::solver

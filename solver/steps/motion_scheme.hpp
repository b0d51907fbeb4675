// MotionScheme: implicit schemes for equations of second order in time, M u'' + D u' = F(t, u).
#pragma once

#include "solver/state_visitor.hpp"
#include "solver/steps/step_form.hpp"

namespace trestle::solver {

struct MotionParameters {
  double alpha_m = 0, alpha_f = 0;
  double beta = 0.25, gamma = 0.5;
  double mass_damping = 0;       // of D = mass_damping M + stiffness_damping K [1/s]
  double stiffness_damping = 0;  // [s]
  bool is_explicit() const { return beta == 0; }
};

/// Those of central differences, beta = 0, which CentralDifference takes.
MotionParameters central_difference();
/// Newmark's method with constant average acceleration [Newmark 1959]: it keeps the energy of a
/// linear system.
MotionParameters newmark();
/// The generalised-alpha method that damps the highest frequencies by `spectral_radius` in each
/// step and is of second order [Chung & Hulbert 1993, eq. 25]. 1: none; 0: at once.
MotionParameters generalized_alpha(double spectral_radius);

/// At the end of a step u'' = (u - u~) / (beta dt^2) and u' = v~ + gamma dt u''; the forces at the
/// times of the method are weighted sums of those at both ends.
class MotionScheme {
 public:
  /// From u, u' and u'' at time 0. `forces` is F(0, u), owned entries.
  MotionScheme(const MotionParameters& parameters, const Vector<double>& u, const Vector<double>& v,
               const Vector<double>& a, const Vector<double>& forces);

  /// Prepares a step of length dt [s]; the form of its equations holds until the next call.
  const StepForm& begin(double dt);
  /// u = u_n + dt v_n + dt^2 a_n / 2.
  void predict(Vector<double>& u) const;
  /// Root mean square over all unknowns of the estimated error of the step with the solution u,
  /// dt^2 |beta - 1/6| |a - a_n| [Zienkiewicz & Xie 1991]. Collective.
  double error(const Vector<double>& u) const;
  /// The step is taken with the solution u, at which F is `forces`.
  void accept(const Vector<double>& u, const Vector<double>& forces);

  /// Between steps. Collective.
  void visit(StateVisitor& visitor);

  /// At the end of the last accepted step.
  const Vector<double>& displacement() const { return u_; }
  const Vector<double>& forces() const { return forces_; }  // owned entries
  const Vector<double>& velocity() const { return v_; }
  const Vector<double>& acceleration() const { return a_; }

 private:
  Vector<double> make_vector() const;
  void set_acceleration(const Vector<double>& u, Vector<double>& a) const;

  MotionParameters p_;
  Vector<double> u_, v_, a_, forces_;         // of the last accepted step
  Vector<double> predicted_u_, predicted_v_;  // u~ and v~
  Vector<double> mass_offset_, stiffness_offset_, carried_;
  StepForm form_;
  double step_ = 0;
};

}  // namespace trestle::solver

// CentralDifference: the explicit scheme for equations of second order in time, M u'' + D u' = F.
#pragma once

#include "solver/state_visitor.hpp"
#include "solver/steps/motion_scheme.hpp"

namespace trestle::solver {

/// The longest step [s] that is stable where the largest eigenvalue of M^-1 K is `lambda` [1/s^2]:
/// 2 / omega without damping, less with that of the stiffness [Belytschko et al. 2014, sec. 6.2].
double stable_step(double lambda, double stiffness_damping);

/// u_n+1 = u_n + dt v_n+1/2 with v_n+1/2 = v_n + dt/2 a_n, then a_n+1 from the forces at u_n+1 and
/// v_n+1 = v_n+1/2 + dt/2 a_n+1: Newmark's method with beta = 0 [Hughes 2000, sec. 9.1.1]. Damping
/// by mass acts at the velocity v_n+1, as M is diagonal; damping by stiffness at v_n+1/2, so that
/// no system is solved.
class CentralDifference {
 public:
  /// From u, u' and u'' at time 0, ghosts included.
  CentralDifference(double mass_damping, const Vector<double>& u, const Vector<double>& v,
                    const Vector<double>& a);

  /// Begins a step of length dt [s].
  void begin(double dt);
  /// u at the end of the step.
  void predict(Vector<double>& u) const;
  /// v_n+1/2 of the present step.
  const Vector<double>& half_velocity() const { return half_velocity_; }
  /// a = M^-1 F becomes the acceleration at the end of the step, which is M^-1 (F - c M v).
  void damp(Vector<double>& a) const;
  /// The step is taken, with u and u'' at its end.
  void accept(const Vector<double>& u, const Vector<double>& a);

  /// Between steps. Collective.
  void visit(StateVisitor& visitor);

  /// At the end of the last accepted step.
  const Vector<double>& displacement() const { return u_; }
  const Vector<double>& velocity() const { return v_; }
  const Vector<double>& acceleration() const { return a_; }

 private:
  double mass_damping_;
  Vector<double> u_, v_, a_, half_velocity_;
  double step_ = 0;
};

}  // namespace trestle::solver

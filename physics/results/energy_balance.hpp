// EnergyBalance: where the energy of a motion comes from and goes.
#pragma once

#include "physics/step_equations.hpp"
#include "solver/steps/motion_scheme.hpp"

namespace trestle::physics {

/// All in J, since time 0 but for the kinetic energy.
struct Energies {
  double kinetic = 0;   // u'M u' / 2; of central differences with the velocities half a step away
  double internal = 0;  // work of the internal forces: strain energy, and what materials dissipate
  double external = 0;  // work of loads and of supports that move
  double damping = 0;   // what Rayleigh damping takes
  double start = 0;     // kinetic energy at time 0
  /// What is left over of kinetic + internal + damping = external + start, relative to the largest
  /// of them: zero to rounding for Newmark's method on a linear system, else what the scheme takes.
  double imbalance() const;
};

/// A motion at one time: F(t, u), and the velocity at which damping by stiffness acts.
struct MotionState {
  const solver::Vector<double>&u, &v, &a, &forces, &damped_v;
};

/// Works are sums of mean forces times changes of u over the steps. For Newmark's method with
/// constant average acceleration that is an identity, and for central differences with dt^2/8 a'M a
/// taken from the kinetic energy, which makes it v_n-1/2'M v_n+1/2 / 2 [Hughes 2000, sec. 9.1.1].
class EnergyBalance {
 public:
  /// At time 0. The equations outlive this. Collective.
  EnergyBalance(Analysis& analysis, StepEquations& equations,
                const solver::MotionParameters& parameters, const MotionState& start);

  /// A step has ended. Collective.
  void add(const MotionState& end);
  /// Between steps, `u` being that of the last one. Collective.
  void visit(solver::StateVisitor& visitor, const solver::Vector<double>& u);
  const Energies& energies() const { return energies_; }

 private:
  using Vector = solver::Vector<double>;
  double kinetic(const Vector& v);
  /// D v, owned entries.
  Vector damping_forces(const MotionState& motion);
  /// M a, owned entries.
  Vector inertia_of(const Vector& a);
  /// External loads, and what supports hold: what is out of balance there. Owned entries.
  Vector outer_forces(const MotionState& motion, const Vector& external, const Vector& inertia,
                      const Vector& damping);
  Vector copy_of(const Vector& from) const;

  Analysis& analysis_;
  StepEquations& equations_;
  solver::MotionParameters parameters_;
  Energies energies_;
  double time_ = 0;                        // [s]
  double lag_ = 0, action_ = 0;            // sum of changes of dt^2/8 a'M a; a'M a
  Vector u_, internal_, outer_, damping_;  // at the end of the last step
  Vector product_;
};

}  // namespace trestle::physics

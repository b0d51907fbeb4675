// EnergyBalance: where the energy of a motion comes from and goes.
#pragma once

#include "physics/step_equations.hpp"
#include "solver/steps/motion_scheme.hpp"

namespace trestle::physics {

/// All in J, since time 0 but for the kinetic energy.
struct Energies {
  double kinetic = 0;   // u'M u' / 2
  double internal = 0;  // work of the internal forces: strain energy, and what materials dissipate
  double external = 0;  // work of loads and of supports that move
  double damping = 0;   // what Rayleigh damping takes
  double start = 0;     // kinetic energy at time 0
  /// What is left over of kinetic + internal + damping = external + start, relative to the largest
  /// of them: zero to rounding for Newmark's method on a linear system, else what the scheme takes.
  double imbalance() const;
};

/// Works are sums of mean forces times changes of u over the steps, which for Newmark's method with
/// constant average acceleration is an identity [Hughes 2000, sec. 9.1.1].
class EnergyBalance {
 public:
  /// At time 0. The equations outlive this. Collective.
  EnergyBalance(Analysis& analysis, StepEquations& equations,
                const solver::MotionParameters& parameters, const solver::Vector<double>& u,
                const solver::Vector<double>& v, const solver::Vector<double>& forces);

  /// A step has ended at u with the velocity v, the acceleration a and F = `forces`. Collective.
  void add(const solver::Vector<double>& u, const solver::Vector<double>& v,
           const solver::Vector<double>& a, const solver::Vector<double>& forces);
  /// Between steps, `u` being that of the last one. Collective.
  void visit(solver::StateVisitor& visitor, const solver::Vector<double>& u);
  const Energies& energies() const { return energies_; }

 private:
  using Vector = solver::Vector<double>;
  double kinetic(const Vector& v);
  /// product = D v.
  void apply_damping(const Vector& v, Vector& product);
  /// External loads and reactions at the end of a step, owned entries.
  Vector outer_forces(const Vector& external, const Vector& v, const Vector& a,
                      const Vector& forces);
  Vector copy_of(const Vector& from) const;

  Analysis& analysis_;
  StepEquations& equations_;
  solver::MotionParameters parameters_;
  Energies energies_;
  double time_ = 0;              // [s]
  Vector u_, internal_, outer_;  // at the end of the last step
  Vector work_, product_;
};

}  // namespace trestle::physics

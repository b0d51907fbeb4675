// MotionMarch: what marches of second order in time have in common, implicit or explicit.
#pragma once

#include "app/march/step_march.hpp"
#include "physics/results/energy_balance.hpp"

namespace trestle::app {

/// Keeps the balance of energy, and makes states with velocity, acceleration and reactions.
class MotionMarch : public StepMarch {
 protected:
  MotionMarch(const MarchParts& parts, StateSink& output,
              const solver::MotionParameters& parameters);

  /// The initial velocity, with that of prescribed values at time 0, whose acceleration goes to
  /// `a`, from differences over `d` [s]; elsewhere a is 0.
  solver::Vector<double> initial_velocity(double d, solver::Vector<double>& a);
  /// Once the scheme stands at time 0.
  void start_balance();
  /// Adds the last step of the scheme to the balance of energy.
  void add_to_balance(io::StepResult& step);
  void visit_balance(solver::StateVisitor& visitor) { balance_->visit(visitor, last()); }

  virtual const solver::Vector<double>& velocity() const = 0;
  virtual const solver::Vector<double>& acceleration() const = 0;
  /// At which damping by stiffness acts.
  virtual const solver::Vector<double>& damped_velocity() const { return velocity(); }
  physics::State make_state(solver::Vector<double> u) override;

  solver::MotionParameters parameters_;
  solver::Vector<double> forces_;  // F at the last step

 private:
  physics::MotionState present() const {
    return {last(), velocity(), acceleration(), forces_, damped_velocity()};
  }

  std::optional<physics::EnergyBalance> balance_;
};

/// By Newmark's or the generalised-alpha method, and by central differences. As `march`.
void march_implicit_motion(const MarchParts& parts, StateSink& output);
void march_explicit_motion(const MarchParts& parts, StateSink& output);

}  // namespace trestle::app

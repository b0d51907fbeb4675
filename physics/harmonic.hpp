// Harmonic response: how a model swings under loads that vary as a sine.
#pragma once

#include <memory>
#include <string>

#include "fem/operators/mass.hpp"
#include "physics/state.hpp"
#include "solver/matrix/harmonic_matrix.hpp"
#include "solver/steps/tangent_solver.hpp"

namespace trestle::physics {

/// "440 Hz": the name of the state at a frequency.
std::string frequency_name(double frequency);

/// Loads f cos(omega t) and supports g cos(omega t) make u(t) = Re((u + iv) e^(i omega t)), with
/// (K - omega^2 M + i (omega D + eta K)) (u + iv) = f, D Rayleigh's damping and eta the loss
/// factor.
class HarmonicProblem {
 public:
  /// The analysis outlives it. Throws CaseError where a material has no density, NumericalError
  /// (81) where it is not above 0. Collective.
  explicit HarmonicProblem(const Analysis& analysis);

  /// Factors the system of a frequency [Hz], as `respond` does. All that follow keep the order of
  /// elimination that is found with the first, on which their last digits depend. Collective.
  void factor(double frequency);
  /// The state at a frequency [Hz]: u is in phase with the loads, `imaginary` a quarter of a period
  /// ahead. What the solve took goes to `result`. Throws NumericalError (80) where the system is
  /// singular, as at a resonance without damping. Collective.
  State respond(double frequency, double tolerance, bool with_reactions,
                solver::SolveResult& result);

 private:
  using Vector = solver::Vector<double>;
  Vector make_vector(const char* item) const;
  solver::HarmonicFactors factors_at(double frequency) const;
  /// sum += k K x + m M x without constraints, owned entries; the ghosts of x are up to date.
  void add_products(double k, double m, const Vector& x, Vector& sum) const;
  /// Minus the residual where something is held, in phase.
  Vector reactions(const solver::HarmonicFactors& factors, const Vector& u, const Vector& v) const;

  const Analysis& analysis_;
  Capacity density_;
  std::unique_ptr<const Vector> lumped_;  // masses of nodes; null: consistent
  std::shared_ptr<const solver::BlockMatrix<double>> K_, M_;
  std::shared_ptr<solver::BlockMatrix<double>> system_;
  solver::TangentSolver solver_;
  Vector loads_;  // f, owned entries
};

}  // namespace trestle::physics

// FlowBalance: where what a field of first order in time stores comes from and goes.
#pragma once

#include "physics/step_equations.hpp"
#include "solver/state_visitor.hpp"
#include "solver/steps/rate_scheme.hpp"

namespace trestle::physics {

/// Since time 0 [J, kg or m^3], or at rest per time [W, kg/s or m^3/s].
struct Flows {
  double stored = 0;    // in the body, latent heat included
  double loads = 0;     // brought by fluxes, sources and the surroundings
  double supports = 0;  // brought at nodes of prescribed values
  double carried = 0;   // taken away by a flow through the body and by reactions
  double turnover = 0;  // the sizes of all of these, summed over the steps
  /// What is left over of stored = loads + supports - carried, relative to what was turned over:
  /// the residuals that the solvers left.
  double imbalance() const;
};

/// Sums the flows over time with the weights of the scheme, in which the balance is an identity.
class FlowBalance {
 public:
  /// At time 0 and the field `start`, `stored_rate` is what the body stores per time there, which
  /// only a scheme with a rate asks for. All but `start` outlive this. Collective.
  FlowBalance(Analysis& analysis, StepEquations& equations, const solver::RateScheme& scheme,
              const solver::Vector<double>& start, double stored_rate);

  /// A step of length dt [s] has come to u, before the scheme accepts it. Collective.
  void add(const solver::Vector<double>& u, double dt);
  Flows flows() const;
  void visit(solver::StateVisitor& visitor);

 private:
  enum Part { stored, loads, supports, carried, n_parts };
  using Parts = std::array<double, n_parts>;
  struct Memory {
    std::array<Parts, 2> past{};  // at the ends of the last steps, newest first
    Parts rate{};
    double turnover = 0;
  };

  Analysis& analysis_;
  StepEquations& equations_;
  const solver::RateScheme& scheme_;
  Memory memory_;
};

/// The flows at rest at the solution u of load case `c` of a scalar field; nothing is stored.
/// Collective.
Flows steady_flows(const Analysis& analysis, std::size_t c, const solver::Vector<double>& u);

}  // namespace trestle::physics

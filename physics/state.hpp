// State: the solution of one load case or of a combination of cases.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "physics/analysis.hpp"

namespace trestle::physics {

struct State {
  std::string name;          // of the case or combination; "" for the only case
  double time = 0;           // [s] of transient analyses
  solver::Vector<double> u;  // with ghosts
  std::optional<solver::Vector<double>> reactions;    // owned entries [N or W], where asked for
  std::shared_ptr<const fem::ThermalStrain> thermal;  // free thermal strain; no blocks: none
  std::optional<solver::Vector<double>> velocity, acceleration;  // of motions
  std::optional<solver::Vector<double>> imaginary;  // of harmonic responses, u being the real part
  std::shared_ptr<const State> heat;  // of thermoelasticity: the temperatures, of Analysis::heat
};

/// The reactions of a state; throws Error(70) where they were not asked for.
const solver::Vector<double>& reactions_of(const State& state);

/// The state of a case from its solution u. The analysis must outlive it.
State make_state(const Analysis& analysis, std::size_t load_case, solver::Vector<double> u,
                 bool with_reactions);

/// The state at the time of the analysis, with the reactions given.
State make_state(const Analysis& analysis, solver::Vector<double> u,
                 std::optional<solver::Vector<double>> reactions);

/// The sum of factors times states, with reactions where these have them. Fluxes and reactions
/// follow, as everything is linear.
State combine(const Analysis& analysis, const Combination& combination,
              const std::vector<State>& states);

}  // namespace trestle::physics

// The longest step that central differences take without growing.
#pragma once

#include "physics/step_equations.hpp"

namespace trestle::physics {

/// Masses of the directions in which nodes are free, inverted, owned entries; 0 where they are
/// held. Throws NumericalError (81) where a free node has no mass. Collective.
solver::Vector<double> inverse_masses(const Analysis& analysis, const Capacity& capacity);

/// From the largest eigenvalue of M^-1 K at u, with constraints, M lumped: by Lanczos steps, until
/// twice as many move it by less than a thousandth [s]. It converges from below, and the step from
/// above; infinite where nothing can move. Collective.
double longest_stable_step(StepEquations& equations, const solver::Vector<double>& inverse_masses,
                           const solver::Vector<double>& u, double stiffness_damping);

}  // namespace trestle::physics

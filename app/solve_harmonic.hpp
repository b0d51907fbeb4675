// The harmonic response over a sweep of frequencies.
#pragma once

#include "app/march/march.hpp"

namespace trestle::app {

/// The states of all frequencies, one after another, to `output`. Throws NumericalError (80, 81)
/// and jobs::Stopped. Collective.
void solve_harmonic(const MarchParts& parts, StateSink& output);

}  // namespace trestle::app

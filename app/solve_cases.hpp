// Solves every load case of an analysis on one matrix and one set-up.
#pragma once

#include <vector>

#include "app/console.hpp"
#include "core/timers.hpp"
#include "io/case.hpp"
#include "io/report.hpp"
#include "physics/state.hpp"

namespace trestle::app {

/// A state per load case of `c`, with reactions where it asks for some. Fills the report's solves
/// and spmv_gb_s. Throws NumericalError (80, 81) when a solve does not converge, after it was
/// recorded. Collective.
std::vector<physics::State> solve_cases(const physics::Analysis& analysis, const io::Case& c,
                                        Timers& timers, Console& console, io::Report& report);

}  // namespace trestle::app

// Marches: transient analyses through time, non-linear static ones through their load steps.
#pragma once

#include "app/console.hpp"
#include "app/output.hpp"
#include "core/timers.hpp"

namespace trestle::app {

/// The times at which a transient case writes results, ascending, its end the last; expected values
/// are among them.
std::vector<double> output_times(const io::Case& c);
/// At most so many states are written.
int most_states(const io::Case& c);

/// From the initial state through every step, the states of the output times given to `output`.
/// Throws NumericalError (80, 81, 87) when a step cannot be taken. Collective.
void march(const io::Case& c, physics::Analysis& analysis, Timers& timers, Console& console,
           io::Report& report, StateSink& output);

/// Of first order in time (heat), and of second order (solids). As `march`.
void march_rates(const io::Case& c, physics::Analysis& analysis, Timers& timers, Console& console,
                 io::Report& report, StateSink& output);
void march_motion(const io::Case& c, physics::Analysis& analysis, Timers& timers, Console& console,
                  io::Report& report, StateSink& output);

/// The state of a static problem that is not linear, its loads grown in steps which are cut where
/// they fail. Throws NumericalError (80, 81). Collective.
physics::State solve_nonlinear(const io::Case& c, physics::Analysis& analysis, Timers& timers,
                               Console& console, io::Report& report);

}  // namespace trestle::app

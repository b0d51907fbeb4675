// Marches: transient analyses through time, non-linear static ones through their load steps.
#pragma once

#include "app/console.hpp"
#include "app/output.hpp"
#include "core/timers.hpp"
#include "physics/data_breaks.hpp"

namespace trestle::app {

class Checkpointer;
class RunControl;

/// The times at which a transient case writes results, ascending, its end the last; expected values
/// are among them.
std::vector<double> output_times(const io::Case& c);
/// Where the case writes results, and steps end, only because a value is expected there: a line for
/// a person, or "".
std::string note_of_expected_times(const io::Case& c);
/// The breaks in the data that steps have to hit: of Crank-Nicolson, which rings behind them.
std::vector<physics::DataBreak> breaks_to_hit(const io::Case& c);
/// The parts of the load at which a case writes results along its path, ascending, 1 the last.
std::vector<double> output_loads(const io::Case& c);
/// Whether a static case asks for results along the path of its load.
bool writes_load_path(const io::Case& c);
/// At most so many states are written in all: as many as without an interruption, and never fewer
/// than those that are `written` already, by the output of a former start, and those to come.
int most_states(const io::Case& c, const WrittenStates& written);
/// The same along the path of a load.
int most_loads(const io::Case& c, const WrittenStates& written);
/// How many are to come, as far as that is known beforehand, else 0.
double planned_states(const io::Case& c, const WrittenStates& written);

/// What every march works with; all of it outlives the march.
struct MarchParts {
  const io::Case& c;
  physics::Analysis& analysis;
  Timers& timers;
  Console& console;
  io::Report& report;
  RunControl& control;
  Checkpointer* checkpoints;  // null: none are made
};

/// The options of the case; whoever sets up by them hears that the run is to stop (Stopped).
solver::SolverOptions solver_options(const MarchParts& parts);

/// From the initial state, or from a checkpoint, through every step, the states of the output times
/// given to `output`. Throws NumericalError (80, 81, 87) when a step cannot be taken, and as
/// Checkpointer. Collective.
void march(const MarchParts& parts, StateSink& output);

/// Of first order in time (heat), and of second order (solids). As `march`.
void march_rates(const MarchParts& parts, StateSink& output);
void march_motion(const MarchParts& parts, StateSink& output);

/// Heat in time, and the deformation that follows it at rest at every instant. As `march`.
void march_thermoelastic(const MarchParts& parts, StateSink& output);

/// The state of a static problem that is not linear, its loads grown in steps which are cut where
/// they fail; from a checkpoint where there is one. Throws NumericalError (80, 81), and as
/// Checkpointer. Collective.
physics::State solve_nonlinear(const MarchParts& parts);
/// The same; the states at the parts of the load that the case asks for go to `output`.
void march_loads(const MarchParts& parts, StateSink& output);

}  // namespace trestle::app

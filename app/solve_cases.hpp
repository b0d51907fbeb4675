// Solves every load case of an analysis on one matrix and one set-up.
#pragma once

#include <vector>

#include "app/console.hpp"
#include "app/state/run_control.hpp"
#include "core/timers.hpp"
#include "io/case/case.hpp"
#include "io/report/report.hpp"
#include "physics/state.hpp"

namespace trestle::app {

/// A state per load case, with reactions where the case asks for some. Fills the report's solves
/// and spmv_gb_s. Throws NumericalError (80, 81) when a solve does not converge, after it was
/// recorded. Collective.
std::vector<physics::State> solve_cases(const io::Case& c, const physics::Analysis& analysis,
                                        RunControl& control, Timers& timers, Console& console,
                                        io::Report& report);

/// Assembles the matrix and sets up the solver, in double, without solving. Throws CaseError for
/// options of PETSc that it does not know or use. Collective.
void set_up_solver(const io::Case& c, const physics::Analysis& analysis);

}  // namespace trestle::app

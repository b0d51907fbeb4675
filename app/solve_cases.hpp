// Solves every load case of an analysis on one matrix and one set-up.
#pragma once

#include <functional>
#include <vector>

#include "app/march/march.hpp"
#include "physics/state.hpp"

namespace trestle::app {

/// Called for each load case, with what solves it.
using AroundCase = std::function<void(const std::function<void()>& solve)>;

/// Adds to `states`, which has those of the first load cases or none, the others, with reactions
/// where the case asks for some. Fills the report's solves and spmv_gb_s. Throws NumericalError
/// (80, 81) when a solve does not converge, after it was recorded. Collective.
void solve_cases(const MarchParts& parts, const AroundCase& around,
                 std::vector<physics::State>& states);

/// A sentence for each load case of a linear static problem without any load, as far as that is
/// known before anything is solved. Throws as Analysis::right_side. Collective.
std::vector<std::string> no_load_warnings(const io::Case& c, const physics::Analysis& analysis);

/// Assembles the matrix and sets up the solver, in double, without solving. Throws CaseError for
/// options of PETSc that it does not know or use. Collective.
void set_up_solver(const io::Case& c, const physics::Analysis& analysis);

}  // namespace trestle::app

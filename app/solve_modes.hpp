// Finds the modes of a modal analysis.
#pragma once

#include <functional>
#include <vector>

#include "app/console.hpp"
#include "app/memory_estimate.hpp"
#include "app/state/run_control.hpp"
#include "core/timers.hpp"
#include "io/case/case.hpp"
#include "io/report/report.hpp"
#include "physics/state.hpp"

namespace trestle::app {

/// A state per mode, called "mode 1" ..., its shape M-orthonormal, with the forces of the supports
/// where the case asks for some. Fills the report's modal part. Throws NumericalError (80) when
/// modes are missing or wrong. Collective.
std::vector<physics::State> solve_modes(const io::Case& c, const physics::Analysis& analysis,
                                        RunControl& control, Timers& timers, Console& console,
                                        io::Report& report);

/// What a case needs beyond what it has taken already.
using MemoryEstimator = std::function<MemoryEstimate(const io::Case&)>;

/// `eigensolver: auto` becomes lobpcg, with a warning, where the factors of shift_invert would not
/// fit into the memory and the modes asked for are the lowest; lobpcg counts no modes by factors
/// then. Collective.
void choose_eigensolver(io::Case& c, const MemoryEstimator& needed, const Comm& comm,
                        Console& console, io::Report& report);

/// What a modal analysis leaves out of a case: its loads, and prescribed displacements other than
/// 0.
std::vector<std::string> ignored_by_modes(const physics::Analysis& analysis);

}  // namespace trestle::app

// `trestle check`: everything about a case that can be wrong before its solve.
#pragma once

#include "app/commands/run_command.hpp"
#include "core/comm.hpp"
#include "core/error.hpp"

namespace trestle::app {

/// Reads the case and its mesh, finds groups, materials and supports, looks for the device and the
/// place of the results, and sets up a solver that has options of PETSc. Throws every mistake at
/// once as far as one does not hide another. Writes nothing. Collective.
ExitCode check_case(const Comm& comm, const RunArguments& arguments);

}  // namespace trestle::app

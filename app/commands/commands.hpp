// The commands of the program.
#pragma once

#include "core/comm.hpp"
#include "core/error.hpp"

namespace trestle::app {

/// Parses the arguments and runs the command; returns the exit code of the process, 64 for wrong
/// usage. Collective.
ExitCode command_line(const Comm& comm, int argc, char** argv);

}  // namespace trestle::app

// The commands that run no computation themselves: submit, batch, post-exit. They need no MPI, so
// that they work on a login node and may start programs that do.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>

#include "app/commands/results_commands.hpp"

namespace trestle::app {

/// Whether the command line asks for one of them.
bool is_job_command(int argc, char** argv);

/// Adds them; `choose` gets the action of the one that was given.
void add_job_commands(CLI::App& app, const std::function<void(Action)>& choose);

/// Parses the arguments and runs the command; returns the exit code of the process.
int job_command_line(int argc, char** argv);

}  // namespace trestle::app

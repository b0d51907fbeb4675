// `trestle plan`: what a case needs on a number of ranks, before it runs.
#pragma once

#include "app/commands/run_command.hpp"

namespace trestle::app {

struct PlanArguments {
  RunArguments run;
  int ranks = 1;
};

/// Prints unknowns and memory by item, for all ranks and for each. Boxes are not made for it; mesh
/// files are read. Collective.
ExitCode plan(const Comm& comm, const PlanArguments& arguments);

}  // namespace trestle::app

// simulate: one case from its mesh to its results, the table of contents of a finite-element run.
#pragma once

#include "app/console.hpp"
#include "app/state/checkpointer.hpp"
#include "app/state/run_control.hpp"
#include "core/comm.hpp"
#include "io/case/case.hpp"
#include "io/report/report.hpp"

namespace trestle::app {

/// Runs a case and writes results.hdf into the run directory of `control`. The report holds on rank
/// 0 what is known, also when this throws. Returns whether everything that the case expects was
/// met. Collective.
bool simulate(const io::Case& c, const Comm& comm, RunControl& control, Checkpointer& checkpoints,
              Console& console, io::Report& report);

}  // namespace trestle::app

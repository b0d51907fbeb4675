// Signals: what they ask of a run, and the last line of one that crashes.
#pragma once

#include <optional>

#include "jobs/stop/request.hpp"

namespace trestle::jobs {

/// From now on signals ask instead of ending the process: USR2 for a checkpoint; USR1, XCPU, HUP
/// (unless the process was started with it ignored) and the first INT to stop; TERM to finish in
/// what time is left. A second INT ends the process with 130 at once. PIPE and XFSZ become errors
/// of the write. To be called first thing in `main`, and again after MPI came up, which has
/// handlers of its own: what came before is kept.
void catch_signals();

/// SEGV, BUS, FPE, ILL and ABRT write one line with the rank, the step and the phase; then they do
/// what they do anyway. To be called after MPI came up.
void catch_crashes();

/// From now on a crash ends the process with `code`, after a line that says so: the work is done,
/// and libraries that crash while they clean up do not undo it.
void end_with(int code);

/// For commands that nobody needs to stop in order: signals end the process again, also those that
/// came already.
void release_signals();

/// Where mpirun or its daemon started this process: it is killed when that one is gone, also while
/// it is stopped. Linux asks for the thread that started it, which those programs keep.
void die_with_launcher();

/// What signals have asked for so far.
struct Signalled {
  StopLevel level = StopLevel::none;  // stop or terminate
  int saves = 0;                      // how often a checkpoint was asked for
  int signal = 0;                     // the last one that raised the level
  double seconds_ago = 0;             // when that was
};
Signalled signalled();

/// "USR1"; the number where it has no name.
const char* signal_name(int signal);

}  // namespace trestle::jobs

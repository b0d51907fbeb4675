// How a program starts MPI where nothing launched it.
#pragma once

namespace trestle {

/// To be called before MPI_Init. Without a launcher Open MPI starts a daemon beside the one rank,
/// which takes half of the time of starting and is one more process that may fail. Without that
/// daemon all such programs of a machine would share one session folder, and those that end would
/// take it from those that begin; one rank needs none.
void start_lone_rank_without_daemon();

}  // namespace trestle

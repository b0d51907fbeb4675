// `trestle verify`: whether everything in a run directory is what was written there.
#pragma once

#include <string>

#include "core/comm.hpp"
#include "core/error.hpp"

namespace trestle::app {

/// Checks status, every checkpoint and every step of the results against their checksums, from the
/// disk, and prints a line for each, or JSON. 0 where all is right, 76 where something is not;
/// throws Error(66) where `directory` is no run directory. Changes nothing. Collective.
ExitCode verify(const Comm& comm, const std::string& directory, bool as_json);

}  // namespace trestle::app

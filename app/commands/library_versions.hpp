// The versions of the libraries that this process runs with, to hold against lists of known faults.
#pragma once

#include <string>

namespace trestle::app {

/// "PETSc 3.18.5, SLEPc 3.18.2 ...": of shared libraries those that were loaded, of headers those
/// built with.
std::string library_versions();

}  // namespace trestle::app

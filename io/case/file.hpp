// The bytes of a case file, read once and the same on all ranks.
#pragma once

#include <string>

#include "core/comm.hpp"

namespace trestle::io {

struct CaseFile {
  std::string text;
  std::string working_directory;  // of rank 0
};

/// Rank 0 reads `path`, which must be a regular file of at most 1 MiB; never blocks. Throws on all
/// ranks: Error 66 (missing), 77 (not allowed), 78 (a folder, pipe or device; too large), 74.
/// Collective.
CaseFile read_case_file(const Comm& comm, const std::string& path);

}  // namespace trestle::io

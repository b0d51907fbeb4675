// Which checkpoint a run goes on from.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/state/run_directory.hpp"
#include "io/case/case.hpp"
#include "io/checkpoint/manifest.hpp"

namespace trestle::app {

/// A checkpoint that is whole and fits the case.
struct Restart {
  std::string name;  // of its folder
  std::string path;
  io::CheckpointManifest manifest;
  /// What a person should know: what was skipped and why, what has changed in the case.
  std::vector<std::string> notes;
};

/// The newest checkpoint of the run directory that is whole, or that at `path` (a checkpoint, or a
/// run directory) where it is not empty. Damaged ones are renamed to NAME.bad, and one that two
/// starts took without coming to a newer one is passed over. Nothing where none was ever made.
/// Throws Error(76) where there is none to go on from although steps were done, and where the case
/// has changed in more than it may. Collective.
std::optional<Restart> choose_restart(const Comm& comm, const io::Case& c, RunDirectory& directory,
                                      const std::string& path);

}  // namespace trestle::app

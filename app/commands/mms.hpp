// `trestle mms`: how the error of a case with a known solution falls when mesh and steps get finer.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/comm.hpp"
#include "core/error.hpp"

namespace trestle::app {

struct MmsArguments {
  std::string case_path;
  std::vector<std::string> overrides;
  std::string refine;  // "space", "time", "both"; "": both of transient cases, space of static ones
  int levels = 3;
  std::vector<std::string> meshes;  // from coarse to fine, in place of the mesh of the case
  std::optional<double> at_least;
  std::string json, html;  // files to write; "": none
};

/// Solves the case on its mesh and with its step, and again with both or one of them refined;
/// prints the L2 error of the primary field at the end and the observed orders [Oberkampf and Roy
/// 2010, ch. 6]. Returns 79 where the order of the two finest levels is below `at_least`. Throws
/// CaseError where the case has no `exact`, Error(64) where it cannot be refined as asked.
/// Collective.
ExitCode mms(const Comm& comm, const MmsArguments& arguments);

}  // namespace trestle::app

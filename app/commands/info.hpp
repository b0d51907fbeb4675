// The commands that look and do not run: info, selftest, mesh info, report.
#pragma once

#include <optional>
#include <string>

#include "core/comm.hpp"
#include "core/error.hpp"
#include "io/mesh/content.hpp"

namespace trestle::app {

/// Build, libraries, devices, memory bandwidth. Collective.
ExitCode show_info(const Comm& comm);
/// Compares every kernel on device `name` (cpu, debug, gpu) with the CPU; 70 when one differs, 69
/// without the device. Collective.
ExitCode self_test(const Comm& comm, const std::string& name);
/// Checks a Gmsh file or a deck on rank 0 and writes it as an own mesh file, which must not exist.
/// Collective.
ExitCode convert_mesh(const Comm& comm, const std::string& from, const std::string& to,
                      const io::MeshFileOptions& options);

/// Counts, groups, measures, quality and defects of a mesh file; without a `scale` it is in metres,
/// and doubted where it is very long. Collective.
ExitCode show_mesh(const Comm& comm, const std::string& path, std::optional<double> scale);
/// The table of a run's report, and report.html written again. Collective.
ExitCode show_report(const Comm& comm, const std::string& directory);

}  // namespace trestle::app

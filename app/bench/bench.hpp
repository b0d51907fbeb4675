// `trestle bench`: what this machine makes of the program's kernels, as text and JSON.
#pragma once

#include <string>

#include "core/comm.hpp"
#include "core/error.hpp"

namespace trestle::app {

struct BenchArguments {
  GlobalIndex size = 500'000;  // unknowns of each problem, nearly
  std::string device = "cpu";
  std::string mesh;  // a mesh file to be read, or ""
  std::string json;  // a file for the results, or ""
};

/// Measures and prints. Throws Error(64) for a device's name that is none, SystemError(69) where
/// the device is not there, 73, 74 or 77 where the JSON file cannot be written, and what make_mesh
/// throws. Collective.
ExitCode bench(const Comm& comm, const BenchArguments& arguments);

}  // namespace trestle::app

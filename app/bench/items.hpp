// What `trestle bench` measures: pieces of the program's own work, each with the bytes that it
// moves.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/comm.hpp"
#include "gpu/device.hpp"
#include "mesh/mesh.hpp"

namespace trestle::app {

struct BenchItem {
  std::string name;
  std::string unit;           // "entries", "unknowns" or "cells"
  GlobalIndex n = 0;          // of them, on all ranks
  std::string formula;        // of the model's bytes
  double model_bytes = 0;     // of one run on this rank, as docs/performance.md has them
  double counted_bytes = 0;   // of the arrays that one run reads and writes on this rank; 0: not
                              // counted, since the work has no fixed passes
  std::function<void()> run;  // queued; collective
};
using BenchItems = std::vector<BenchItem>;

/// The triad, which is the scale of all others and comes first, and the vector kernels of an
/// iteration of conjugate gradients.
BenchItems stream_items(const Comm& comm, const gpu::Device& device);

/// Mesh, assembly, products, multigrid of a box of linear tetrahedra with about `n_unknowns`
/// unknowns: heat conduction (`poisson`) and elasticity. Collective.
BenchItems problem_items(const Comm& comm, const gpu::Device& device, GlobalIndex n_unknowns);

/// Reading and distributing the mesh file at `path`. Throws as make_mesh does. Collective.
BenchItems mesh_file_items(const Comm& comm, const std::string& path);

}  // namespace trestle::app

// What the peak of a rank's resident memory is made of, beside the accounted arrays.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "gpu/device.hpp"
#include "mesh/mesh.hpp"

namespace trestle::app {

/// Bytes of this process that are in memory now, and at most so far.
std::size_t resident_bytes();
std::size_t peak_resident_bytes();

/// Looks at the resident memory at the borders of the phases, which no account of arrays sees:
/// libraries, and the files, tables and messages of reading and sharing a mesh.
class ResidentMemory {
 public:
  ResidentMemory() : at_start_(resident_bytes()) {}

  /// Around the making of the mesh.
  void begin_mesh();
  void end_mesh(const mesh::Mesh& mesh);

  /// Bytes by item on this rank: `program and libraries`; `making the mesh`, what was there at most
  /// meanwhile, where that was more than ever before; `mesh, ids and groups`, which stay; and of
  /// the peak `not accounted`, what neither these nor the arrays of `device` explain.
  std::map<std::string, std::size_t> items(const gpu::Device& device) const;

 private:
  std::size_t at_start_;
  std::size_t peak_before_mesh_ = 0;
  std::size_t peak_with_mesh_ = 0;
  std::size_t mesh_arrays_ = 0;  // that kernels read, accounted on the cpu
  std::size_t mesh_rest_ = 0;
};

}  // namespace trestle::app

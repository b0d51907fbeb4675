// From the mesh options of a case to a partitioned mesh.
#pragma once

#include <memory>

#include "core/comm.hpp"
#include "io/case/case.hpp"
#include "mesh/mesh.hpp"

namespace trestle::app {

/// Reads or generates, raises or lowers the order, and partitions. Throws
/// MeshError and Error (65, 66, 77). Collective.
std::shared_ptr<const mesh::Mesh> make_mesh(const Comm& comm, const io::MeshOptions& options);

}  // namespace trestle::app

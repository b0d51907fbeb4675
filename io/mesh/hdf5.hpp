// The own mesh file (HDF5, docs/mesh_file.md): a checked mesh that ranks read in slices.
#pragma once

#include <string>

#include "core/comm.hpp"
#include "mesh/raw_mesh.hpp"

namespace trestle::io {

/// Writes a whole mesh, of which this rank has all slices, under another name that becomes `path`
/// when all is on the disk. Throws SystemError 73, 74, 77; the last also outside TRESTLE_ROOTS.
void write_mesh_hdf5(const std::string& path, const mesh::RawMesh& whole);

/// Reads a file of `write_mesh_hdf5`; every rank reads its slice and no more. Coordinates are
/// multiplied by `scale`. Throws on all ranks Error 65, 66, 74, 77. Collective.
mesh::RawMesh read_mesh_hdf5(const Comm& comm, const std::string& path, double scale = 1);

/// Whether the file begins as HDF5 files do; false where it cannot be read.
bool is_hdf5(const std::string& path);

}  // namespace trestle::io

#include "app/make_mesh.hpp"

#include "io/gmsh.hpp"

namespace trestle::app {

std::shared_ptr<const mesh::Mesh> make_mesh(const Comm& comm, const io::MeshOptions& options) {
  mesh::RawMesh raw =
      options.box ? mesh::generate_box(comm, *options.box)
                  : io::read_gmsh(comm, options.file, {options.scale, options.merge_tolerance});
  if (options.order > 0) raw = mesh::with_order(comm, std::move(raw), options.order);
  return std::make_shared<const mesh::Mesh>(
      mesh::distribute(comm, std::move(raw), options.partitioner));
}

}  // namespace trestle::app

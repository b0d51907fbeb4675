// Reads a .msh file on rank 0, checks the mesh and hands a slice to every rank.
#include "io/gmsh/gmsh.hpp"

#include <fmt/format.h>

#include "io/gmsh/content.hpp"
#include "io/gmsh/slices.hpp"
#include "mesh/scatter.hpp"

namespace trestle::io {
namespace {

/// Refuses elements of types that this program does not have, naming each type and its number.
void refuse_foreign(const GmshFile& file, const GmshContent& content) {
  if (content.foreign.empty()) return;
  std::string list;
  std::size_t position = file.bytes().size();
  for (const auto& [type, elements] : content.foreign) {
    list += fmt::format("{}{}: {} elements", list.empty() ? "" : "; ", describe_type(type),
                        elements.count);
    position = std::min(position, elements.position);
  }
  file.fail(position, fmt::format("element types that are not supported: {}; supported are lines, "
                                  "triangles, quadrilaterals, tetrahedra, hexahedra, prisms and "
                                  "pyramids of order 1 and 2",
                                  list));
}

}  // namespace

MeshContent read_gmsh_content(const std::string& path) {
  const GmshFile file(path);
  GmshContent content;
  const bool names_last = file.version() == 20;
  if (!names_last) read_physical_names(file, content);
  if (file.version() == 41)
    read_version_4(file, content);
  else
    read_version_2(file, content);
  if (names_last) read_physical_names(file, content);
  refuse_foreign(file, content);
  content.groups.move_to(content);
  return content;
}

mesh::RawMesh read_gmsh(const Comm& comm, const std::string& path, const MeshFileOptions& options) {
  if (comm.size() > 1 && options.merge_tolerance == 0)
    if (auto slices = read_gmsh_slices(comm, path, options.scale)) return std::move(*slices);
  mesh::RawMesh whole;
  comm.agree([&] {
    // The bytes of the file are gone before the checks need memory.
    if (comm.is_root()) whole = make_checked_mesh(path, read_gmsh_content(path), options);
  });
  return mesh::scatter(comm, std::move(whole));
}

}  // namespace trestle::io

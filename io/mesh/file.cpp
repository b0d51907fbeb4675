#include "io/mesh/file.hpp"

#include <filesystem>
#include <fstream>

#include "core/error.hpp"
#include "io/gmsh/gmsh.hpp"
#include "io/inp/inp.hpp"
#include "io/mesh/hdf5.hpp"
#include "io/roots.hpp"

namespace trestle::io {
namespace {

/// Whether `path` is called .inp or begins with a keyword of a deck. Never waits for a FIFO.
bool is_inp(const std::string& path) {
  require_in_roots(path);
  std::error_code error;
  std::string suffix = std::filesystem::path(path).extension().string();
  for (char& letter : suffix)
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  if (suffix == ".inp") return true;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  char first = 0;
  return std::ifstream(path) >> first && first == '*';
}

enum Format { gmsh, inp, hdf5 };

Format format_on_disk(const std::string& path) {
  if (is_inp(path)) return inp;
  return is_hdf5(path) ? hdf5 : gmsh;
}

}  // namespace

mesh::RawMesh read_mesh_file(const Comm& comm, const std::string& path,
                             const MeshFileOptions& options) {
  std::array<int, 1> format{};
  comm.agree([&] {
    if (comm.is_root()) format[0] = format_on_disk(path);
  });
  comm.max(std::span<int>(format));
  if (format[0] == inp) return read_inp(comm, path, options);
  if (format[0] == gmsh) return read_gmsh(comm, path, options);
  if (options.merge_tolerance > 0)
    throw Error(ExitCode::mesh,
                path +
                    ": nodes of such a mesh are merged when it is made, not when it is "
                    "read: trestle mesh convert --merge-tolerance");
  return read_mesh_hdf5(comm, path, options.scale);
}

}  // namespace trestle::io

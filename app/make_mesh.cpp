#include "app/make_mesh.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "core/error.hpp"
#include "core/free_memory.hpp"
#include "io/mesh/file.hpp"
#include "io/roots.hpp"

namespace trestle::app {
namespace {

namespace fs = std::filesystem;

/// What to do about a mesh file that is not there; relative paths start at `start`.
std::string advice(const fs::path& file, const char* start) {
  fs::path geometry = file;
  geometry.replace_extension(".geo");
  std::error_code error;
  if (fs::exists(geometry, error))
    return fmt::format("its geometry is there; make the mesh with: gmsh -3 {} -o {}",
                       geometry.string(), file.string());
  const fs::path folder = file.has_parent_path() ? file.parent_path() : ".";
  if (!fs::is_directory(folder, error))
    return fmt::format("the folder {} does not exist; relative paths start at {}", folder.string(),
                       start);
  std::vector<std::string> meshes, stems;  // a common suffix would make any two names alike
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (entry.path().extension() == ".msh" || entry.path().extension() == ".inp")
      meshes.push_back(entry.path().filename().string());
  for (const std::string& mesh : meshes) stems.push_back(fs::path(mesh).stem().string());
  const std::string near = nearest_word(file.stem().string(), stems);
  if (near.empty()) return fmt::format("relative paths start at {}", start);
  const auto found = std::find(stems.begin(), stems.end(), near) - stems.begin();
  return "did you mean " + meshes[static_cast<std::size_t>(found)] + "?";
}

/// Throws with the place in the case: Error(66) where the mesh file is not there, MeshError where
/// it is a folder.
void require_file(const io::MeshOptions& options) {
  io::require_in_roots(options.file);
  std::error_code error;
  const bool in_case = !options.where.file.empty();
  if (fs::is_directory(options.file, error))
    throw MeshError(
        with_place(options.where, fmt::format("{}{} is a directory, not a mesh file",
                                              in_case ? "mesh.file: " : "", options.file)));
  if (fs::exists(options.file, error) || error) return;  // other errors are the reader's to tell
  throw Error(
      ExitCode::no_input,
      with_place(
          options.where,
          fmt::format("{}there is no mesh file {}: {}", in_case ? "mesh.file: " : "", options.file,
                      advice(options.file, in_case ? "the case file" : "the working directory"))));
}

}  // namespace

std::shared_ptr<const mesh::Mesh> make_mesh(const Comm& comm, const io::MeshOptions& options) {
  comm.agree([&] {
    if (comm.is_root() && !options.box) require_file(options);
  });
  mesh::RawMesh raw = options.box ? mesh::generate_box(comm, *options.box)
                                  : io::read_mesh_file(comm, options.file,
                                                       {options.scale, options.merge_tolerance});
  if (options.order > 0) raw = mesh::with_order(comm, std::move(raw), options.order);
  auto mesh = std::make_shared<const mesh::Mesh>(
      mesh::distribute(comm, std::move(raw), options.partitioner));
  if (!options.box) give_back_free_memory();  // of the file and its tables, more than the mesh
  return mesh;
}

}  // namespace trestle::app

// The writer of the own mesh file.
#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <set>

#include "io/files.hpp"
#include "io/mesh/hdf5.hpp"
#include "io/mesh/hdf5_layout.hpp"
#include "io/results/newfile.hpp"
#include "io/roots.hpp"

namespace trestle::io {
namespace {

class MeshWriter {
 public:
  explicit MeshWriter(std::string path)
      : file_(std::move(path), H5P_DEFAULT, h5::Handle(H5Pcreate(H5P_FILE_ACCESS)).id()) {}

  void write(const mesh::RawMesh& mesh) {
    make_group("/mesh");
    const std::vector<std::int64_t> counts{mesh_layout::version, mesh.dim, mesh.n_nodes,
                                           mesh.n_cells};
    hashed_array<std::int64_t>(mesh_layout::counts, counts);
    hashed_array<double>("/mesh/coordinates", mesh.coordinates, 3);
    hashed_array<std::int64_t>("/mesh/node_tags", mesh.node_tags);
    write_groups(mesh);
    make_group("/mesh/cells");
    for (const mesh::RawBlock& block : mesh.cells) {
      const std::string folder = write_block(mesh_layout::cells, block);
      hashed_array<GlobalIndex>(folder + "/ids", block.ids);
    }
    make_group("/mesh/entities");
    for (const mesh::RawBlock& block : mesh.entities) write_block(mesh_layout::entities, block);
    strings(mesh_layout::blocks, folders_);
    file_.sync();
    file_.close();
    file_.check_writes();
  }

 private:
  void make_group(const std::string& name) {
    const h5::Handle group(
        H5Gcreate2(file_.id(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    h5::check(group.id(), "write", file_.path());
  }

  void dataset(const std::string& name, hid_t type, const std::vector<hsize_t>& extent,
               const void* values) {
    const h5::Handle space(
        H5Screate_simple(static_cast<int>(extent.size()), extent.data(), nullptr));
    const h5::Handle set(H5Dcreate2(file_.id(), name.c_str(), type, space.id(), H5P_DEFAULT,
                                    H5P_DEFAULT, H5P_DEFAULT));
    h5::check(set.id(), "write", file_.path());
    if (extent[0] == 0) return;
    h5::check(H5Dwrite(set.id(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), "write",
              file_.path());
    file_.check_writes();
  }

  template <class T>
  void array(const std::string& name, std::span<const T> values, std::size_t width = 1) {
    std::vector<hsize_t> extent{values.size() / width};
    if (width > 1) extent.push_back(width);
    dataset(name, h5::type_of<T>(), extent, values.data());
  }

  template <class T>
  void hashed_array(const std::string& name, std::span<const T> values, std::size_t width = 1) {
    array<T>(name, values, width);
    array<std::uint64_t>(mesh_layout::hashes_of(name),
                         block_hashes(std::as_bytes(values), width * sizeof(T)));
  }

  void strings(const std::string& name, const std::vector<std::string>& texts) {
    std::size_t size = 1;
    for (const std::string& text : texts) size = std::max(size, text.size());
    std::string data(size * texts.size(), '\0');
    for (std::size_t i = 0; i < texts.size(); ++i) texts[i].copy(data.data() + i * size, size);
    dataset(name, h5::string_type(size).id(), {texts.size()}, data.data());
    array<std::uint64_t>(mesh_layout::hashes_of(name), mesh_layout::hashes_of(texts));
  }

  void write_groups(const mesh::RawMesh& mesh) {
    std::vector<std::string> names;
    std::vector<std::int32_t> keys, ends, members;
    for (const mesh::Group& group : mesh.groups) {
      names.push_back(group.name);
      keys.insert(keys.end(), {group.dim, group.tag});
    }
    for (const std::vector<int>& set : mesh.group_sets) {
      members.insert(members.end(), set.begin(), set.end());
      ends.push_back(narrow<std::int32_t>(members.size()));
    }
    make_group("/mesh/groups");
    strings("/mesh/groups/names", names);
    hashed_array<std::int32_t>("/mesh/groups/keys", keys, 2);
    hashed_array<std::int32_t>("/mesh/groups/set_ends", ends);
    hashed_array<std::int32_t>("/mesh/groups/set_members", members);
    strings("/mesh/warnings", mesh.warnings);
  }

  /// Returns its folder.
  std::string write_block(const char* kind, const mesh::RawBlock& block) {
    const std::string folder = kind + std::string(mesh::traits(block.type).name);
    folders_.push_back(folder);
    make_group(folder);
    hashed_array<GlobalIndex>(folder + "/nodes", block.nodes,
                              static_cast<std::size_t>(mesh::traits(block.type).n_nodes));
    hashed_array<std::int64_t>(folder + "/tags", block.tags);
    hashed_array<std::int32_t>(folder + "/group_sets", block.group_set);
    return folder;
  }

  h5::NewFile file_;
  std::vector<std::string> folders_;
};

/// Blocks of one type become one: the arrays of a type lie in one folder.
void require_one_block_per_type(const std::vector<mesh::RawBlock>& blocks) {
  std::set<mesh::CellType> types;
  for (const mesh::RawBlock& block : blocks)
    require(types.insert(block.type).second, ExitCode::bug,
            fmt::format("mesh file: two blocks of {}", mesh::traits(block.type).name));
}

}  // namespace

void write_mesh_hdf5(const std::string& path, const mesh::RawMesh& whole) {
  require_in_roots(path);
  require(whole.node_tags.size() == static_cast<std::size_t>(whole.n_nodes), ExitCode::bug,
          "mesh file: the mesh is not whole");
  require_one_block_per_type(whole.cells);
  require_one_block_per_type(whole.entities);
  const std::string temporary = fmt::format("{}.tmp.{}", path, getpid());
  try {
    MeshWriter(temporary).write(whole);
    if (rename(temporary.c_str(), path.c_str()) != 0)
      throw file_error("create", path, errno, ExitCode::cannot_create);
  } catch (...) {
    unlink(temporary.c_str());
    throw;
  }
  sync_folder(folder_of(path));
}

}  // namespace trestle::io

// Reading, gathering and comparing meshes for the tests of the Gmsh reader.
#include "tests/io/gmsh_support.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/error.hpp"
#include "mesh/reference_map.hpp"
#include "tests/support/devices.hpp"

namespace trestle::test {

std::string mesh_file(const std::string& name) { return "tests/io/meshes/" + name; }

TemporaryFile::TemporaryFile(const Comm& comm, const std::string& bytes) : comm_(comm) {
  if (comm_.is_root()) {
    static int number = 0;
    path_ = (std::filesystem::temp_directory_path() /
             ("gmsh_test_" + std::to_string(getpid()) + "_" + std::to_string(number++) + ".msh"))
                .string();
    std::ofstream(path_, std::ios::binary) << bytes;
  }
  path_ = comm_.broadcast(path_);
}

TemporaryFile::~TemporaryFile() {
  if (comm_.is_root()) std::remove(path_.c_str());
}

Comm alone() { return Comm(MPI_COMM_SELF); }

std::string bytes_of(const std::string& path) {
  std::ostringstream bytes;
  bytes << std::ifstream(path, std::ios::binary).rdbuf();
  return bytes.str();
}

std::string replaced(const std::string& text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << "the text lacks " << from;
  if (at == std::string::npos) return text;
  return text.substr(0, at) + to + text.substr(at + from.size());
}

std::vector<WholeCell> WholeMesh::members(const std::string& name, int group_dim) const {
  std::vector<WholeCell> found;
  for (const auto* list : {&cells, &entities})
    for (const WholeCell& cell : *list)
      if (mesh::traits(cell.type).dim == group_dim && cell.groups.contains(name))
        found.push_back(cell);
  return found;
}

double WholeMesh::measure(const std::vector<WholeCell>& elements) const {
  std::map<std::int64_t, std::size_t> position;
  for (std::size_t i = 0; i < node_tags.size(); ++i) position[node_tags[i]] = i;
  double sum = 0;
  for (const WholeCell& element : elements) {
    std::vector<mesh::Point> x;
    for (const std::int64_t node : element.nodes) {
      const std::size_t i = 3 * position.at(node);
      x.push_back({coordinates[i], coordinates[i + 1], coordinates[i + 2]});
    }
    if (mesh::traits(element.type).dim > 0) sum += mesh::measure(element.type, x.data());
  }
  return sum;
}

bool WholeMesh::warns(const std::string& text) const {
  return std::any_of(warnings.begin(), warnings.end(), [&](const std::string& warning) {
    return warning.find(text) != std::string::npos;
  });
}

std::map<std::string, int> WholeMesh::cells_by_type() const {
  std::map<std::string, int> counts;
  for (const WholeCell& cell : cells) ++counts[std::string(mesh::traits(cell.type).name)];
  return counts;
}

namespace {

/// All ranks' values of one array of one block, in the order of ranks.
template <class T>
std::vector<T> all(const Comm& comm, const std::vector<T>& values) {
  return comm.all_gather(std::span<const T>(values));
}

std::vector<WholeCell> gathered_cells(const Comm& comm, const mesh::RawMesh& slice,
                                      const mesh::RawBlock& block,
                                      const std::vector<std::int64_t>& node_tags) {
  const auto n = static_cast<std::size_t>(mesh::traits(block.type).n_nodes);
  EXPECT_EQ(block.nodes.size(), n * block.size());
  EXPECT_EQ(block.tags.size(), block.size());
  const auto nodes = all(comm, block.nodes);
  const auto tags = all(comm, block.tags);
  const auto sets = all(comm, block.group_set);
  std::vector<WholeCell> cells;
  for (std::size_t e = 0; e < tags.size(); ++e) {
    WholeCell cell{block.type, tags[e], {}, {}};
    for (std::size_t a = 0; a < n; ++a)
      cell.nodes.push_back(node_tags.at(static_cast<std::size_t>(nodes[e * n + a])));
    for (const int g : slice.group_sets.at(static_cast<std::size_t>(sets[e]))) {
      const mesh::Group& group = slice.groups.at(static_cast<std::size_t>(g));
      cell.groups.insert(group.called());
    }
    cells.push_back(cell);
  }
  return cells;
}

/// Each rank has its share of nodes, and the cells of its share of canonical ids.
void check_shares(const Comm& comm, const mesh::RawMesh& slice) {
  const Share nodes = share_of(slice.n_nodes, comm.rank(), comm.size());
  EXPECT_EQ(static_cast<GlobalIndex>(slice.node_tags.size()), nodes.count());
  EXPECT_EQ(slice.coordinates.size(), 3 * slice.node_tags.size());
  const Share cells = share_of(slice.n_cells, comm.rank(), comm.size());
  GlobalIndex count = 0;
  for (const mesh::RawBlock& block : slice.cells) {
    EXPECT_EQ(mesh::traits(block.type).dim, slice.dim);
    EXPECT_EQ(block.ids.size(), block.size());
    EXPECT_TRUE(std::is_sorted(block.ids.begin(), block.ids.end()));
    for (const GlobalIndex id : block.ids) EXPECT_TRUE(id >= cells.first && id < cells.last);
    count += static_cast<GlobalIndex>(block.size());
  }
  EXPECT_EQ(count, cells.count());
  ASSERT_FALSE(slice.group_sets.empty());
  EXPECT_TRUE(slice.group_sets[0].empty());
}

}  // namespace

WholeMesh gathered(const Comm& comm, const mesh::RawMesh& slice) {
  check_shares(comm, slice);
  WholeMesh whole;
  whole.dim = slice.dim;
  whole.node_tags = all(comm, slice.node_tags);
  whole.coordinates = all(comm, slice.coordinates);
  whole.groups = slice.groups;
  whole.warnings = slice.warnings;
  whole.cells.resize(static_cast<std::size_t>(slice.n_cells));
  std::vector<int> seen(whole.cells.size(), 0);
  for (const mesh::RawBlock& block : slice.cells) {
    const auto ids = all(comm, block.ids);
    const auto cells = gathered_cells(comm, slice, block, whole.node_tags);
    for (std::size_t e = 0; e < ids.size(); ++e) {
      whole.cells.at(static_cast<std::size_t>(ids[e])) = cells[e];
      ++seen.at(static_cast<std::size_t>(ids[e]));
    }
  }
  EXPECT_EQ(seen, std::vector<int>(seen.size(), 1));
  for (const mesh::RawBlock& block : slice.entities)
    for (const WholeCell& cell : gathered_cells(comm, slice, block, whole.node_tags))
      whole.entities.push_back(cell);
  return whole;
}

WholeMesh read_whole(const std::string& name, const io::MeshFileOptions& options) {
  return gathered(world(), io::read_gmsh(world(), mesh_file(name), options));
}

WholeMesh read_bytes(const Comm& comm, const std::string& bytes,
                     const io::MeshFileOptions& options) {
  const TemporaryFile file(comm, bytes);
  return gathered(comm, io::read_gmsh(comm, file.path(), options));
}

testing::AssertionResult Failure::says(const std::vector<std::string>& parts) const {
  for (const std::string& part : parts)
    if (message.find(part) == std::string::npos)
      return testing::AssertionFailure() << "no \"" << part << "\" in: " << message;
  return testing::AssertionSuccess();
}

Failure failure_of(const Comm& comm, const std::string& path, const io::MeshFileOptions& options) {
  try {
    io::read_gmsh(comm, path, options);
  } catch (const Error& e) {
    return {static_cast<int>(e.code()), e.what()};
  }
  return {};
}

Failure failure_of_bytes(const Comm& comm, const std::string& bytes,
                         const io::MeshFileOptions& options) {
  const TemporaryFile file(comm, bytes);
  return failure_of(comm, file.path(), options);
}

std::string ascii22(const std::vector<std::string>& nodes, const std::vector<std::string>& elements,
                    const std::vector<std::string>& names) {
  const auto section = [](const std::string& name, const std::vector<std::string>& lines) {
    std::string text = "$" + name + "\n" + std::to_string(lines.size()) + "\n";
    for (const std::string& line : lines) text += line + "\n";
    return text + "$End" + name + "\n";
  };
  return "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n" +
         (names.empty() ? "" : section("PhysicalNames", names)) + section("Nodes", nodes) +
         section("Elements", elements);
}

}  // namespace trestle::test

// What the tests of the Gmsh reader share: reading files and texts, whole meshes, expected errors.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "io/gmsh/gmsh.hpp"

namespace trestle::test {

/// The path of a mesh of tests/io/meshes, "mixed22.msh".
std::string mesh_file(const std::string& name);

/// A file in the temporary folder with given bytes, the same on all ranks; removed with the object.
/// Collective.
class TemporaryFile {
 public:
  TemporaryFile(const Comm& comm, const std::string& bytes);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  Comm comm_;
  std::string path_;
};

/// A communicator of this rank alone.
Comm alone();

std::string bytes_of(const std::string& path);

/// `text` with the first `from` replaced; fails the test when it is not there.
std::string replaced(const std::string& text, const std::string& from, const std::string& to);

/// A cell or entity with the tags of its nodes.
struct WholeCell {
  mesh::CellType type;
  std::int64_t tag;
  std::vector<std::int64_t> nodes;
  std::set<std::string> groups;
  bool operator==(const WholeCell&) const = default;
};

/// All slices together, on every rank.
struct WholeMesh {
  int dim = 0;
  std::vector<std::int64_t> node_tags;
  std::vector<double> coordinates;
  std::vector<WholeCell> cells;     // by canonical id
  std::vector<WholeCell> entities;  // by type and tag
  std::vector<mesh::Group> groups;
  std::vector<std::string> warnings;

  /// Cells or entities that belong to the group called `name` (its tag when nameless) of `dim`.
  std::vector<WholeCell> members(const std::string& name, int group_dim) const;
  /// Length, area or volume of the elements; 0 for points.
  double measure(const std::vector<WholeCell>& elements) const;
  /// Whether a warning has `text` in it.
  bool warns(const std::string& text) const;
  std::map<std::string, int> cells_by_type() const;
};

/// Gathers a mesh and checks what RawMesh promises of its slices. Collective.
WholeMesh gathered(const Comm& comm, const mesh::RawMesh& slice);

/// Reads a file of tests/io/meshes on all ranks.
WholeMesh read_whole(const std::string& name, const io::MeshFileOptions& options = {});
/// Reads `bytes` as a file, on the ranks of `comm`.
WholeMesh read_bytes(const Comm& comm, const std::string& bytes,
                     const io::MeshFileOptions& options = {});

/// The error that reading `path` gives on every rank: its exit code and message; code 0 when there
/// is none. Any exception but Error fails the test.
struct Failure {
  int code = 0;
  std::string message;
  /// Whether the message has all of `parts`.
  testing::AssertionResult says(const std::vector<std::string>& parts) const;
};
Failure failure_of(const Comm& comm, const std::string& path,
                   const io::MeshFileOptions& options = {});
Failure failure_of_bytes(const Comm& comm, const std::string& bytes,
                         const io::MeshFileOptions& options = {});

/// A 2.2 ASCII file of nodes and elements, a line each, with a count before them.
std::string ascii22(const std::vector<std::string>& nodes, const std::vector<std::string>& elements,
                    const std::vector<std::string>& names = {});

}  // namespace trestle::test

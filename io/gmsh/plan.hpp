// GmshPlan: where the nodes and elements of a binary .msh file of version 4.1 stand, found from the
// headers of its blocks.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/files.hpp"
#include "mesh/raw_mesh.hpp"

namespace trestle::io {

/// A mesh file that is read at any place. Throws MeshError where it cannot be opened or is no
/// regular file.
class GmshBytes {
 public:
  explicit GmshBytes(const std::string& path);
  std::int64_t size() const { return size_; }
  /// [begin, begin + n). Throws MeshError unless all of it can be read.
  void read(std::int64_t begin, std::size_t n, char* to) const;

 private:
  FileDescriptor file_;
  std::int64_t size_ = 0;
};

/// A run of nodes of one geometric entity, or of elements of one type.
struct GmshBlock {
  std::int64_t begin = 0;  // of its first record, in the file
  std::int64_t count = 0;
  int dim = 0;   // of the entity
  int kind = 0;  // nodes: 1 where parametric; elements: the CellType
  int set = 0;   // elements: their group set
  /// Numbers of 8 bytes that a node has beside its id.
  int n_coordinates() const { return 3 + (kind == 1 ? dim : 0); }
};

/// What the first line of $Nodes or $Elements says.
struct GmshTotals {
  std::int64_t n_blocks = 0, count = 0, lowest = 0, highest = 0;
};

struct GmshPlan {
  std::int64_t file_size = 0;
  bool swapped = false;  // numbers are in the other byte order
  GmshTotals nodes, elements;
  std::vector<GmshBlock> node_blocks, element_blocks;
  std::vector<mesh::Group> groups;
  std::vector<std::vector<int>> group_sets;
};

/// The plan of `path`; nothing where it is no binary file of version 4.1 in its usual form: with
/// the header first, whole, and with elements that this program has. Reads no more than headers,
/// names, entities and sections that are passed over. Throws MeshError for what contradicts itself.
std::optional<GmshPlan> read_gmsh_plan(const std::string& path);

}  // namespace trestle::io

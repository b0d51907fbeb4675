// GmshContent: nodes, elements and groups of a .msh file as the parsers of both versions gather
// them.
#pragma once

#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "io/gmsh/cursor.hpp"
#include "io/gmsh/types.hpp"
#include "io/mesh/content.hpp"
#include "io/mesh/id_table.hpp"

namespace trestle::io {

/// The named groups, by (dimension, tag), and the sets of groups that elements belong to.
class GroupTable {
 public:
  /// The set of the groups with these tags in `dim`; groups that are new get no name.
  int set_of(int dim, const std::vector<int>& tags);
  /// Throws std::invalid_argument with the reason when the name contradicts another.
  void name(int dim, int tag, const std::string& name);
  /// Names the groups with this tag in every dimension (version 2.0 gives no dimension).
  void name_all(int tag, const std::string& name);
  /// Moves groups and sets into `content`.
  void move_to(MeshContent& content);

 private:
  int index_of(int dim, int tag);

  std::vector<mesh::Group> groups_;
  std::map<std::pair<int, int>, int> index_;
  std::map<std::pair<int, std::string>, int> tag_of_name_;  // by dimension
  std::vector<std::vector<int>> sets_{{}};
  std::map<std::vector<int>, int> set_index_{{{}, 0}};
};

/// Elements of a type that this program does not have.
struct ForeignElements {
  std::int64_t count = 0;
  std::size_t position = 0;  // of the first, in the file
};

/// The partitions that a file speaks of, to tell one piece of a mesh from the whole of it.
class PartitionTally {
 public:
  /// An element or entity of `dim` lies in `partition`, 0 where it is in none.
  void add(int dim, std::int64_t partition);
  /// A ghost cell or a cut names `partition`.
  void mention(std::int64_t partition) { named_.insert(partition); }
  /// Throws MeshError at `position` where cells of a partition lie in other files; `announced` is
  /// the number of partitions that the file says, 0 where it says none.
  void refuse_piece(const GmshFile& file, std::size_t position, std::int64_t announced) const;
  /// Whether all cells are of partition 1: the whole mesh, or the first piece of one.
  bool is_only_the_first() const { return cells() == std::set<std::int64_t>{1}; }

 private:
  const std::set<std::int64_t>& cells() const;

  std::array<std::set<std::int64_t>, 4> of_dim_;
  std::set<std::int64_t> named_;
  std::pair<int, std::int64_t> last_{-1, 0};  // elements of one partition follow each other
};

/// The group set of every geometric entity, by (dimension, tag); empty when the file lists none.
using EntitySets = std::map<std::pair<int, int>, int>;

struct GmshContent : MeshContent {
  IdTable nodes;
  GroupTable groups;
  GlobalIndex n_elements = 0;
  std::map<std::int64_t, ForeignElements> foreign;  // by Gmsh's number of the type
};

/// Parsers of sections. All throw MeshError with the place. Names of version 2.0, which may lack
/// the dimension, are read after the elements.
void read_physical_names(const GmshFile& file, GmshContent& content);
void read_version_2(const GmshFile& file, GmshContent& content);
void read_version_4(const GmshFile& file, GmshContent& content);
/// Of version 4.1: $Entities and $PartitionedEntities.
EntitySets read_entity_sets(const GmshFile& file, GroupTable& groups);

/// Makes the table of the nodes; throws MeshError at `position` when a tag occurs twice.
void build_node_table(const GmshFile& file, std::size_t position, GmshContent& content);

/// Makes room for `more` elements without reserving too often.
void reserve_elements(mesh::RawBlock& block, int n_nodes, std::size_t more);

/// A physical tag as a group's tag: Gmsh gives reversed entities a negative one. 0 is none.
template <class Cursor>
int group_tag(const Cursor& cursor, std::int64_t physical) {
  if (physical < 0) physical = -physical;
  if (physical != static_cast<int>(physical))
    cursor.fail("physical tag " + std::to_string(physical) + " is not below 2^31");
  return static_cast<int>(physical);
}

/// An id from the file; throws MeshError unless it is positive.
template <class Cursor>
std::int64_t checked_id(const Cursor& cursor, std::int64_t id, const char* what) {
  if (id <= 0)
    cursor.fail("expected a positive " + std::string(what) + ", found " + std::to_string(id));
  return id;
}

/// Reads the three coordinates of one node.
template <class Cursor>
void read_coordinates(Cursor& cursor, std::vector<double>& coordinates) {
  for (const char* axis : {"coordinate x", "coordinate y", "coordinate z"})
    coordinates.push_back(cursor.real(axis));
}

/// Adds an element: its nodes are read from `cursor` by `next_node(cursor)`.
template <class Cursor, class Next>
void read_element(Cursor& cursor, GmshContent& content, const mesh::CellTraits& type,
                  std::int64_t tag, int group_set, Next next_node) {
  mesh::RawBlock& block = content.block(type);
  for (int a = 0; a < type.n_nodes; ++a) {
    const std::int64_t node = next_node(cursor);
    const Index position = content.nodes.find(node);
    if (position < 0)
      cursor.fail("it refers to node " + std::to_string(node) + ", which is not in $Nodes");
    block.nodes.push_back(position);
  }
  block.tags.push_back(tag);
  block.group_set.push_back(group_set);
  block.ids.push_back(content.n_elements++);
}

}  // namespace trestle::io

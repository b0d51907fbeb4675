// The sections $Entities, $PartitionedEntities, $Nodes and $Elements of .msh version 4.1, ASCII and
// binary.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "io/gmsh/content.hpp"

namespace trestle::io {
namespace {

/// Reads numbers wherever the lines end: records of entities may be broken.
template <class Cursor>
std::int64_t free_int(Cursor& cursor, const char* what) {
  cursor.begin_record();
  return cursor.int32(what);
}

template <class Cursor>
std::int64_t free_count(Cursor& cursor, std::size_t record_bytes, const char* what) {
  cursor.begin_record();
  return checked_count(cursor, cursor.int64(what), record_bytes, what);
}

template <class Cursor>
std::vector<std::int64_t> read_ints(Cursor& cursor, const char* what) {
  std::vector<std::int64_t> values(
      static_cast<std::size_t>(free_count(cursor, Cursor::int_bytes, what)));
  for (std::int64_t& value : values) value = free_int(cursor, what);
  return values;
}

/// One entity: tag, in partitioned files its parent and partitions, box or point, physical tags,
/// and the entities that bound it.
template <class Cursor>
void read_entity(Cursor& cursor, int dim, PartitionTally* partitions, GroupTable& groups,
                 EntitySets& sets) {
  cursor.set_context(nullptr, 0);
  const auto tag = static_cast<int>(free_int(cursor, "the tag of an entity"));
  cursor.set_context("entity", tag);
  std::int64_t parent_dim = dim;
  if (partitions != nullptr) {
    parent_dim = free_int(cursor, "the dimension of the parent");
    free_int(cursor, "the tag of the parent");
    for (const std::int64_t partition : read_ints(cursor, "partitions")) {
      partitions->mention(partition);
      if (parent_dim == dim) partitions->add(dim, partition);
    }
  }
  for (int i = 0; i < (dim == 0 ? 3 : 6); ++i) {
    cursor.begin_record();
    cursor.real("the bounding box");
  }
  std::vector<int> tags;
  const std::int64_t n = free_count(cursor, Cursor::int_bytes, "physical tags");
  for (std::int64_t i = 0; i < n; ++i)
    tags.push_back(group_tag(cursor, free_int(cursor, "a physical tag")));
  if (dim > 0) read_ints(cursor, "bounding entities");
  // A cut between partitions carries the tags of the body that it cuts.
  if (parent_dim != dim) tags.clear();
  const int set = groups.set_of(dim, tags);
  const auto [known, is_new] = sets.insert({{dim, tag}, set});
  if (!is_new && known->second != set)
    cursor.fail(
        fmt::format("listed twice in dimension {}, with different physical tags: leave one", dim));
}

template <class Cursor>
void read_entities(const GmshFile& file, bool partitioned, GroupTable& groups, EntitySets& sets) {
  const GmshSection* section = file.section(partitioned ? "PartitionedEntities" : "Entities");
  if (section == nullptr) return;
  Cursor cursor(file, *section);
  PartitionTally partitions;
  std::int64_t n_partitions = 0;
  if (partitioned) {
    cursor.begin_record();
    n_partitions = cursor.int64("the number of partitions");
    const std::int64_t n_ghosts = free_count(cursor, 2 * Cursor::int_bytes, "ghost entities");
    for (std::int64_t i = 0; i < 2 * n_ghosts; ++i) free_int(cursor, "a ghost entity");
  }
  constexpr std::array what{"points", "curves", "surfaces", "volumes"};
  std::array<std::int64_t, 4> counts{};
  constexpr std::size_t shortest = Cursor::int_bytes + 3 * Cursor::real_bytes + Cursor::long_bytes;
  for (std::size_t dim = 0; dim < 4; ++dim) counts[dim] = free_count(cursor, shortest, what[dim]);
  EntitySets listed;
  for (std::size_t dim = 0; dim < 4; ++dim)
    for (std::int64_t i = 0; i < counts[dim]; ++i)
      read_entity(cursor, static_cast<int>(dim), partitioned ? &partitions : nullptr, groups,
                  listed);
  for (const auto& [entity, set] : listed) sets[entity] = set;
  cursor.finish();
  partitions.refuse_piece(file, section->begin, n_partitions);
}

template <class Cursor>
EntitySets read_sets(const GmshFile& file, GroupTable& groups) {
  EntitySets sets;
  read_entities<Cursor>(file, false, groups, sets);
  read_entities<Cursor>(file, true, groups, sets);
  return sets;
}

/// First line of $Nodes and $Elements.
struct Totals {
  std::int64_t n_blocks, count, lowest, highest;
};

template <class Cursor>
Totals read_totals(Cursor& cursor, std::size_t record_bytes, const char* what) {
  cursor.begin_record();
  Totals totals{};
  constexpr std::size_t header = 3 * Cursor::int_bytes + Cursor::long_bytes;
  totals.n_blocks = cursor.int64("the number of blocks");
  totals.count = cursor.int64("the number of nodes or elements");
  totals.lowest = cursor.int64("the lowest tag");
  totals.highest = cursor.int64("the highest tag");
  checked_count(cursor, totals.n_blocks, header, "blocks");
  checked_count(cursor, totals.count, record_bytes, what);
  cursor.end_record();
  return totals;
}

struct BlockHeader {
  int dim;
  int entity;
  std::int64_t kind;  // nodes: parametric; elements: type
  std::int64_t count;
};

template <class Cursor>
BlockHeader read_block_header(Cursor& cursor, const char* kind) {
  cursor.set_context(nullptr, 0);
  cursor.begin_record();
  BlockHeader header{};
  const std::int64_t dim = cursor.int32("the dimension of a block's entity");
  if (dim < 0 || dim > 3)
    cursor.fail(fmt::format("expected the dimension of a block's entity, 0 to 3, found {}", dim));
  header.dim = static_cast<int>(dim);
  header.entity = static_cast<int>(cursor.int32("the tag of a block's entity"));
  header.kind = cursor.int32(kind);
  header.count = cursor.int64("the number of nodes or elements in a block");
  cursor.end_record();
  return header;
}

/// Counts what was read against the first line of the section.
class Tally {
 public:
  void add(std::int64_t tag) {
    ++count_;
    lowest_ = std::min(lowest_, tag);
    highest_ = std::max(highest_, tag);
  }
  void add_untagged(std::int64_t count) {
    count_ += count;
    complete_ = false;
  }
  void check(const GmshFile& file, std::size_t position, const Totals& totals,
             const char* what) const {
    if (count_ != totals.count)
      file.fail(position, fmt::format("the section says that it has {} {}, its {} blocks have {}",
                                      totals.count, what, totals.n_blocks, count_));
    if (complete_ && count_ > 0 && (lowest_ != totals.lowest || highest_ != totals.highest))
      file.fail(position,
                fmt::format("the section says that the tags of its {} run from {} to {}, they run "
                            "from {} to {}",
                            what, totals.lowest, totals.highest, lowest_, highest_));
  }

 private:
  std::int64_t count_ = 0;
  std::int64_t lowest_ = std::numeric_limits<std::int64_t>::max();
  std::int64_t highest_ = 0;
  bool complete_ = true;
};

template <class Cursor>
void read_node_block(Cursor& cursor, const BlockHeader& header, Tally& tally,
                     GmshContent& content) {
  if (header.kind != 0 && header.kind != 1)
    cursor.fail(fmt::format("expected 0 or 1 (parametric), found {}", header.kind));
  checked_count(cursor, header.count, Cursor::long_bytes + 3 * Cursor::real_bytes,
                "nodes in this block");
  const std::size_t first = content.node_tags.size();
  for (std::int64_t i = 0; i < header.count; ++i) {
    cursor.begin_record();
    content.node_tags.push_back(checked_id(cursor, cursor.int64("a node id"), "node id"));
    tally.add(content.node_tags.back());
  }
  cursor.end_record();
  for (std::int64_t i = 0; i < header.count; ++i) {
    cursor.set_context("node", content.node_tags[first + static_cast<std::size_t>(i)]);
    cursor.begin_record();
    read_coordinates(cursor, content.coordinates);
    for (int p = 0; p < (header.kind == 1 ? header.dim : 0); ++p)
      cursor.real("a parametric coordinate");
    cursor.end_record();
  }
}

template <class Cursor>
void read_nodes(const GmshFile& file, GmshContent& content) {
  const GmshSection& section = file.required_section("Nodes");
  Cursor cursor(file, section);
  const Totals totals = read_totals(cursor, Cursor::long_bytes + 3 * Cursor::real_bytes, "nodes");
  content.node_tags.reserve(static_cast<std::size_t>(totals.count));
  content.coordinates.reserve(3 * static_cast<std::size_t>(totals.count));
  Tally tally;
  for (std::int64_t b = 0; b < totals.n_blocks; ++b)
    read_node_block(cursor, read_block_header(cursor, "0 or 1 (parametric)"), tally, content);
  cursor.finish();
  tally.check(file, section.begin, totals, "nodes");
  build_node_table(file, section.begin, content);
}

template <class Cursor>
void skip_foreign_block(Cursor& cursor, const BlockHeader& header, std::size_t position,
                        GmshContent& content) {
  const ForeignType* type = foreign_type(header.kind);
  ForeignElements& foreign = content.foreign[header.kind];
  if (foreign.count == 0) foreign.position = position;
  foreign.count += header.count;
  if (!cursor.skip_records(header.count, type == nullptr ? 0 : type->n_nodes))
    cursor.fail(fmt::format("{} elements have the type {}, whose number of nodes is not known",
                            header.count, describe_type(header.kind)));
}

template <class Cursor>
void read_element_block(Cursor& cursor, const BlockHeader& header, const EntitySets& sets,
                        Tally& tally, GmshContent& content) {
  const std::size_t position = cursor.position();
  const mesh::CellTraits* type = supported_type(header.kind);
  const std::size_t n_nodes = type == nullptr ? 1 : static_cast<std::size_t>(type->n_nodes);
  checked_count(cursor, header.count, (1 + n_nodes) * Cursor::long_bytes, "elements in this block");
  if (type == nullptr) {
    tally.add_untagged(header.count);
    return skip_foreign_block(cursor, header, position, content);
  }
  if (type->dim != header.dim)
    cursor.fail(fmt::format("elements of type {} have dimension {}, their entity {} has {}",
                            type->name, type->dim, header.entity, header.dim));
  const auto found = sets.find({header.dim, header.entity});
  if (found == sets.end() && !sets.empty())
    cursor.fail(fmt::format("the block's entity {} of dimension {} is not in $Entities",
                            header.entity, header.dim));
  const int set = found == sets.end() ? 0 : found->second;
  reserve_elements(content.block(*type), type->n_nodes, static_cast<std::size_t>(header.count));
  for (std::int64_t i = 0; i < header.count; ++i) {
    cursor.set_context(nullptr, 0);
    cursor.begin_record();
    const std::int64_t tag = checked_id(cursor, cursor.int64("an element id"), "element id");
    cursor.set_context("element", tag);
    tally.add(tag);
    read_element(cursor, content, *type, tag, set,
                 [](Cursor& c) { return c.int64("a node id of the element"); });
    cursor.end_record();
  }
}

template <class Cursor>
void read_elements(const GmshFile& file, const EntitySets& sets, GmshContent& content) {
  const GmshSection& section = file.required_section("Elements");
  Cursor cursor(file, section);
  const Totals totals = read_totals(cursor, 2 * Cursor::long_bytes, "elements");
  Tally tally;
  for (std::int64_t b = 0; b < totals.n_blocks; ++b)
    read_element_block(cursor, read_block_header(cursor, "an element type"), sets, tally, content);
  cursor.finish();
  tally.check(file, section.begin, totals, "elements");
}

template <class Cursor>
void read_all(const GmshFile& file, GmshContent& content) {
  const EntitySets sets = read_sets<Cursor>(file, content.groups);
  read_nodes<Cursor>(file, content);
  read_elements<Cursor>(file, sets, content);
}

}  // namespace

EntitySets read_entity_sets(const GmshFile& file, GroupTable& groups) {
  return file.binary() ? read_sets<BinaryCursor>(file, groups)
                       : read_sets<AsciiCursor>(file, groups);
}

void read_version_4(const GmshFile& file, GmshContent& content) {
  if (file.binary())
    read_all<BinaryCursor>(file, content);
  else
    read_all<AsciiCursor>(file, content);
}

}  // namespace trestle::io

// The sections $Nodes and $Elements of .msh versions 2, 2.1 and 2.2, ASCII and binary.
#include <fmt/format.h>

#include <algorithm>

#include "io/gmsh/content.hpp"

namespace trestle::io {
namespace {

/// The count in the first line of a section, which is text in binary files too.
std::int64_t leading_count(const GmshFile& file, const GmshSection& section, const char* what) {
  AsciiCursor cursor(file, section);
  cursor.begin_record();
  return cursor.int64(what);
}

/// An id, which text may hold up to 2^63 - 1 and binary files have 4 bytes for.
std::int64_t id(AsciiCursor& cursor, const char* what) { return cursor.int64(what); }
std::int64_t id(BinaryCursor& cursor, const char* what) {
  const std::int64_t value = cursor.int32(what);
  if (value < 0)
    cursor.fail(
        fmt::format("expected {}, found {}: binary files of version 2 hold ids below 2^31, "
                    "save larger ones as version 4.1",
                    what, value));
  return value;
}

/// Moves `cursor` behind the line of the count.
void go_behind_count(const GmshFile&, const GmshSection&, AsciiCursor& cursor) {
  cursor.begin_record();
  cursor.int64("a count");
  cursor.end_record();
}

void go_behind_count(const GmshFile& file, const GmshSection& section, BinaryCursor& cursor) {
  const std::size_t end = std::min(file.bytes().find('\n', section.begin), section.end - 1);
  cursor.go_to(end + 1);
}

template <class Cursor>
void read_nodes(const GmshFile& file, GmshContent& content) {
  const GmshSection& section = file.required_section("Nodes");
  const std::int64_t said = leading_count(file, section, "the number of nodes");
  Cursor cursor(file, section);
  go_behind_count(file, section, cursor);
  const std::int64_t count =
      checked_count(cursor, said, Cursor::int_bytes + 3 * Cursor::real_bytes, "nodes");
  content.node_tags.reserve(static_cast<std::size_t>(count));
  content.coordinates.reserve(3 * static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    cursor.set_context("node number", i + 1);
    cursor.begin_record();
    const std::int64_t tag = checked_id(cursor, id(cursor, "a node id"), "node id");
    cursor.set_context("node", tag);
    content.node_tags.push_back(tag);
    read_coordinates(cursor, content.coordinates);
    cursor.end_record();
  }
  cursor.finish();
  build_node_table(file, section.begin, content);
}

/// Reads `n_tags` tags of an element: the physical one, that of its entity, which is not used, the
/// number of its partitions and, since version 2.2, these, negative ones where it is a ghost.
template <class Cursor>
int physical_of(Cursor& cursor, std::int64_t n_tags, int dim, PartitionTally& partitions) {
  int physical = 0;
  std::int64_t n_partitions = 0, own = 0;
  for (std::int64_t t = 0; t < n_tags; ++t) {
    const std::int64_t tag = cursor.int32("a tag");
    if (t == 0) physical = group_tag(cursor, tag);
    if (t == 2) n_partitions = tag;
    if (t < 3 || n_partitions != n_tags - 3) continue;
    if (t == 3) own = tag;
    if (tag < 0) partitions.mention(-tag);
  }
  partitions.add(dim, own);
  return physical;
}

/// Makes room for all elements that may be of this type, once: what is not used takes no memory.
template <class Cursor>
void make_room(const Cursor& cursor, mesh::RawBlock& block, int n_nodes, std::int64_t wanted,
               std::int64_t elements_left) {
  if (block.size() + static_cast<std::size_t>(wanted) <= block.group_set.capacity()) return;
  const std::size_t shortest = (1 + static_cast<std::size_t>(n_nodes)) * Cursor::int_bytes;
  const std::size_t most = cursor.bytes_left() / shortest + 1;
  reserve_elements(block, n_nodes, std::min(static_cast<std::size_t>(elements_left), most));
}

/// The group set of a physical tag; elements of one group follow each other, so the last one is
/// kept.
class LastSet {
 public:
  int of(GroupTable& groups, int dim, int physical) {
    if (dim != dim_ || physical != physical_) set_ = groups.set_of(dim, {physical});
    dim_ = dim;
    physical_ = physical;
    return set_;
  }

 private:
  int dim_ = -1, physical_ = 0, set_ = 0;
};

void note_foreign(GmshContent& content, std::int64_t type, std::int64_t count,
                  std::size_t position) {
  ForeignElements& foreign = content.foreign[type];
  if (foreign.count == 0) foreign.position = position;
  foreign.count += count;
}

std::int64_t checked_tag_count(const AsciiCursor& cursor, std::int64_t n_tags) {
  if (n_tags < 0) cursor.fail(fmt::format("expected the number of tags, found {}", n_tags));
  return checked_count(cursor, n_tags, AsciiCursor::int_bytes, "tags");
}

void check_partitions(const GmshFile& file, const GmshSection& section,
                      const PartitionTally& partitions, GmshContent& content) {
  if (file.version() != 22) return;  // older ones have other tags
  partitions.refuse_piece(file, section.begin, 0);
  if (partitions.is_only_the_first())
    content.warnings.emplace_back(
        "All cells are of partition 1: where the file is the first piece of a mesh that was saved "
        "in several (gmsh -part_split), save the whole mesh in one.");
}

void read_elements(const GmshFile& file, const GmshSection& section, AsciiCursor& cursor,
                   std::int64_t said, GmshContent& content) {
  go_behind_count(file, section, cursor);
  constexpr std::size_t shortest = 8;  // 1 15 0 1
  const std::int64_t count = checked_count(cursor, said, shortest, "elements");
  LastSet last;
  PartitionTally partitions;
  for (std::int64_t i = 0; i < count; ++i) {
    cursor.set_context("element number", i + 1);
    cursor.begin_record();
    const std::int64_t tag = checked_id(cursor, id(cursor, "an element id"), "element id");
    cursor.set_context("element", tag);
    const std::int64_t type_number = cursor.int32("an element type");
    const mesh::CellTraits* type = supported_type(type_number);
    if (type == nullptr) {
      note_foreign(content, type_number, 1, cursor.position());
      cursor.skip_records(1, 0);
      continue;
    }
    const std::int64_t n_tags = checked_tag_count(cursor, cursor.int32("the number of tags"));
    const int set =
        last.of(content.groups, type->dim, physical_of(cursor, n_tags, type->dim, partitions));
    make_room(cursor, content.block(*type), type->n_nodes, 1, count - i);
    read_element(cursor, content, *type, tag, set,
                 [](AsciiCursor& c) { return id(c, "a node id of the element"); });
    cursor.end_record();
  }
  cursor.finish();
  check_partitions(file, section, partitions, content);
}

/// The header of a run of elements of one type in a binary file.
struct Run {
  std::int64_t type_number;
  std::int64_t count;
  std::int64_t n_tags;
  int n_nodes;
};

Run read_run(BinaryCursor& cursor, std::int64_t elements_left) {
  Run run{};
  const std::size_t position = cursor.position();
  run.type_number = cursor.int32("an element type");
  run.count = cursor.int32("the number of elements that follow");
  run.n_tags = cursor.int32("the number of tags");
  const mesh::CellTraits* type = supported_type(run.type_number);
  const ForeignType* foreign = foreign_type(run.type_number);
  run.n_nodes = type != nullptr ? type->n_nodes : foreign != nullptr ? foreign->n_nodes : 0;
  if (run.n_nodes == 0) {
    cursor.go_to(position);
    cursor.fail(fmt::format("{} elements have the type {}, whose number of nodes is not known",
                            run.count, describe_type(run.type_number)));
  }
  checked_count(cursor, run.n_tags, BinaryCursor::int_bytes, "tags of an element");
  const std::size_t ints = 1 + static_cast<std::size_t>(run.n_tags + run.n_nodes);
  checked_count(cursor, run.count, ints * BinaryCursor::int_bytes, "elements that follow");
  if (run.count == 0 || run.count > elements_left)
    cursor.fail(
        fmt::format("expected a run of 1 to {} elements, found {}", elements_left, run.count));
  return run;
}

void read_run_elements(BinaryCursor& cursor, const Run& run, std::int64_t elements_left,
                       LastSet& last, PartitionTally& partitions, GmshContent& content) {
  const mesh::CellTraits* type = supported_type(run.type_number);
  if (type == nullptr) {
    note_foreign(content, run.type_number, run.count, cursor.position());
    const auto ints = static_cast<std::size_t>((1 + run.n_tags + run.n_nodes) * run.count);
    cursor.go_to(cursor.position() + ints * BinaryCursor::int_bytes);
    return;
  }
  make_room(cursor, content.block(*type), type->n_nodes, run.count, elements_left);
  for (std::int64_t i = 0; i < run.count; ++i) {
    const std::int64_t tag = checked_id(cursor, id(cursor, "an element id"), "element id");
    cursor.set_context("element", tag);
    const int set =
        last.of(content.groups, type->dim, physical_of(cursor, run.n_tags, type->dim, partitions));
    read_element(cursor, content, *type, tag, set,
                 [](BinaryCursor& c) { return id(c, "a node id of the element"); });
  }
  cursor.set_context(nullptr, 0);
}

void read_elements(const GmshFile& file, const GmshSection& section, BinaryCursor& cursor,
                   std::int64_t said, GmshContent& content) {
  go_behind_count(file, section, cursor);
  constexpr std::size_t shortest = 2 * BinaryCursor::int_bytes;  // id and node of a point
  const std::int64_t count = checked_count(cursor, said, shortest, "elements");
  LastSet last;
  PartitionTally partitions;
  for (std::int64_t done = 0; done < count;) {
    const Run run = read_run(cursor, count - done);
    read_run_elements(cursor, run, count - done, last, partitions, content);
    done += run.count;
  }
  cursor.finish();
  check_partitions(file, section, partitions, content);
}

template <class Cursor>
void read_all(const GmshFile& file, GmshContent& content) {
  read_nodes<Cursor>(file, content);
  const GmshSection& section = file.required_section("Elements");
  const std::int64_t said = leading_count(file, section, "the number of elements");
  Cursor cursor(file, section);
  read_elements(file, section, cursor, said, content);
}

}  // namespace

void read_version_2(const GmshFile& file, GmshContent& content) {
  if (file.binary())
    read_all<BinaryCursor>(file, content);
  else
    read_all<AsciiCursor>(file, content);
}

}  // namespace trestle::io

// Tables of nodes and groups of a .msh file, and its names.
#include "io/gmsh/content.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace trestle::io {
void build_node_table(const GmshFile& file, std::size_t position, GmshContent& content) {
  if (content.node_tags.size() >= static_cast<std::size_t>(std::numeric_limits<Index>::max()))
    file.fail(position, "more than 2^31 nodes are not supported");
  if (const std::int64_t twice = content.nodes.build(content.node_tags); twice > 0)
    file.fail(position, fmt::format("node {} occurs twice in $Nodes", twice));
}

int GroupTable::index_of(int dim, int tag) {
  const auto [place, is_new] = index_.try_emplace({dim, tag}, static_cast<int>(groups_.size()));
  if (is_new) groups_.push_back({"", dim, tag});
  return place->second;
}

int GroupTable::set_of(int dim, const std::vector<int>& tags) {
  std::vector<int> members;
  for (const int tag : tags)
    if (tag != 0) members.push_back(index_of(dim, tag));
  std::sort(members.begin(), members.end());
  members.erase(std::unique(members.begin(), members.end()), members.end());
  const auto [place, is_new] = set_index_.try_emplace(members, static_cast<int>(sets_.size()));
  if (is_new) sets_.push_back(members);
  return place->second;
}

void GroupTable::name(int dim, int tag, const std::string& name) {
  std::string& own = groups_[static_cast<std::size_t>(index_of(dim, tag))].name;
  if (!own.empty() && own != name)
    throw std::invalid_argument(fmt::format("group {} of dimension {} has two names, {} and {}",
                                            tag, dim, quoted(own), quoted(name)));
  own = name;
  if (name.empty()) return;
  const int other = tag_of_name_.try_emplace({dim, name}, tag).first->second;
  if (other != tag)
    throw std::invalid_argument(
        fmt::format("groups {} and {} of dimension {} have the same name {}: rename one", other,
                    tag, dim, quoted(name)));
}

void GroupTable::name_all(int tag, const std::string& text) {
  for (int dim = 0; dim <= 3; ++dim)
    if (index_.contains({dim, tag})) name(dim, tag, text);
}

void GroupTable::move_to(MeshContent& content) {
  content.group_list = std::move(groups_);
  content.group_sets = std::move(sets_);
}

void PartitionTally::add(int dim, std::int64_t partition) {
  if (last_ == std::pair{dim, partition}) return;
  last_ = {dim, partition};
  of_dim_[static_cast<std::size_t>(dim)].insert(partition);
  if (partition != 0) mention(partition);
}

const std::set<std::int64_t>& PartitionTally::cells() const {
  for (std::size_t dim = 3; dim > 0; --dim)
    if (!of_dim_[dim].empty()) return of_dim_[dim];
  return of_dim_[0];
}

void PartitionTally::refuse_piece(const GmshFile& file, std::size_t position,
                                  std::int64_t announced) const {
  const std::set<std::int64_t>& here = cells();
  if (here.empty() || here.contains(0)) return;
  const std::int64_t n = std::max(announced, *named_.rbegin());
  const auto is_missing = [&](std::int64_t partition) { return !here.contains(partition); };
  // Partitions may be empty, but not all of them except one.
  const auto missing = std::find_if(named_.begin(), named_.end(), is_missing);
  if (missing == named_.end() && (here.size() > 1 || n == 1)) return;
  const std::int64_t other = missing != named_.end() ? *missing : *here.begin() == 1 ? 2 : 1;
  file.fail(position,
            fmt::format("the file is one piece of a mesh in {} partitions: it has the cells of "
                        "partition {}{}, not those of partition {}; save the whole mesh in one "
                        "file (gmsh without -part and -part_split, "
                        "Mesh.PartitionSplitMeshFiles = 0): it is partitioned when it is read",
                        n, *here.begin(), here.size() > 1 ? " and others" : "", other));
}

void reserve_elements(mesh::RawBlock& block, int n_nodes, std::size_t more) {
  const std::size_t wanted = block.size() + more;
  if (wanted <= block.group_set.capacity()) return;
  const std::size_t room = std::max(wanted, block.group_set.capacity() * 3 / 2);
  block.nodes.reserve(room * static_cast<std::size_t>(n_nodes));
  block.tags.reserve(room);
  block.ids.reserve(room);
  block.group_set.reserve(room);
}

void read_physical_names(const GmshFile& file, GmshContent& content) {
  const GmshSection* section = file.section("PhysicalNames");
  if (section == nullptr) return;
  AsciiCursor cursor(file, *section);
  cursor.begin_record();
  constexpr std::size_t shortest = 7;  // 0 1 "" and the end of the line
  const std::int64_t count =
      checked_count(cursor, cursor.int64("the number of names"), shortest, "physical names");
  cursor.end_record();
  for (std::int64_t i = 0; i < count; ++i) {
    cursor.begin_record();
    std::int64_t dim = cursor.int32("the dimension of the group");
    std::int64_t tag = dim;
    const bool without_dimension = file.version() == 20 && cursor.at_quote();
    if (!without_dimension) tag = cursor.int32("the tag of the group");
    if (!without_dimension && (dim < 0 || dim > 3))
      cursor.fail(fmt::format("expected a dimension from 0 to 3 of a group, found {}", dim));
    if (tag <= 0) cursor.fail(fmt::format("expected a positive tag of a group, found {}", tag));
    const std::string name(cursor.text("the name of the group"));
    if (!is_plain_utf8(name))
      cursor.fail(
          fmt::format("the name {} of group {} is not UTF-8 text without control "
                      "characters: rename the group or save the file as UTF-8",
                      quoted(name), tag));
    try {
      if (without_dimension)
        content.groups.name_all(static_cast<int>(tag), name);
      else
        content.groups.name(static_cast<int>(dim), static_cast<int>(tag), name);
    } catch (const std::invalid_argument& e) {
      cursor.fail(e.what());
    }
    cursor.end_record();
  }
  cursor.finish();
}

}  // namespace trestle::io

// Reads the nodes and elements of a deck.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.hpp"
#include "io/inp/content.hpp"
#include "io/mesh/bytes.hpp"

namespace trestle::io {
namespace {

void read_node(const InpLines& lines, InpContent& content) {
  InpFields fields(lines.text());
  std::string_view field;
  fields.next(field);
  const std::int64_t id = id_of(lines, field, "a node id");
  std::array<double, 3> x{};
  std::size_t n = 0;
  while (fields.next(field)) {
    if (n == 3)
      lines.fail(
          fmt::format("node {}: expected at most 3 coordinates, found more; numbers have '.' "
                      "before their decimals",
                      id));
    const auto value = real_of(field.empty() ? "0" : field);
    if (!value)
      lines.fail(
          fmt::format("node {}: expected coordinate {} (a finite number, '.' before its "
                      "decimals), found {}",
                      id, "xyz"[n], lines.shown(field)));
    x[n++] = *value;
  }
  if (n == 0) lines.fail(fmt::format("node {}: it has no coordinates", id));
  content.node_tags.push_back(id);
  content.coordinates.insert(content.coordinates.end(), x.begin(), x.end());
}

std::pair<Index, Index> read_nodes(const InpDeck& deck, const InpBlock& block,
                                   InpContent& content) {
  if (const std::string* system = block.find("SYSTEM"); system != nullptr && *system != "R")
    deck.files().fail(block.place, "coordinates that are not rectangular (SYSTEM) are not read");
  const auto first = static_cast<Index>(content.node_tags.size());
  for (InpLines lines = deck.lines(block); lines.next();) {
    read_node(lines, content);
    if (content.node_tags.size() >= static_cast<std::size_t>(std::numeric_limits<Index>::max()))
      lines.fail("more than 2^31 nodes are not supported");
  }
  return {first, static_cast<Index>(content.node_tags.size())};
}

/// The type of the elements of a block; throws MeshError with what to do where it is not read.
InpType type_of(const InpDeck& deck, const InpBlock& block) {
  const std::string name = upper_case(deck.required(block, "TYPE"));
  const InpType type = inp_type(name);
  if (type.cell == nullptr)
    deck.files().fail(block.place, fmt::format("elements of type {} are not read: {}", quoted(name),
                                               inp_refusal(name)));
  return type;
}

/// A line of three nodes has its mid node last in Gmsh's decks and second in CalculiX's: it is the
/// one that lies nearest to the middle of the others.
void put_mid_node_last(const InpContent& content, GlobalIndex* nodes) {
  const auto distance = [&](int mid) {
    double sum = 0;
    for (std::size_t d = 0; d < 3; ++d) {
      const auto x = [&](int a) {
        return content.coordinates[3 * static_cast<std::size_t>(nodes[a % 3]) + d];
      };
      sum += std::pow(x(mid) - (x(mid + 1) + x(mid + 2)) / 2, 2);
    }
    return sum;
  };
  int mid = 2;
  for (const int other : {0, 1})
    if (distance(other) < distance(mid)) mid = other;
  std::swap(nodes[mid], nodes[2]);
}

/// Gathers the fields of elements, over line ends.
class ElementReader {
 public:
  ElementReader(const mesh::CellTraits& cell, InpContent& content)
      : cell_(cell), content_(content), order_(inp_node_order(cell.type)) {}

  void read_line(const InpLines& lines) {
    InpFields fields(lines.text());
    std::string_view field;
    bool ended = false;  // an element ended in this line
    while (fields.next(field)) {
      if (ended) fail_with_more(lines);
      if (n_ < 0) {
        id_ = id_of(lines, field, "an element id");
        place_ = lines.place();
        n_ = 0;
      } else {
        add_node(lines, field);
        ended = n_ < 0;
      }
    }
  }
  void finish(const InpFiles& files) const {
    if (n_ >= 0)
      files.fail(place_, fmt::format("element {}: expected {} nodes of a {}, found {}", id_,
                                     cell_.n_nodes, cell_.name, n_));
  }

 private:
  [[noreturn]] void fail_with_more(const InpLines& lines) const {
    const InpPlace here = lines.place();
    const bool broken = here.file != place_.file || here.line != place_.line;
    const std::string hint =
        broken ? fmt::format(" in line {} that goes on with it: is one missing here?", here.line)
               : "";
    lines.files().fail(place_, fmt::format("element {}: expected {} nodes of a {}, found more{}",
                                           id_, cell_.n_nodes, cell_.name, hint));
  }
  void add_node(const InpLines& lines, std::string_view field) {
    const std::int64_t id = id_of(lines, field, "a node id of the element");
    const Index position = content_.nodes.find(id);
    if (position < 0)
      lines.fail(fmt::format("element {}: it refers to node {}, which no *NODE defines", id_, id));
    nodes_[order_[static_cast<std::size_t>(n_)]] = position;
    if (++n_ == cell_.n_nodes) add_element();
  }
  void add_element() {
    if (cell_.type == mesh::CellType::line3) put_mid_node_last(content_, nodes_.data());
    mesh::RawBlock& block = content_.block(cell_);
    content_.element_places.push_back(static_cast<Index>(block.size()));
    block.nodes.insert(block.nodes.end(), nodes_.begin(), nodes_.begin() + cell_.n_nodes);
    block.ids.push_back(static_cast<GlobalIndex>(content_.element_tags.size()));
    block.tags.push_back(id_);
    block.group_set.push_back(0);
    content_.element_tags.push_back(id_);
    content_.element_types.push_back(cell_.type);
    n_ = -1;
  }

  const mesh::CellTraits& cell_;
  InpContent& content_;
  const std::array<std::uint8_t, mesh::max_nodes_per_cell>& order_;
  std::int64_t id_ = 0;
  InpPlace place_;
  int n_ = -1;  // nodes of the element that are read; -1: an id comes next
  std::array<GlobalIndex, mesh::max_nodes_per_cell> nodes_{};
};

std::pair<Index, Index> read_elements(const InpDeck& deck, const InpBlock& block,
                                      InpContent& content) {
  const InpType type = type_of(deck, block);
  const auto first = static_cast<Index>(content.element_tags.size());
  ElementReader reader(*type.cell, content);
  for (InpLines lines = deck.lines(block); lines.next();) {
    reader.read_line(lines);
    if (content.element_tags.size() >= static_cast<std::size_t>(std::numeric_limits<Index>::max()))
      lines.fail("more than 2^31 elements are not supported");
  }
  reader.finish(deck.files());
  if (type.cell->dim == 2) content.plane_types.insert(upper_case(*block.find("TYPE")));
  if (!type.formulation.empty())
    content.formulations.try_emplace(
        upper_case(*block.find("TYPE")),
        fmt::format("{} as plain {}", type.formulation, type.cell->name));
  return {first, static_cast<Index>(content.element_tags.size())};
}

/// The line in which number `number` of the nodes or elements of a block begins, each of `n_fields`
/// numbers; nodes have a line each (n_fields 0).
InpPlace place_of(const InpDeck& deck, const InpBlock& block, Index number, int n_fields) {
  int left = 0;  // of the record that goes on
  for (InpLines lines = deck.lines(block); lines.next();) {
    InpFields fields(lines.text());
    if (left == 0 && number-- == 0) return lines.place();
    if (n_fields == 0) continue;
    for (std::string_view field; fields.next(field);) left = (left == 0 ? n_fields : left) - 1;
  }
  return block.place;
}

/// Throws MeshError at the line that defines `id` the second time.
[[noreturn]] void fail_twice(const InpDeck& deck, InpKeyword kind, const InpContent& content,
                             std::int64_t id) {
  const bool is_node = kind == InpKeyword::node;
  const std::vector<std::int64_t>& ids = is_node ? content.node_tags : content.element_tags;
  const auto place_of_position = [&](Index position) {
    for (std::size_t b = 0; b < deck.blocks().size(); ++b) {
      const InpBlock& block = deck.blocks()[b];
      const auto [from, to] = content.ranges[b];
      if (block.keyword != kind || position < from || position >= to) continue;
      return place_of(deck, block, position - from,
                      is_node ? 0 : 1 + content.cell_of(position).n_nodes);
    }
    throw Error(ExitCode::bug, "an id that occurs twice belongs to no block");
  };
  const auto first = std::find(ids.begin(), ids.end(), id);
  const auto second = std::find(first + 1, ids.end(), id);
  const InpPlace earlier = place_of_position(static_cast<Index>(first - ids.begin()));
  deck.files().fail(place_of_position(static_cast<Index>(second - ids.begin())),
                    fmt::format("{} {} is defined a second time, first at {}",
                                is_node ? "node" : "element", id, deck.files().text_of(earlier)));
}

}  // namespace

GlobalIndex InpContent::node_of(Index element, int a) const {
  const auto e = static_cast<std::size_t>(element);
  const auto width = static_cast<std::size_t>(cell_of(element).n_nodes);
  const mesh::RawBlock& block = blocks[static_cast<std::size_t>(element_types[e])];
  return block
      .nodes[static_cast<std::size_t>(element_places[e]) * width + static_cast<std::size_t>(a)];
}

void read_inp_elements(const InpDeck& deck, InpContent& content) {
  const std::vector<InpBlock>& blocks = deck.blocks();
  content.ranges.resize(blocks.size());
  for (std::size_t b = 0; b < blocks.size(); ++b)
    if (blocks[b].keyword == InpKeyword::node)
      content.ranges[b] = read_nodes(deck, blocks[b], content);
  if (content.node_tags.empty())
    throw MeshError(deck.files().path(0) + ": the deck has no *NODE with nodes");
  if (const std::int64_t twice = content.nodes.build(content.node_tags); twice > 0)
    fail_twice(deck, InpKeyword::node, content, twice);
  for (std::size_t b = 0; b < blocks.size(); ++b)
    if (blocks[b].keyword == InpKeyword::element)
      content.ranges[b] = read_elements(deck, blocks[b], content);
  if (content.element_tags.empty())
    throw MeshError(deck.files().path(0) + ": the deck has no *ELEMENT with elements");
  if (const std::int64_t twice = content.elements.build(content.element_tags); twice > 0)
    fail_twice(deck, InpKeyword::element, content, twice);
  for (const mesh::CellType type : content.element_types)
    content.dim = std::max(content.dim, mesh::traits(type).dim);
}

}  // namespace trestle::io

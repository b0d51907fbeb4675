#include "io/inp/types.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace trestle::io {
namespace {

using mesh::CellType;

struct Shape {
  std::string_view name;
  CellType type;
};

constexpr std::array<Shape, 40> shapes{{
    {"C3D4", CellType::tet4},      {"C3D5", CellType::pyramid5}, {"C3D6", CellType::prism6},
    {"C3D8", CellType::hex8},      {"C3D10", CellType::tet10},   {"C3D15", CellType::prism15},
    {"C3D20", CellType::hex20},    {"DC3D4", CellType::tet4},    {"DC3D5", CellType::pyramid5},
    {"DC3D6", CellType::prism6},   {"DC3D8", CellType::hex8},    {"DC3D10", CellType::tet10},
    {"DC3D15", CellType::prism15}, {"DC3D20", CellType::hex20},  {"CPS3", CellType::tri3},
    {"CPS4", CellType::quad4},     {"CPS6", CellType::tri6},     {"CPS8", CellType::quad8},
    {"CPE3", CellType::tri3},      {"CPE4", CellType::quad4},    {"CPE6", CellType::tri6},
    {"CPE8", CellType::quad8},     {"CAX3", CellType::tri3},     {"CAX4", CellType::quad4},
    {"CAX6", CellType::tri6},      {"CAX8", CellType::quad8},    {"DC2D3", CellType::tri3},
    {"DC2D4", CellType::quad4},    {"DC2D6", CellType::tri6},    {"DC2D8", CellType::quad8},
    {"DCAX3", CellType::tri3},     {"DCAX4", CellType::quad4},   {"DCAX6", CellType::tri6},
    {"DCAX8", CellType::quad8},    {"T2D2", CellType::line2},    {"T2D3", CellType::line3},
    {"T3D2", CellType::line2},     {"T3D3", CellType::line3},    {"DC1D2", CellType::line2},
    {"DC1D3", CellType::line3},
}};

/// What the letters behind the number of nodes say.
struct Suffix {
  char letter;
  std::string_view meaning;
};
constexpr std::array<Suffix, 6> suffixes{{{'R', "reduced integration"},
                                          {'I', "incompatible modes"},
                                          {'H', "hybrid"},
                                          {'M', "modified"},
                                          {'S', "improved surface stress"},
                                          {'T', "coupled temperature"}}};

using Corners = std::vector<int>;

/// The shapes of the decks, nodes from 1: the ends of each mid node, then the corners of each face.
struct DeckShape {
  std::vector<std::array<int, 2>> mids;
  std::vector<Corners> faces;
};

const DeckShape& deck_shape(CellType linear) {
  static const DeckShape line{{{1, 2}}, {}};
  static const DeckShape tri{{{1, 2}, {2, 3}, {3, 1}}, {{1, 2}, {2, 3}, {3, 1}}};
  static const DeckShape quad{{{1, 2}, {2, 3}, {3, 4}, {4, 1}}, {{1, 2}, {2, 3}, {3, 4}, {4, 1}}};
  static const DeckShape tet{{{1, 2}, {2, 3}, {3, 1}, {1, 4}, {2, 4}, {3, 4}},
                             {{1, 2, 3}, {1, 4, 2}, {2, 4, 3}, {3, 4, 1}}};
  static const DeckShape prism{
      {{1, 2}, {2, 3}, {3, 1}, {4, 5}, {5, 6}, {6, 4}, {1, 4}, {2, 5}, {3, 6}},
      {{1, 2, 3}, {4, 5, 6}, {1, 2, 5, 4}, {2, 3, 6, 5}, {3, 1, 4, 6}}};
  static const DeckShape hex{
      {{1, 2},
       {2, 3},
       {3, 4},
       {4, 1},
       {5, 6},
       {6, 7},
       {7, 8},
       {8, 5},
       {1, 5},
       {2, 6},
       {3, 7},
       {4, 8}},
      {{1, 2, 3, 4}, {5, 8, 7, 6}, {1, 5, 6, 2}, {2, 6, 7, 3}, {3, 7, 8, 4}, {4, 8, 5, 1}}};
  static const DeckShape pyramid{{}, {{1, 2, 3, 4}, {1, 5, 2}, {2, 5, 3}, {3, 5, 4}, {4, 5, 1}}};
  switch (linear) {
    case CellType::line2:
      return line;
    case CellType::tri3:
      return tri;
    case CellType::quad4:
      return quad;
    case CellType::tet4:
      return tet;
    case CellType::prism6:
      return prism;
    case CellType::hex8:
      return hex;
    default:
      return pyramid;
  }
}

std::array<std::uint8_t, mesh::max_nodes_per_cell> order_of(const mesh::CellTraits& cell) {
  std::array<std::uint8_t, mesh::max_nodes_per_cell> order{};
  for (std::uint8_t a = 0; a < cell.n_nodes; ++a) order[a] = a;
  const std::vector<std::array<int, 2>>& mids = deck_shape(cell.linear).mids;
  for (std::size_t m = 0; cell.order == 2 && m < mids.size(); ++m)
    for (const mesh::SubCell& edge : cell.edges) {
      const int a = edge.nodes[0] + 1, b = edge.nodes[1] + 1;
      if (mids[m] == std::array{a, b} || mids[m] == std::array{b, a})
        order[static_cast<std::size_t>(cell.n_vertices) + m] = edge.nodes[2];
    }
  return order;
}

}  // namespace

InpType inp_type(std::string_view name) {
  InpType found;
  const std::size_t digits = name.find_last_of("0123456789");
  if (digits == std::string_view::npos) return found;
  for (const Shape& shape : shapes)
    if (shape.name == name.substr(0, digits + 1)) found.cell = &mesh::traits(shape.type);
  for (const char letter : name.substr(digits + 1)) {
    const auto suffix = std::find_if(suffixes.begin(), suffixes.end(),
                                     [&](const Suffix& s) { return s.letter == letter; });
    if (suffix == suffixes.end()) return {};
    found.formulation +=
        fmt::format("{}{}", found.formulation.empty() ? "" : ", ", suffix->meaning);
  }
  return found;
}

std::string_view inp_refusal(std::string_view name) {
  using Reason = std::pair<std::string_view, std::string_view>;
  constexpr std::string_view shell =
      "shells and membranes are not offered: mesh the body with solid elements, or, where it only "
      "marks a surface, write *SURFACE with S1 ... S6";
  constexpr std::string_view complete =
      "write second-order elements without nodes in faces and centre, in Gmsh by "
      "Mesh.SecondOrderIncomplete = 1";
  constexpr std::string_view beam = "beams are not offered: mesh the body with solid elements";
  constexpr std::string_view discrete =
      "springs, masses, gaps, connectors and rigid elements are not offered: take them out of the "
      "deck and put conditions of the case in their place";
  static constexpr std::array<Reason, 20> reasons{{{"STRI", shell},
                                                   {"SPRING", discrete},
                                                   {"SC", shell},
                                                   {"SAX", shell},
                                                   {"S", shell},
                                                   {"MASS", discrete},
                                                   {"M3D9", complete},
                                                   {"CPS9", complete},
                                                   {"C3D14", complete},
                                                   {"C3D18", complete},
                                                   {"M", shell},
                                                   {"DS", shell},
                                                   {"DASHPOT", discrete},
                                                   {"DCOUP", discrete},
                                                   {"B", beam},
                                                   {"GAP", discrete},
                                                   {"CONN", discrete},
                                                   {"R", discrete},
                                                   {"C3D27", complete},
                                                   {"CPE",
                                                    "plane elements are those of 3, 4, 6 "
                                                    "and 8 nodes"}}};
  for (const auto& [start, reason] : reasons)
    if (name.starts_with(start)) return reason;
  return "read are C3D4, C3D5, C3D6, C3D8, C3D10, C3D15, C3D20, CPS, CPE, CAX, DC2D and DCAX with "
         "3, 4, 6 and 8 nodes, DC3D as C3D, with the letters R, I, H, M, S and T behind them";
}

const std::array<std::uint8_t, mesh::max_nodes_per_cell>& inp_node_order(CellType type) {
  static const auto orders = [] {
    std::array<std::array<std::uint8_t, mesh::max_nodes_per_cell>, mesh::n_cell_types> all{};
    for (std::size_t t = 0; t < all.size(); ++t)
      all[t] = order_of(mesh::traits(static_cast<CellType>(t)));
    return all;
  }();
  return orders[static_cast<std::size_t>(type)];
}

int inp_facet(CellType type, std::string_view label) {
  const mesh::CellTraits& cell = mesh::traits(type);
  const std::vector<Corners>& faces = deck_shape(cell.linear).faces;
  if (label.size() != 2 || (label[0] != 'S' && label[0] != 's')) return -1;
  const int number = label[1] - '0';
  if (number < 1 || number > static_cast<int>(faces.size())) return -1;
  Corners wanted = faces[static_cast<std::size_t>(number) - 1];
  std::sort(wanted.begin(), wanted.end());
  for (std::size_t f = 0; f < cell.facets.size(); ++f) {
    Corners corners;
    for (int a = 0; a < mesh::traits(cell.facets[f].type).n_vertices; ++a)
      corners.push_back(cell.facets[f].nodes[static_cast<std::size_t>(a)] + 1);
    std::sort(corners.begin(), corners.end());
    if (corners == wanted) return static_cast<int>(f);
  }
  return -1;
}

}  // namespace trestle::io

// The tables of the cell types, made at compile time from vertices, edges and faces in Gmsh's
// order.
#include "mesh/cell_type.hpp"

namespace trestle::mesh {
namespace {

using Point = std::array<double, 3>;
using Pair = std::array<int, 2>;
using Face = std::array<int, 4>;  // -1 in the last place: a triangle

/// Geometry of the linear cell: edge e carries node n_vertices + e of the quadratic types, and the
/// quadrilateral faces carry the next nodes of the full types, in the order they have here [Gmsh
/// reference manual, "Node ordering"; Gmsh sources MHexahedron.h, MPrism.h, MPyramid.h,
/// MTetrahedron.h].
struct Shape {
  int dim = 0;
  int n_vertices = 0;
  int n_edges = 0;
  int n_faces = 0;
  std::array<Point, 8> vertices{};
  std::array<Pair, 12> edges{};
  std::array<Face, 6> faces{};  // normals point outward
};

constexpr Shape point_shape{0, 1, 0, 0, {{{0, 0, 0}}}, {}, {}};
constexpr Shape line_shape{1, 2, 1, 0, {{{-1, 0, 0}, {1, 0, 0}}}, {{{0, 1}}}, {}};
constexpr Shape tri_shape{
    2, 3, 3, 0, {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}}, {{{0, 1}, {1, 2}, {2, 0}}}, {}};
constexpr Shape quad_shape{2,
                           4,
                           4,
                           0,
                           {{{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}}},
                           {{{0, 1}, {1, 2}, {2, 3}, {3, 0}}},
                           {}};
constexpr Shape tet_shape{3,
                          4,
                          6,
                          4,
                          {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
                          {{{0, 1}, {1, 2}, {2, 0}, {3, 0}, {3, 2}, {3, 1}}},
                          {{{0, 2, 1, -1}, {0, 1, 3, -1}, {0, 3, 2, -1}, {3, 1, 2, -1}}}};
constexpr Shape hex_shape{
    3,
    8,
    12,
    6,
    {{{-1, -1, -1},
      {1, -1, -1},
      {1, 1, -1},
      {-1, 1, -1},
      {-1, -1, 1},
      {1, -1, 1},
      {1, 1, 1},
      {-1, 1, 1}}},
    {{{0, 1},
      {0, 3},
      {0, 4},
      {1, 2},
      {1, 5},
      {2, 3},
      {2, 6},
      {3, 7},
      {4, 5},
      {4, 7},
      {5, 6},
      {6, 7}}},
    {{{0, 3, 2, 1}, {0, 1, 5, 4}, {0, 4, 7, 3}, {1, 2, 6, 5}, {2, 3, 7, 6}, {4, 5, 6, 7}}}};
constexpr Shape prism_shape{
    3,
    6,
    9,
    5,
    {{{0, 0, -1}, {1, 0, -1}, {0, 1, -1}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}}},
    {{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 4}, {2, 5}, {3, 4}, {3, 5}, {4, 5}}},
    {{{0, 2, 1, -1}, {3, 4, 5, -1}, {0, 1, 4, 3}, {0, 3, 5, 2}, {1, 2, 5, 4}}}};
constexpr Shape pyramid_shape{
    3,
    5,
    8,
    5,
    {{{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}, {0, 0, 1}}},
    {{{0, 1}, {0, 3}, {0, 4}, {1, 2}, {1, 4}, {2, 3}, {2, 4}, {3, 4}}},
    {{{0, 1, 4, -1}, {3, 0, 4, -1}, {1, 2, 4, -1}, {2, 3, 4, -1}, {0, 3, 2, 1}}}};

/// Which nodes a type has beside the vertices.
enum class Family { linear, edges, full };

struct Table {
  int n_nodes = 0;
  int n_facets = 0;
  std::array<SubCell, 6> facets{};
  std::array<SubCell, 12> edges{};
  std::array<Point, max_nodes_per_cell> nodes{};
};

constexpr int face_size(const Face& face) { return face[3] < 0 ? 3 : 4; }

template <class Vertices>
constexpr Point mean(const Shape& shape, const Vertices& vertices, int n) {
  Point sum{};
  for (int i = 0; i < n; ++i)
    for (std::size_t d = 0; d < 3; ++d)
      sum[d] += shape.vertices[static_cast<std::size_t>(vertices[static_cast<std::size_t>(i)])][d];
  for (double& x : sum) x /= n;
  return sum;
}

constexpr SubCell edge_of(const Shape& shape, Family family, int e) {
  const Pair& ends = shape.edges[static_cast<std::size_t>(e)];
  SubCell edge{family == Family::linear ? CellType::line2 : CellType::line3, {}};
  edge.nodes[0] = static_cast<std::uint8_t>(ends[0]);
  edge.nodes[1] = static_cast<std::uint8_t>(ends[1]);
  if (family != Family::linear) edge.nodes[2] = static_cast<std::uint8_t>(shape.n_vertices + e);
  return edge;
}

/// The edge of the shape between vertices a and b, in either direction.
constexpr int edge_between(const Shape& shape, int a, int b) {
  for (int e = 0; e < shape.n_edges; ++e) {
    const Pair& ends = shape.edges[static_cast<std::size_t>(e)];
    if ((ends[0] == a && ends[1] == b) || (ends[0] == b && ends[1] == a)) return e;
  }
  throw "a face names an edge that the shape does not have";  // fails the compilation
}

constexpr CellType face_type(int n, Family family) {
  if (n == 3) return family == Family::linear ? CellType::tri3 : CellType::tri6;
  if (family == Family::linear) return CellType::quad4;
  return family == Family::edges ? CellType::quad8 : CellType::quad9;
}

/// `centre` is the node in the middle of the face, used by full quadrilaterals only.
constexpr SubCell face_of(const Shape& shape, Family family, int f, int centre) {
  const Face& face = shape.faces[static_cast<std::size_t>(f)];
  const int n = face_size(face);
  SubCell facet{face_type(n, family), {}};
  for (int i = 0; i < n; ++i) {
    const int a = face[static_cast<std::size_t>(i)];
    const int b = face[static_cast<std::size_t>((i + 1) % n)];
    facet.nodes[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(a);
    if (family != Family::linear)
      facet.nodes[static_cast<std::size_t>(n + i)] =
          static_cast<std::uint8_t>(shape.n_vertices + edge_between(shape, a, b));
  }
  if (family == Family::full && n == 4) facet.nodes[8] = static_cast<std::uint8_t>(centre);
  return facet;
}

constexpr void add_node(Table& table, const Point& point) {
  table.nodes[static_cast<std::size_t>(table.n_nodes++)] = point;
}

constexpr void add_facets(Table& table, const Shape& shape, Family family) {
  if (shape.dim == 1)
    for (std::uint8_t v = 0; v < 2; ++v) table.facets[v] = {CellType::point1, {v}};
  if (shape.dim == 2)
    for (int e = 0; e < shape.n_edges; ++e)
      table.facets[static_cast<std::size_t>(e)] = edge_of(shape, family, e);
  table.n_facets = shape.dim == 1 ? 2 : shape.dim == 2 ? shape.n_edges : shape.n_faces;
  for (int f = 0; f < shape.n_faces; ++f) {
    const Face& face = shape.faces[static_cast<std::size_t>(f)];
    table.facets[static_cast<std::size_t>(f)] = face_of(shape, family, f, table.n_nodes);
    if (family == Family::full && face_size(face) == 4) add_node(table, mean(shape, face, 4));
  }
}

/// Whether the full type has a node in the middle: quad9 and hex27 do.
constexpr bool has_centre(const Shape& shape) {
  return (shape.dim == 2 && shape.n_vertices == 4) || (shape.dim == 3 && shape.n_vertices == 8);
}

constexpr Table make_table(const Shape& shape, Family family) {
  Table table;
  for (int v = 0; v < shape.n_vertices; ++v)
    add_node(table, shape.vertices[static_cast<std::size_t>(v)]);
  for (int e = 0; e < shape.n_edges; ++e) {
    table.edges[static_cast<std::size_t>(e)] = edge_of(shape, family, e);
    if (family != Family::linear)
      add_node(table, mean(shape, shape.edges[static_cast<std::size_t>(e)], 2));
  }
  add_facets(table, shape, family);
  if (family == Family::full && has_centre(shape)) add_node(table, Point{0, 0, 0});
  return table;
}

/// The table of one type, with static storage for the spans of its traits.
template <const Shape& shape, Family family>
struct Tables {
  static constexpr Table table = make_table(shape, family);
};

template <const Shape& shape, Family family>
constexpr CellTraits make_traits(CellType type, std::string_view name, CellType linear,
                                 CellType full, int gmsh_type) {
  const Table& table = Tables<shape, family>::table;
  return {type,
          name,
          shape.dim,
          family == Family::linear ? 1 : 2,
          table.n_nodes,
          shape.n_vertices,
          linear,
          full,
          {table.facets.data(), static_cast<std::size_t>(table.n_facets)},
          {table.edges.data(), static_cast<std::size_t>(shape.n_edges)},
          gmsh_type,
          {table.nodes.data(), static_cast<std::size_t>(table.n_nodes)}};
}

using enum CellType;
using enum Family;

constexpr std::array<CellTraits, n_cell_types> all_traits{
    make_traits<point_shape, linear>(point1, "point1", point1, point1, 15),
    make_traits<line_shape, linear>(line2, "line2", line2, line3, 1),
    make_traits<line_shape, edges>(line3, "line3", line2, line3, 8),
    make_traits<tri_shape, linear>(tri3, "tri3", tri3, tri6, 2),
    make_traits<tri_shape, full>(tri6, "tri6", tri3, tri6, 9),
    make_traits<quad_shape, linear>(quad4, "quad4", quad4, quad9, 3),
    make_traits<quad_shape, edges>(quad8, "quad8", quad4, quad9, 16),
    make_traits<quad_shape, full>(quad9, "quad9", quad4, quad9, 10),
    make_traits<tet_shape, linear>(tet4, "tet4", tet4, tet10, 4),
    make_traits<tet_shape, full>(tet10, "tet10", tet4, tet10, 11),
    make_traits<hex_shape, linear>(hex8, "hex8", hex8, hex27, 5),
    make_traits<hex_shape, edges>(hex20, "hex20", hex8, hex27, 17),
    make_traits<hex_shape, full>(hex27, "hex27", hex8, hex27, 12),
    make_traits<prism_shape, linear>(prism6, "prism6", prism6, prism18, 6),
    make_traits<prism_shape, edges>(prism15, "prism15", prism6, prism18, 18),
    make_traits<prism_shape, full>(prism18, "prism18", prism6, prism18, 13),
    make_traits<pyramid_shape, linear>(pyramid5, "pyramid5", pyramid5, pyramid14, 7),
    make_traits<pyramid_shape, edges>(pyramid13, "pyramid13", pyramid5, pyramid14, 19),
    make_traits<pyramid_shape, full>(pyramid14, "pyramid14", pyramid5, pyramid14, 14),
};

/// Whether every entry stands at the place of its type, with the node count its name ends in.
constexpr bool in_order() {
  for (std::size_t i = 0; i < all_traits.size(); ++i) {
    const CellTraits& entry = all_traits[i];
    int count = 0;
    for (char letter : entry.name)
      if (letter >= '0' && letter <= '9') count = 10 * count + (letter - '0');
    if (static_cast<std::size_t>(entry.type) != i || count != entry.n_nodes) return false;
  }
  return true;
}
static_assert(in_order());

}  // namespace

const CellTraits& traits(CellType type) { return all_traits[static_cast<std::size_t>(type)]; }

NodeParents node_parents(CellType type, int node) {
  const CellTraits& cell = traits(type);
  if (node < cell.n_vertices) return {{static_cast<std::uint8_t>(node)}, 1};
  for (const SubCell& edge : cell.edges)
    if (edge.nodes[2] == node) return {{edge.nodes[0], edge.nodes[1]}, 2};
  for (const SubCell& facet : cell.facets)
    if (facet.type == quad9 && facet.nodes[8] == node)
      return {{facet.nodes[0], facet.nodes[1], facet.nodes[2], facet.nodes[3]}, 4};
  return {{0, 1, 2, 3, 4, 5, 6, 7}, cell.n_vertices};
}

bool cell_type_named(std::string_view name, CellType& type) {
  for (const CellTraits& entry : all_traits) {
    if (entry.name != name) continue;
    type = entry.type;
    return true;
  }
  return false;
}

}  // namespace trestle::mesh

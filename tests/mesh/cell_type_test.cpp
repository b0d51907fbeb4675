// Tests of the tables of cell types: node order, orientation of facets, closed surfaces.
#include "mesh/cell_type.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace trestle::mesh {
namespace {

using Point = std::array<double, 3>;

constexpr double round_off = 1e-14;  // sums of at most nine numbers of size 1

Point operator+(const Point& a, const Point& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
Point operator-(const Point& a, const Point& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
Point operator*(double s, const Point& a) { return {s * a[0], s * a[1], s * a[2]}; }
double dot(const Point& a, const Point& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Point cross(const Point& a, const Point& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

CellType type_at(int i) { return static_cast<CellType>(i); }

std::size_t at(int i) { return static_cast<std::size_t>(i); }

Point node(const CellTraits& cell, int i) { return cell.nodes[at(i)]; }

Point mean(const CellTraits& cell, const std::uint8_t* nodes, int n) {
  Point sum{};
  for (int i = 0; i < n; ++i) sum = sum + node(cell, nodes[i]);
  return (1.0 / n) * sum;
}

/// Length or area of a straight facet times its normal by the right-hand rule.
Point area_vector(const CellTraits& cell, const SubCell& facet) {
  const auto& v = facet.nodes;
  const Point a = node(cell, v[0]), b = node(cell, v[1]);
  if (cell.dim == 2) return {(b - a)[1], -(b - a)[0], 0};
  const Point c = node(cell, v[2]);
  Point sum = 0.5 * cross(b - a, c - a);
  if (traits(facet.type).n_vertices == 4) sum = sum + 0.5 * cross(c - a, node(cell, v[3]) - a);
  return sum;
}

class EachCellType : public testing::TestWithParam<int> {
 protected:
  const CellTraits& cell() const { return traits(type_at(GetParam())); }
};
INSTANTIATE_TEST_SUITE_P(Types, EachCellType, testing::Range(0, n_cell_types),
                         [](const auto& info) {
                           return std::string(traits(type_at(info.param)).name);
                         });

TEST_P(EachCellType, IsFoundByItsName) {
  CellType found = CellType::point1;
  ASSERT_TRUE(cell_type_named(cell().name, found));
  EXPECT_EQ(found, cell().type);
}

TEST_P(EachCellType, SharesShapeWithItsLinearAndFullTypes) {
  const CellTraits &linear = traits(cell().linear), &full = traits(cell().full);
  EXPECT_EQ(linear.dim, cell().dim);
  EXPECT_EQ(linear.n_nodes, cell().n_vertices);
  EXPECT_EQ(linear.order, 1);
  EXPECT_EQ(full.linear, linear.type);
  if (cell().dim > 0) {
    EXPECT_EQ(full.order, 2);
  }
  for (int i = 0; i < cell().n_nodes; ++i) EXPECT_EQ(node(cell(), i), node(full, i));
  EXPECT_EQ(cell().facets.size(), linear.facets.size());
  EXPECT_EQ(cell().edges.size(), linear.edges.size());
}

TEST_P(EachCellType, HasDistinctNodes) {
  const std::set<Point> distinct(cell().nodes.begin(), cell().nodes.end());
  EXPECT_EQ(distinct.size(), at(cell().n_nodes));
}

TEST_P(EachCellType, HasMidNodesInTheMiddleOfItsEdges) {
  std::set<std::set<int>> ends;
  for (const SubCell& edge : cell().edges) {
    ASSERT_EQ(edge.type, cell().order == 1 ? CellType::line2 : CellType::line3);
    ends.insert({edge.nodes[0], edge.nodes[1]});
    if (cell().order == 2) {
      EXPECT_EQ(node(cell(), edge.nodes[2]), mean(cell(), edge.nodes.data(), 2));
    }
  }
  EXPECT_EQ(ends.size(), cell().edges.size());
}

TEST_P(EachCellType, HasFacetsWhoseNodesStandInTheOrderOfTheFacetsType) {
  for (const SubCell& sub : cell().facets) {
    const CellTraits& facet = traits(sub.type);
    ASSERT_EQ(facet.dim, cell().dim - 1);
    if (facet.dim > 0) {
      EXPECT_EQ(facet.order, cell().order);
    }
    for (const SubCell& edge : facet.edges) {
      if (facet.order == 1) continue;
      const std::uint8_t ends[] = {sub.nodes[edge.nodes[0]], sub.nodes[edge.nodes[1]]};
      EXPECT_EQ(node(cell(), sub.nodes[edge.nodes[2]]), mean(cell(), ends, 2));
    }
    if (sub.type == CellType::quad9) {
      EXPECT_EQ(node(cell(), sub.nodes[8]), mean(cell(), sub.nodes.data(), 4));
    }
  }
}

TEST_P(EachCellType, HasOutwardFacets) {
  if (cell().dim < 2) return;  // the facets of a line are points: no normal
  std::vector<std::uint8_t> vertices(at(cell().n_vertices));
  for (std::size_t i = 0; i < vertices.size(); ++i) vertices[i] = static_cast<std::uint8_t>(i);
  const Point centre = mean(cell(), vertices.data(), cell().n_vertices);
  for (const SubCell& facet : cell().facets) {
    const Point middle = mean(cell(), facet.nodes.data(), traits(facet.type).n_vertices);
    EXPECT_GT(dot(area_vector(cell(), facet), middle - centre), 0.1);
  }
}

TEST_P(EachCellType, IsClosedAndEnclosesItsReferenceMeasure) {
  if (cell().dim < 2) return;
  const std::map<CellType, double> measures{
      {CellType::tri3, 0.5}, {CellType::quad4, 4},  {CellType::tet4, 1.0 / 6},
      {CellType::hex8, 8},   {CellType::prism6, 1}, {CellType::pyramid5, 4.0 / 3}};
  Point sum{};
  double measure = 0;  // divergence theorem for x / dim; a plane facet has x . n constant
  for (const SubCell& facet : cell().facets) {
    const Point area = area_vector(cell(), facet);
    sum = sum + area;
    measure += dot(area, node(cell(), facet.nodes[0])) / cell().dim;
  }
  EXPECT_LE(std::sqrt(dot(sum, sum)), round_off);
  EXPECT_NEAR(measure, measures.at(cell().linear), round_off);
}

TEST_P(EachCellType, HasEachEdgeInTwoFacets) {
  if (cell().dim != 3) return;
  std::map<std::set<int>, int> count;
  for (const SubCell& facet : cell().facets)
    for (const SubCell& edge : traits(facet.type).edges)
      ++count[{facet.nodes[edge.nodes[0]], facet.nodes[edge.nodes[1]]}];
  EXPECT_EQ(count.size(), cell().edges.size());
  for (const SubCell& edge : cell().edges)
    EXPECT_EQ((count[{edge.nodes[0], edge.nodes[1]}]), 2) << "edge " << int(edge.nodes[0]);
}

TEST_P(EachCellType, HasEachNodeInTheMiddleOfItsParents) {
  std::map<int, int> count;
  for (int i = 0; i < cell().n_nodes; ++i) {
    const NodeParents parents = node_parents(cell().type, i);
    ++count[parents.n];
    EXPECT_EQ(node(cell(), i), mean(cell(), parents.vertices.data(), parents.n)) << "node " << i;
  }
  EXPECT_EQ(count[1], cell().n_vertices);
  EXPECT_EQ(count[2], cell().order == 2 ? static_cast<int>(cell().edges.size()) : 0);
}

TEST(CellTypeTest, UnknownNamesAreNotFound) {
  CellType type = CellType::hex8;
  EXPECT_FALSE(cell_type_named("hex9", type));
  EXPECT_FALSE(cell_type_named("", type));
  EXPECT_EQ(type, CellType::hex8);
}

TEST(CellTypeTest, GmshNumbersAreThoseOfTheManual) {
  // Gmsh reference manual, "MSH file format": the types 1 to 19 in order of their number.
  const std::vector<std::string_view> names{"line2",  "tri3",     "quad4",   "tet4",      "hex8",
                                            "prism6", "pyramid5", "line3",   "tri6",      "quad9",
                                            "tet10",  "hex27",    "prism18", "pyramid14", "point1",
                                            "quad8",  "hex20",    "prism15", "pyramid13"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    CellType type{};
    ASSERT_TRUE(cell_type_named(names[i], type));
    EXPECT_EQ(traits(type).gmsh_type, static_cast<int>(i) + 1) << names[i];
  }
}

/// Straight cells that Gmsh 4.8.4 wrote at second order, one of each type.
struct GmshCell {
  CellType type;
  std::vector<Point> nodes;
};
std::vector<GmshCell> cells_from_gmsh() {
  return {
      {CellType::tri6,
       {{1, 0, 0},
        {1.5, 0, 0},
        {1.35625, 0.3520833, 0},
        {1.25, 0, 0},
        {1.428125, 0.1760417, 0},
        {1.178125, 0.1760417, 0}}},
      {CellType::quad9,
       {{0, 0, 0},
        {0.5, 0, 0},
        {0.5, 0.5, 0},
        {0, 0.5, 0},
        {0.25, 0, 0},
        {0.5, 0.25, 0},
        {0.25, 0.5, 0},
        {0, 0.25, 0},
        {0.25, 0.25, 0}}},
      {CellType::hex27,
       {{0, 0, 0},         {0.5, 0, 0},       {0.5, 0.5, 0},   {0, 0.5, 0},       {0, 0, 0.5},
        {0.5, 0, 0.5},     {0.5, 0.5, 0.5},   {0, 0.5, 0.5},   {0.25, 0, 0},      {0, 0.25, 0},
        {0, 0, 0.25},      {0.5, 0.25, 0},    {0.5, 0, 0.25},  {0.25, 0.5, 0},    {0.5, 0.5, 0.25},
        {0, 0.5, 0.25},    {0.25, 0, 0.5},    {0, 0.25, 0.5},  {0.5, 0.25, 0.5},  {0.25, 0.5, 0.5},
        {0.25, 0.25, 0},   {0.25, 0, 0.25},   {0, 0.25, 0.25}, {0.5, 0.25, 0.25}, {0.25, 0.5, 0.25},
        {0.25, 0.25, 0.5}, {0.25, 0.25, 0.25}}},
      {CellType::prism18,
       {{1, 0, 0},
        {1.5, 0, 0},
        {1.35625, 0.3520833, 0},
        {1, 0, 0.5},
        {1.5, 0, 0.5},
        {1.35625, 0.3520833, 0.5},
        {1.25, 0, 0},
        {1.178125, 0.1760417, 0},
        {1, 0, 0.25},
        {1.428125, 0.1760417, 0},
        {1.5, 0, 0.25},
        {1.35625, 0.3520833, 0.25},
        {1.25, 0, 0.5},
        {1.178125, 0.1760417, 0.5},
        {1.428125, 0.1760417, 0.5},
        {1.25, 0, 0.25},
        {1.178125, 0.1760417, 0.25},
        {1.428125, 0.1760417, 0.25}}},
      {CellType::quad8,
       {{0, 0, 0},
        {0.5, 0, 0},
        {0.5, 0.5, 0},
        {0, 0.5, 0},
        {0.25, 0, 0},
        {0.5, 0.25, 0},
        {0.25, 0.5, 0},
        {0, 0.25, 0}}},
      {CellType::hex20,
       {{0, 0, 0},      {0.5, 0, 0},     {0.5, 0.5, 0},  {0, 0.5, 0},      {0, 0, 0.5},
        {0.5, 0, 0.5},  {0.5, 0.5, 0.5}, {0, 0.5, 0.5},  {0.25, 0, 0},     {0, 0.25, 0},
        {0, 0, 0.25},   {0.5, 0.25, 0},  {0.5, 0, 0.25}, {0.25, 0.5, 0},   {0.5, 0.5, 0.25},
        {0, 0.5, 0.25}, {0.25, 0, 0.5},  {0, 0.25, 0.5}, {0.5, 0.25, 0.5}, {0.25, 0.5, 0.5}}},
      {CellType::prism15,
       {{1, 0, 0},
        {1.5, 0, 0},
        {1.35625, 0.3520833, 0},
        {1, 0, 0.5},
        {1.5, 0, 0.5},
        {1.35625, 0.3520833, 0.5},
        {1.25, 0, 0},
        {1.178125, 0.1760417, 0},
        {1, 0, 0.25},
        {1.428125, 0.1760417, 0},
        {1.5, 0, 0.25},
        {1.35625, 0.3520833, 0.25},
        {1.25, 0, 0.5},
        {1.178125, 0.1760417, 0.5},
        {1.428125, 0.1760417, 0.5}}},
      {CellType::tet10,
       {{0.7451785, 0.2481192, 1.064064},
        {0.5, 0.5, 1},
        {0.70625, 0, 1.29375},
        {0.5182161, 0.5025125, 1.518216},
        {0.6225893, 0.3740596, 1.032032},
        {0.603125, 0.25, 1.146875},
        {0.7257143, 0.1240596, 1.178907},
        {0.6316973, 0.3753158, 1.29114},
        {0.612233, 0.2512562, 1.405983},
        {0.509108, 0.5012562, 1.259108}}},
      {CellType::pyramid14,
       {{0, 0, 1},
        {0.5, 0, 1},
        {0.5, 0.5, 1},
        {0, 0.5, 1},
        {0.2482627, 0.2550109, 1.064064},
        {0.25, 0, 1},
        {0, 0.25, 1},
        {0.1241313, 0.1275054, 1.032032},
        {0.5, 0.25, 1},
        {0.3741313, 0.1275054, 1.032032},
        {0.25, 0.5, 1},
        {0.3741313, 0.3775054, 1.032032},
        {0.1241313, 0.3775054, 1.032032},
        {0.25, 0.25, 1}}},
      {CellType::pyramid13,
       {{0, 0, 1},
        {0.5, 0, 1},
        {0.5, 0.5, 1},
        {0, 0.5, 1},
        {0.2482627, 0.2550109, 1.064064},
        {0.25, 0, 1},
        {0, 0.25, 1},
        {0.1241313, 0.1275054, 1.032032},
        {0.5, 0.25, 1},
        {0.3741313, 0.1275054, 1.032032},
        {0.25, 0.5, 1},
        {0.3741313, 0.3775054, 1.032032},
        {0.1241313, 0.3775054, 1.032032}}},
  };
}

Point middle(const GmshCell& gmsh, int i) {
  const NodeParents parents = node_parents(gmsh.type, i);
  Point sum{};
  for (int k = 0; k < parents.n; ++k)
    sum = sum + (1.0 / parents.n) * gmsh.nodes[parents.vertices[at(k)]];
  return sum;
}

TEST(CellTypeTest, MidNodesOfCellsThatGmshWroteLieInTheMiddle) {
  constexpr double digits = 1e-6;  // coordinates up to 2, written with 7 digits
  std::set<CellType> seen;
  for (const GmshCell& gmsh : cells_from_gmsh()) {
    const CellTraits& cell = traits(gmsh.type);
    ASSERT_EQ(gmsh.nodes.size(), at(cell.n_nodes));
    seen.insert(gmsh.type);
    for (int i = cell.n_vertices; i < cell.n_nodes; ++i)
      for (std::size_t d = 0; d < 3; ++d)
        EXPECT_NEAR(gmsh.nodes[at(i)][d], middle(gmsh, i)[d], digits) << cell.name << " node " << i;
  }
  EXPECT_EQ(seen.size(), 10u);
}

}  // namespace
}  // namespace trestle::mesh

// Tests of the checks of a mesh: what is turned, merged or left out, what is refused, and that in
// slices the same meshes are clean.
#include "mesh/check.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "mesh/check_slices.hpp"
#include "mesh/generate.hpp"
#include "mesh/reference_map.hpp"
#include "tests/mesh/check_support.hpp"
#include "tests/mesh/whole_mesh.hpp"
#include "tests/support/devices.hpp"

namespace trestle::mesh {
namespace {

using test::add_cells;
using test::check;
using test::first;
using test::has;
using test::mesh_of;
using test::reference_cell;
using test::reference_nodes;
using test::refusal;
using test::warns;

constexpr double round_off = 1e-13;  // sums of at most a hundred numbers of size 10

std::vector<CellType> types_of_dimension(int lowest) {
  std::vector<CellType> types;
  for (int t = 0; t < n_cell_types; ++t)
    if (traits(static_cast<CellType>(t)).dim >= lowest) types.push_back(static_cast<CellType>(t));
  return types;
}

void add_entity(RawMesh& mesh, CellType type, const std::vector<GlobalIndex>& nodes,
                std::int64_t tag) {
  mesh.groups = {{"edge", traits(type).dim, 1}};
  mesh.group_sets = {{}, {0}};
  mesh.entities.push_back({type, nodes, {}, {tag}, {1}});
}

double reference_measure(CellType linear) {
  switch (linear) {
    case CellType::tri3:
      return 1.0 / 2;
    case CellType::tet4:
      return 1.0 / 6;
    case CellType::hex8:
      return 8;
    case CellType::prism6:
      return 1;
    case CellType::pyramid5:
      return 4.0 / 3;
    default:
      return linear == CellType::quad4 ? 4 : 2;
  }
}

TEST(ReferenceMap, MeasuresEveryReferenceCell) {
  for (const CellType type : types_of_dimension(1))
    EXPECT_NEAR(measure(type, reference_nodes(type).data()), reference_measure(traits(type).linear),
                round_off)
        << traits(type).name;
}

TEST(ReferenceMap, HasTheDerivativesOfAffineMaps) {
  const Tangents columns{{{2, 0.5, -0.3}, {-0.4, 3, 0.2}, {0.1, -0.7, 1.5}}};
  for (const CellType type : types_of_dimension(1)) {
    std::vector<Point> x;
    for (const Point& xi : reference_nodes(type)) {
      Point image{1, -2, 3};
      for (std::size_t c = 0; c < 3; ++c)
        for (std::size_t d = 0; d < 3; ++d) image[d] += columns[c][d] * xi[c];
      x.push_back(image);
    }
    for (const auto* at : {&sample_points(type), &quadrature_points(type)})
      for (std::size_t p = 0; p < at->size(); ++p) {
        const Tangents t = tangents(*at, p, x.data());
        for (std::size_t c = 0; c < static_cast<std::size_t>(traits(type).dim); ++c)
          for (std::size_t d = 0; d < 3; ++d)
            EXPECT_NEAR(t[c][d], columns[c][d], round_off) << traits(type).name;
      }
  }
}

TEST(ReferenceMap, HasTheDerivativesOfQuadraticMaps) {
  for (const CellType type : types_of_dimension(1)) {
    if (traits(type).order != 2) continue;
    const bool solid = traits(type).dim == 3, flat = traits(type).dim == 1;
    std::vector<Point> x;  // of f = xi^2 + xi eta + zeta (1 - xi)
    for (const Point& xi : reference_nodes(type))
      x.push_back({xi[0] * xi[0] + xi[0] * xi[1] + xi[2] * (1 - xi[0]), 0, 0});
    const ReferencePoints& at = quadrature_points(type);
    for (std::size_t p = 0; p < at.size(); ++p) {
      const Point xi = at.points[p];
      const Tangents t = tangents(at, p, x.data());
      EXPECT_NEAR(t[0][0], 2 * xi[0] + xi[1] - xi[2], round_off) << traits(type).name;
      EXPECT_NEAR(t[1][0], flat ? 0 : xi[0], round_off) << traits(type).name;
      EXPECT_NEAR(t[2][0], solid ? 1 - xi[0] : 0, round_off) << traits(type).name;
    }
  }
}

TEST(ReferenceMap, MeasuresCurvedCellsExactly) {
  // x = xi, y = eta, z = zeta + xi^2 keeps the volume; y = eta + xi^2 the area.
  for (const CellType type : types_of_dimension(2)) {
    const CellTraits& cell = traits(type);
    if (cell.order != 2) continue;
    std::vector<Point> x = reference_nodes(type);
    for (Point& node : x) node[cell.dim == 2 ? 1 : 2] += node[0] * node[0];
    EXPECT_NEAR(measure(type, x.data()), reference_measure(cell.linear), round_off) << cell.name;
  }
}

TEST(CheckMesh, AcceptsEveryReferenceCell) {
  for (const CellType type : types_of_dimension(2)) {
    RawMesh mesh = reference_cell(type);
    check(mesh);
    EXPECT_TRUE(mesh.warnings.empty()) << traits(type).name << ": " << mesh.warnings[0];
    EXPECT_EQ(mesh.n_cells, 1);
  }
}

TEST(CheckMesh, TurnsMirroredCellsOfEveryType) {
  for (const CellType type : types_of_dimension(2)) {
    RawMesh mesh = reference_cell(type);
    for (std::size_t i = 0; i < mesh.coordinates.size(); i += 3) mesh.coordinates[i] *= -1;
    check(mesh);
    EXPECT_TRUE(warns(mesh, "1 inverted cell ")) << traits(type).name;
    std::vector<Point> x;
    for (const GlobalIndex node : mesh.cells[0].nodes) {
      const auto i = 3 * static_cast<std::size_t>(node);
      x.push_back({mesh.coordinates[i], mesh.coordinates[i + 1], mesh.coordinates[i + 2]});
    }
    const ReferencePoints& at = sample_points(type);
    const double expected = determinant(tangents(at, 0, reference_nodes(type).data()),
                                        traits(type).dim);  // constant: the map stays affine
    for (std::size_t p = 0; p < at.size(); ++p)
      EXPECT_NEAR(determinant(tangents(at, p, x.data()), traits(type).dim), expected, round_off)
          << traits(type).name;
  }
}

TEST(CheckMesh, RefusesARepeatedNodeInCellsOfEveryType) {
  for (const CellType type : types_of_dimension(2)) {
    RawMesh mesh = reference_cell(type);
    mesh.cells[0].nodes.back() = mesh.cells[0].nodes[0];
    const std::string message = refusal(mesh);
    EXPECT_TRUE(has(message, "element 1 (" + std::string(traits(type).name) + ") repeats node 1"))
        << message;
  }
}

TEST(CheckMesh, RefusesFlatCellsOfEveryType) {
  for (const CellType type : types_of_dimension(2)) {
    RawMesh mesh = reference_cell(type);
    const std::size_t last = traits(type).dim == 2 ? 1 : 2;
    for (std::size_t i = last; i < mesh.coordinates.size(); i += 3) mesh.coordinates[i] = 0;
    const std::string message = refusal(mesh);
    EXPECT_TRUE(has(message, "bad cell") || has(message, "coincident")) << message;
    EXPECT_TRUE(has(message, "element 1")) << message;
  }
}

TEST(CheckMesh, RefusesCurvedCellsThatFold) {
  for (const CellType type : types_of_dimension(2)) {
    if (traits(type).order != 2) continue;
    RawMesh mesh = reference_cell(type);
    const auto middle = static_cast<std::size_t>(traits(type).n_vertices);  // of the first edge
    const double far = traits(type).nodes[1][0] - traits(type).nodes[0][0];
    mesh.coordinates[3 * middle] += 0.8 * far;  // past the second vertex
    const std::string message = refusal(mesh);
    EXPECT_TRUE(has(message, "element 1") && has(message, "folded")) << message;
  }
}

TEST(CheckMesh, TellsThinCellsFromFlatOnes) {
  constexpr double thin = 1e-6;
  RawMesh mesh = mesh_of(3, {{0, 0, 0}, {1, 0, 0}, {0, thin, 0}, {0, 0, thin}});
  add_cells(mesh, CellType::tet4, {{0, 1, 2, 3}});
  EXPECT_EQ(refusal(mesh), "");
  // Three points of a line with rounded coordinates, far from the origin.
  RawMesh line = mesh_of(2, {{1000.1, 1000.1, 0}, {1000.2, 1000.2, 0}, {1000.3, 1000.3, 0}});
  add_cells(line, CellType::tri3, {{0, 1, 2}});
  EXPECT_TRUE(has(refusal(line), "zero area"));
}

TEST(CheckMesh, ListsAtMostFiveBadCells) {
  RawMesh mesh = mesh_of(2, {});
  std::vector<std::vector<GlobalIndex>> cells;
  for (int i = 0; i < 9; ++i)
    for (const Point& x : {Point{0, 0, 0}, Point{1, 0, 0}, Point{2, 0, 0}}) {
      mesh.coordinates.insert(mesh.coordinates.end(), {x[0], x[1] + i, x[2]});
      mesh.node_tags.push_back(++mesh.n_nodes);
    }
  for (GlobalIndex i = 0; i < 9; ++i) cells.push_back({3 * i, 3 * i + 1, 3 * i + 2});
  add_cells(mesh, CellType::tri3, cells);
  const std::string message = refusal(mesh);
  EXPECT_TRUE(has(message, "9 bad cells")) << message;
  EXPECT_TRUE(has(message, "element 5 ") && !has(message, "element 6 ")) << message;
  EXPECT_TRUE(has(message, "and 4 more")) << message;
}

TEST(CheckMesh, RefusesAFacetOfThreeCells) {
  RawMesh mesh =
      mesh_of(3, {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, -1}, {0.1, 0.1, -2}});
  add_cells(mesh, CellType::tet4, {{0, 1, 2, 3}, {0, 2, 1, 4}, {0, 2, 1, 5}});
  const std::string message = refusal(mesh);
  EXPECT_TRUE(has(message, "elements 1, 2, 3 share one facet (nodes 1, 2, 3)")) << message;
}

TEST(CheckMesh, RefusesNeighboursOnTheSameSide) {
  RawMesh flat = mesh_of(2, {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.3, 0.5, 0}});
  add_cells(flat, CellType::tri3, {{0, 1, 2}, {0, 1, 3}});
  EXPECT_TRUE(has(refusal(flat), "elements 1, 2 overlap")) << refusal(flat);
  RawMesh solid = mesh_of(3, {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 2}});
  add_cells(solid, CellType::tet4, {{0, 1, 2, 3}, {0, 1, 2, 4}});
  EXPECT_TRUE(has(refusal(solid), "elements 1, 2 overlap")) << refusal(solid);
  RawMesh quads = mesh_of(3, reference_nodes(CellType::hex8));
  for (const Point& x : reference_nodes(CellType::hex8)) {
    if (x[2] < 0) continue;
    quads.coordinates.insert(quads.coordinates.end(), {x[0], x[1], 3.0});
    quads.node_tags.push_back(++quads.n_nodes);
  }
  add_cells(quads, CellType::hex8, {{0, 1, 2, 3, 4, 5, 6, 7}, {0, 1, 2, 3, 8, 9, 10, 11}});
  EXPECT_TRUE(has(refusal(quads), "elements 1, 2 overlap")) << refusal(quads);
}

TEST(CheckMesh, RefusesTwoTypesOnTheSameVertices) {
  RawMesh mesh = mesh_of(2, reference_nodes(CellType::quad9));
  add_cells(mesh, CellType::quad8, {first(8)});
  add_cells(mesh, CellType::quad9, {first(9)});
  EXPECT_TRUE(has(refusal(mesh), "elements 1, 2 overlap")) << refusal(mesh);
}

TEST(CheckMesh, MergesElementsWithTheSameNodesInAnyOrder) {
  RawMesh mesh = mesh_of(2, {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}});
  add_cells(mesh, CellType::tri3, {{0, 1, 2}, {0, 2, 3}, {2, 0, 1}, {2, 1, 0}});
  mesh.groups = {{"a", 2, 1}, {"b", 2, 2}, {"c", 2, 3}};
  mesh.group_sets = {{}, {0}, {1}, {2}};
  mesh.cells[0].group_set = {1, 0, 2, 3};
  check(mesh);
  EXPECT_EQ(mesh.n_cells, 2);
  EXPECT_EQ(mesh.cells[0].tags, (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(mesh.cells[0].ids, (std::vector<GlobalIndex>{0, 1}));
  EXPECT_EQ(mesh.group_sets[static_cast<std::size_t>(mesh.cells[0].group_set[0])],
            (std::vector<int>{0, 1, 2}));
  EXPECT_TRUE(warns(mesh, "2 elements of type tri3 have the same nodes"));
}

TEST(CheckMesh, RefusesFacetElementsThatAreNoFacet) {
  RawMesh mesh = mesh_of(2, {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}});
  add_cells(mesh, CellType::tri3, {{0, 1, 2}, {0, 2, 3}});
  add_entity(mesh, CellType::line2, {1, 3}, 77);
  EXPECT_TRUE(has(refusal(mesh), "no facet of a cell (elements 77)")) << refusal(mesh);
  mesh.entities[0].nodes = {2, 0};  // the diagonal, listed backwards
  EXPECT_EQ(refusal(mesh), "");
}

TEST(CheckMesh, RefusesNeighboursThatDoNotShareMidNodes) {
  // A quadratic triangle and a linear one on the diagonal of the unit square.
  RawMesh mesh = mesh_of(
      2, {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0.5, 0, 0}, {1, 0.5, 0}, {0.5, 0.5, 0}});
  add_cells(mesh, CellType::tri6, {{0, 1, 2, 4, 5, 6}});
  add_cells(mesh, CellType::tri3, {{0, 2, 3}});
  EXPECT_TRUE(
      has(refusal(mesh), "elements 1, 2 share the vertices of a facet (nodes 1, 3) but not"))
      << refusal(mesh);
}

TEST(CheckMesh, RefusesLinearFacetElementsOnQuadraticCells) {
  RawMesh mesh = reference_cell(CellType::tri6);
  add_entity(mesh, CellType::line2, {0, 1}, 9);
  EXPECT_TRUE(has(refusal(mesh), "no facet of a cell (elements 9)")) << refusal(mesh);
  RawMesh right = reference_cell(CellType::tri6);
  add_entity(right, CellType::line3, {1, 0, 3}, 9);
  EXPECT_EQ(refusal(right), "");
}

TEST(CheckMesh, WarnsOfQuadrilateralsThatMeetTriangles) {
  std::vector<Point> nodes = reference_nodes(CellType::hex8);
  nodes.push_back({0, 0, 3});
  RawMesh mesh = mesh_of(3, nodes);
  add_cells(mesh, CellType::hex8, {first(8)});
  add_cells(mesh, CellType::tet4, {{4, 5, 6, 8}, {4, 6, 7, 8}});
  check(mesh);
  EXPECT_TRUE(warns(
      mesh, "Quadrilateral facets of 1 cell meet triangles of their neighbours (elements 1)"));
  RawMesh pyramid = mesh_of(3, nodes);
  add_cells(pyramid, CellType::hex8, {first(8)});
  add_cells(pyramid, CellType::pyramid5, {{4, 5, 6, 7, 8}});
  check(pyramid);
  EXPECT_TRUE(pyramid.warnings.empty());
}

/// The six tetrahedra of Kuhn in the cube of the nodes of a hex8.
std::vector<std::vector<GlobalIndex>> kuhn() {
  return {{0, 1, 2, 6}, {0, 5, 1, 6}, {0, 4, 5, 6}, {0, 7, 4, 6}, {0, 3, 7, 6}, {0, 2, 3, 6}};
}

TEST(CheckMesh, RefusesAHexahedronFilledWithTetrahedra) {
  RawMesh mesh = mesh_of(3, reference_nodes(CellType::hex8));
  add_cells(mesh, CellType::hex8, {first(8)});
  add_cells(mesh, CellType::tet4, kuhn());
  EXPECT_TRUE(has(refusal(mesh), "overlap: both lie on the same side of nodes")) << refusal(mesh);
  RawMesh alone = mesh_of(3, reference_nodes(CellType::hex8));
  add_cells(alone, CellType::tet4, kuhn());
  EXPECT_EQ(refusal(alone), "");
}

TEST(CheckMesh, RefusesTetrahedraInAHexahedronAmongOthers) {
  BoxOptions box;
  box.cells = {3, 3, 3};
  RawMesh mesh = generate_box(test::alone(), box);
  const RawBlock cells = mesh.cells[0];
  std::vector<std::vector<GlobalIndex>> inside = kuhn();  // the middle one has no boundary facet
  for (auto& tetrahedron : inside)
    for (GlobalIndex& node : tetrahedron)
      node = cells.nodes[13 * 8 + static_cast<std::size_t>(node)];
  add_cells(mesh, CellType::tet4, inside);
  mesh.cells.back().tags = {1001, 1002, 1003, 1004, 1005, 1006};
  EXPECT_TRUE(has(refusal(mesh), "overlap")) << refusal(mesh);
}

TEST(CheckMesh, WarnsOfNodesInsideFacets) {
  // A tetrahedron that stands with its tip on the middle of one of another's facets.
  RawMesh mesh = mesh_of(3, {{0, 0, 0},
                             {1, 0, 0},
                             {0, 1, 0},
                             {0, 0, -1},
                             {0.25, 0.25, 0},
                             {0, 0, 1},
                             {1, 0, 1},
                             {0, 1, 1}});
  add_cells(mesh, CellType::tet4, {{0, 2, 1, 3}, {4, 5, 6, 7}});
  check(mesh);
  EXPECT_TRUE(warns(mesh, "1 hanging node")) << mesh.warnings.size();
  EXPECT_TRUE(warns(mesh, "node 5 in the facet 1, 2, 3") ||
              warns(mesh, "node 5 in the facet 1, 3, 2"));
  RawMesh off = mesh_of(3, {{0, 0, 0},
                            {1, 0, 0},
                            {0, 1, 0},
                            {0, 0, -1},
                            {0.25, 0.25, 1e-3},
                            {0, 0, 1},
                            {1, 0, 1},
                            {0, 1, 1}});
  add_cells(off, CellType::tet4, {{0, 2, 1, 3}, {4, 5, 6, 7}});
  check(off);
  EXPECT_FALSE(warns(off, "hanging"));
}

TEST(CheckMesh, WarnsOfMidNodesThatAreVerticesOfNeighbours) {
  // Two linear triangles on the halves of the edge of a quadratic one.
  RawMesh mesh = mesh_of(
      2, {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.5, 0, 0}, {0.5, 0.5, 0}, {0, 0.5, 0}, {1, 1, 0}});
  add_cells(mesh, CellType::tri6, {{0, 1, 2, 3, 4, 5}});
  add_cells(mesh, CellType::tri3, {{1, 6, 4}, {4, 6, 2}});
  check(mesh);
  EXPECT_TRUE(warns(mesh, "1 hanging node")) << mesh.warnings.size();
  EXPECT_TRUE(warns(mesh, "node 5 between 2 and 3"));
}

TEST(CheckMesh, KnowsNeedlesFromHangingNodes) {
  RawMesh mesh = mesh_of(2, {{0, 0, 0}, {1, 0, 0}, {0.5, 1e-9, 0}});
  add_cells(mesh, CellType::tri3, {{0, 1, 2}});
  check(mesh);
  EXPECT_FALSE(warns(mesh, "hanging"));
}

TEST(CheckMesh, WarnsOfHangingNodes) {
  RawMesh mesh = mesh_of(2, {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {1, 0.5, 0}, {2, 0.5, 0}});
  add_cells(mesh, CellType::quad4, {{0, 1, 2, 3}});
  add_cells(mesh, CellType::tri3, {{1, 5, 4}, {4, 5, 2}});
  check(mesh);
  EXPECT_TRUE(warns(mesh, "1 hanging node")) << mesh.warnings.size();
  EXPECT_TRUE(warns(mesh, "node 5 between 2 and 3"));
}

TEST(CheckMesh, CountsPartsAndCoincidentNodes) {
  RawMesh mesh = mesh_of(2, {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {5, 0, 0}, {6, 0, 0}, {5, 1, 0}});
  add_cells(mesh, CellType::tri3, {{0, 1, 2}, {3, 4, 5}});
  check(mesh);
  EXPECT_TRUE(warns(mesh, "2 connected components."));
  // A crack: one part, its faces apart by less than the tolerance.
  RawMesh crack = mesh_of(
      2, {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {1 + 1e-12, 0, 0}, {2, 0, 0}, {2, 1, 0}});
  add_cells(crack, CellType::quad4, {{0, 1, 2, 3}, {4, 5, 6, 2}});
  check(crack);
  EXPECT_TRUE(warns(crack, "1 connected component, 1 coincident node pair (tolerance"));
  EXPECT_TRUE(warns(crack, "nodes 2 and 5"));
}

TEST(CheckMesh, RefusesToMergeNodesOfOneCell) {
  RawMesh mesh = mesh_of(2, {{0, 0, 0}, {1, 0, 0}, {1, 1e-3, 0}, {0, 1e-3, 0}});
  add_cells(mesh, CellType::quad4, {{0, 1, 2, 3}});
  try {
    check_and_mend(mesh, {.merge_tolerance = 5e-3});
    FAIL() << "merged";
  } catch (const MeshError& e) {
    EXPECT_TRUE(has(e.what(), "the merge tolerance, 0.005 m, is as long as edges of cells"))
        << e.what();
  }
}

TEST(CheckMesh, MergesNodesNearerThanTheTolerance) {
  // Two unit squares with a gap of 1e-4 at x = 1; the size of the mesh is sqrt(5).
  const auto two_squares = [] {
    RawMesh mesh = mesh_of(2, {{0, 0, 0},
                               {1, 0, 0},
                               {1, 1, 0},
                               {0, 1, 0},
                               {1.0001, 0, 0},
                               {2, 0, 0},
                               {2, 1, 0},
                               {1.0001, 1, 0}});
    add_cells(mesh, CellType::quad4, {{0, 1, 2, 3}, {4, 5, 6, 7}});
    return mesh;
  };
  RawMesh apart = two_squares(), joined = two_squares();
  check_and_mend(apart, {.merge_tolerance = 4e-5});
  EXPECT_EQ(apart.n_nodes, 8);
  check_and_mend(joined, {.merge_tolerance = 5e-5});
  EXPECT_EQ(joined.n_nodes, 6);
  EXPECT_EQ(joined.cells[0].nodes, (std::vector<GlobalIndex>{0, 1, 2, 3, 1, 4, 5, 2}));
  EXPECT_TRUE(warns(joined, "Merged 2 nodes"));
}

TEST(CheckMesh, FindsBoxesOfEveryTypeCleanInSlices) {
  for (const CellType type : test::box_types()) {
    RawMesh mesh = test::whole(trestle::test::world(), test::small_box(test::alone(), type));
    ASSERT_TRUE(mesh.warnings.empty());
    check(mesh);
  }
  RawMesh mixed = test::mixed_mesh();
  check(mixed);
}

TEST(CheckMesh, FollowsPartsThroughManyRanks) {
  // Two chains of segments whose cells take turns in the file: a part is a long way over ranks.
  RawMesh mesh = mesh_of(2, {});
  constexpr GlobalIndex n = 40;
  for (GlobalIndex i = 0; i < n; ++i)
    for (const double y : {0.0, 1.0, 5.0, 6.0}) {
      mesh.coordinates.insert(mesh.coordinates.end(), {static_cast<double>(i), y, 0.0});
      mesh.node_tags.push_back(++mesh.n_nodes);
    }
  std::vector<std::vector<GlobalIndex>> cells;
  for (GlobalIndex k = 0; k < 2 * (n - 1); ++k) {
    const GlobalIndex i = (7 * k) % (n - 1), row = k < n - 1 ? 0 : 2, a = 4 * i + row;
    cells.push_back({a, a + 4, a + 5, a + 1});
  }
  add_cells(mesh, CellType::quad4, cells);
  check(mesh);
  EXPECT_TRUE(warns(mesh, "2 connected components."));
}

TEST(CheckMesh, RefusesWhatItCannotMeasure) {
  RawMesh mesh = mesh_of(2, {{0, 0, 0}, {1e200, 0, 0}, {0, 1e200, 0}});
  add_cells(mesh, CellType::tri3, {{0, 1, 2}});
  EXPECT_TRUE(has(refusal(mesh), "larger than numbers can measure"));
  RawMesh triangle = reference_cell(CellType::tri3);
  EXPECT_THROW(check_and_mend(triangle, {.merge_tolerance = 0.1}), Error);
}

TEST(CheckMesh, FindsCoincidentNodesEverywhereInAGrid) {
  // A grid of n x n squares with all nodes of one row doubled, wherever they fall in the search.
  for (const double shift : {0.0, 1e-9, 0.37, 12345.678}) {
    constexpr GlobalIndex n = 12;
    std::vector<Point> nodes;
    for (int half = 0; half < 2; ++half)
      for (GlobalIndex j = 0; j <= n; ++j)
        for (GlobalIndex i = 0; i <= n; ++i)
          nodes.push_back({shift + static_cast<double>(i), static_cast<double>(j + half * n), 0});
    RawMesh mesh = mesh_of(2, nodes);
    std::vector<std::vector<GlobalIndex>> cells;
    for (GlobalIndex half = 0; half < 2; ++half)
      for (GlobalIndex j = 0; j < n; ++j)
        for (GlobalIndex i = 0; i < n; ++i) {
          const GlobalIndex a = half * (n + 1) * (n + 1) + j * (n + 1) + i;
          cells.push_back({a, a + 1, a + n + 2, a + n + 1});
        }
    add_cells(mesh, CellType::quad4, cells);
    check(mesh);
    EXPECT_TRUE(warns(mesh, "2 connected components, 13 coincident node pairs")) << shift;
  }
}

}  // namespace
}  // namespace trestle::mesh

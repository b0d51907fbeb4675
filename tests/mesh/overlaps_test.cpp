// Tests of overlaps: cells that reach into each other are found by their ids wherever they are, and
// none that only touch.
#include "mesh/overlaps.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "mesh/check.hpp"
#include "mesh/generate.hpp"
#include "tests/mesh/check_support.hpp"
#include "tests/mesh/whole_mesh.hpp"

namespace trestle::mesh {
namespace {

using test::add_cells;
using test::check;
using test::has;
using test::mesh_of;
using test::reference_cell;
using test::refusal;
using test::warns;

/// Calls change(x) for the place of each node.
template <class Change>
RawMesh moved(RawMesh mesh, Change change) {
  for (std::size_t i = 0; i < mesh.coordinates.size(); i += 3) {
    const Point x =
        change(Point{mesh.coordinates[i], mesh.coordinates[i + 1], mesh.coordinates[i + 2]});
    std::ranges::copy(x, mesh.coordinates.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return mesh;
}

RawMesh shifted(RawMesh mesh, const Point& by) {
  return moved(std::move(mesh), [&](const Point& x) {
    return Point{x[0] + by[0], x[1] + by[1], x[2] + by[2]};
  });
}

/// In general position: turned about two axes.
RawMesh turned(RawMesh mesh) {
  return moved(std::move(mesh), [](const Point& x) {
    const Point y{0.8 * x[0] - 0.6 * x[1], 0.6 * x[0] + 0.8 * x[1], x[2]};
    return Point{y[0], 0.28 * y[1] - 0.96 * y[2], 0.96 * y[1] + 0.28 * y[2]};
  });
}

constexpr std::int64_t second = 1000;  // what ids of the second of two bodies begin behind

/// Both meshes in one, with nodes of their own.
RawMesh both(RawMesh a, const RawMesh& b) {
  for (RawBlock block : b.cells) {
    for (GlobalIndex& node : block.nodes) node += a.n_nodes;
    for (GlobalIndex& id : block.ids) id += a.n_cells;
    for (std::int64_t& tag : block.tags) tag += second;
    const auto same = std::ranges::find(a.cells, block.type, &RawBlock::type);
    if (same == a.cells.end()) {
      a.cells.push_back(block);
      continue;
    }
    const auto append = [](auto& to, const auto& from) {
      to.insert(to.end(), from.begin(), from.end());
    };
    append(same->nodes, block.nodes);
    append(same->ids, block.ids);
    append(same->tags, block.tags);
    append(same->group_set, block.group_set);
  }
  for (const std::int64_t tag : b.node_tags) a.node_tags.push_back(a.n_nodes + tag);
  a.coordinates.insert(a.coordinates.end(), b.coordinates.begin(), b.coordinates.end());
  a.n_nodes += b.n_nodes;
  a.n_cells += b.n_cells;
  a.entities.clear();
  return a;
}

/// A box with the given corner, lengths and numbers of cells, whole on every rank.
RawMesh box_of(CellType type, const Point& size, const std::array<Index, 3>& cells,
               const Point& corner = {}) {
  BoxOptions box;
  box.cell = type;
  box.size = size;
  box.cells = cells;
  RawMesh mesh = generate_box(test::alone(), box);
  mesh.entities.clear();
  return shifted(std::move(mesh), corner);
}

std::vector<CellType> volumes() {
  std::vector<CellType> types = test::box_types();
  std::erase_if(types, [](CellType type) { return traits(type).dim < 3; });
  return types;
}

void expect_overlap(const RawMesh& mesh, const std::string& pair, const std::string& what) {
  const std::string message = refusal(mesh);
  EXPECT_TRUE(has(message, "elements " + pair) && has(message, "overlap (near ("))
      << what << ": " << message;
  EXPECT_TRUE(has(message, "BooleanFragments")) << what << ": " << message;
}

/// Neither refused nor warned of.
void expect_none(RawMesh mesh, const std::string& what) {
  EXPECT_NO_THROW({
    check(mesh);
    EXPECT_FALSE(warns(mesh, "overlap")) << what << ": " << mesh.warnings[0];
  }) << what;
}

TEST(FindOverlaps, NamesTwoCellsOfEveryType) {
  for (const CellType type : test::box_types()) {
    const RawMesh one = reference_cell(type);
    const std::string name(traits(type).name);
    const double flat = traits(type).dim == 2 ? 0 : 1;
    for (const double by : {0.0, 0.1, -0.1}) {
      const RawMesh two = both(one, shifted(one, {by, 0.5 * by, flat * by / 3}));
      expect_overlap(two, "1 and 1001", name);
      if (flat == 1) expect_overlap(turned(two), "1 and 1001", name);
    }
    expect_none(both(one, shifted(one, {3, 0, 0})), name);
  }
}

TEST(FindOverlaps, NamesCellsOfTwoTypes) {
  for (const CellType a : test::box_types())
    for (const CellType b : test::box_types()) {
      if (traits(a).dim != traits(b).dim) continue;
      expect_overlap(both(reference_cell(a), reference_cell(b)), "1 and 1001",
                     std::string(traits(a).name) + " " + std::string(traits(b).name));
    }
}

TEST(FindOverlaps, NamesCellsThatShareAVertexOrAnEdge) {
  RawMesh triangles = mesh_of(2, {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 0.5, 0}, {0.5, 1, 0}});
  add_cells(triangles, CellType::tri3, {{0, 1, 2}, {0, 3, 4}});
  expect_overlap(triangles, "1 and 2", "a vertex");
  RawMesh tetrahedra =
      mesh_of(3, {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 0.1}, {0, 1, 1}});
  add_cells(tetrahedra, CellType::tet4, {{0, 1, 2, 3}, {0, 1, 4, 5}});
  expect_overlap(tetrahedra, "1 and 2", "an edge");
}

TEST(FindOverlaps, NamesABodyThatIsThereTwice) {
  for (const CellType type : test::box_types()) {
    const RawMesh box = test::whole(test::alone(), test::small_box(test::alone(), type));
    expect_overlap(both(box, box), "", std::string(traits(type).name));
    if (traits(type).dim == 3)
      expect_overlap(turned(both(box, box)), "", std::string(traits(type).name));
  }
}

TEST(FindOverlaps, NamesABodyInsideAnother) {
  // One cell deep inside a cell that has no facet on the boundary, and in one of a million times
  // its size.
  for (const CellType type : volumes()) {
    const RawMesh coarse = box_of(CellType::hex8, {3, 3, 3}, {3, 3, 3});
    const RawMesh fine = box_of(type, {0.2, 0.2, 0.2}, {1, 1, 1}, {1.3, 1.4, 1.5});
    expect_overlap(both(coarse, fine), "14 and 100", std::string(traits(type).name));
  }
  const RawMesh large = box_of(CellType::hex8, {1e6, 1e6, 1e6}, {1, 1, 1});
  const RawMesh small = box_of(CellType::tet4, {1, 1, 1}, {1, 1, 1}, {5e5, 5e5, 5e5});
  expect_overlap(both(large, small), "1 and 100", "a million times as large");
  // Its facets in the planes of those between cells of the other; whichever comes first.
  const RawMesh grid = box_of(CellType::hex8, {3, 3, 3}, {3, 3, 3});
  const RawMesh stone = box_of(CellType::hex8, {1, 1, 1}, {1, 1, 1}, {1, 1, 1});
  expect_overlap(both(grid, stone), "14 and 1001", "behind the other");
  expect_overlap(both(stone, grid), "1 and 1014", "before the other");
  const RawMesh plate = box_of(CellType::quad4, {3, 3, 1}, {3, 3, 1});
  const RawMesh chip = box_of(CellType::tri3, {0.2, 0.2, 1}, {1, 1, 1}, {1.3, 1.4, 0});
  expect_overlap(both(plate, chip), "5 and 1001", "in the plane");
}

TEST(FindOverlaps, NamesBarsThatCross) {
  for (const CellType type : volumes())
    for (const CellType other : {CellType::hex8, CellType::tet4}) {
      const RawMesh along = box_of(type, {9, 1, 1}, {9, 1, 1});
      const RawMesh across = box_of(other, {1, 9, 1}, {1, 9, 1}, {4.2, -4.2, 0.3});
      expect_overlap(both(along, across), "", std::string(traits(type).name));
    }
  const RawMesh along = box_of(CellType::hex8, {9, 1, 1}, {9, 1, 1});
  const RawMesh across = box_of(CellType::hex8, {1, 9, 1}, {1, 9, 1}, {4, -4.3, 0.3});
  expect_overlap(both(along, across), "5 and 1005, 5 and 1006", "bars");
}

TEST(FindOverlaps, TellsTouchingFromOverlapping) {
  for (const CellType type : test::box_types()) {
    const std::string name(traits(type).name);
    const bool flat = traits(type).dim == 2;
    const auto check_both = [&](const RawMesh& a, const RawMesh& b) {
      expect_none(both(a, b), name);
      if (!flat) expect_none(turned(both(a, b)), name);
    };
    const RawMesh one = box_of(type, {1, 1, 1}, {2, 3, 2});
    check_both(one, shifted(one, {1, 0, 0}));                               // same nodes
    check_both(one, shifted(one, {1, 1, 0}));                               // an edge
    check_both(one, shifted(one, {1, 1, flat ? 0.0 : 1.0}));                // a vertex
    check_both(one, shifted(one, {1, 0.21, 0}));                            // other nodes
    check_both(one, box_of(type, {1, 2, 1}, {3, 5, 1}, {1, -0.3, 0}));      // other sizes
    check_both(one, box_of(type, {1e3, 1e3, 1}, {1, 1, 1}, {1, -0.3, 0}));  // much larger
  }
}

TEST(FindOverlaps, WarnsOfShallowOnes) {
  // The overlap is a box of this thickness: half of it is the radius of a ball; cells have 0.5.
  const auto by = [](double thickness) {
    return both(box_of(CellType::hex8, {2, 2, 2}, {2, 2, 2}),
                box_of(CellType::hex8, {2, 2, 2}, {2, 2, 2}, {2 - thickness, 0.3, 0.4}));
  };
  expect_none(by(0.009), "less than a hundredth");
  RawMesh shallow = by(0.05);
  check(shallow);
  EXPECT_TRUE(warns(shallow, "overlap a little, by up to 0.05")) << shallow.warnings.size();
  expect_overlap(by(0.25), "", "a quarter");
}

/// A ring of `n` segments around the axis, or a disc for inner = 0, of quadrilaterals with curved
/// sides where they have mid nodes.
RawMesh ring(CellType type, Index n, double inner, double outer, double turn, double flat) {
  RawMesh mesh = generate_box(test::alone(), [&] {
    BoxOptions box;
    box.cell = type;
    box.cells = {n, 2, 2};
    box.size = {1, 1, 1};
    return box;
  }());
  mesh.entities.clear();
  return moved(std::move(mesh), [&](const Point& x) {
    // Three quarters of the way round, so that no nodes have to be joined.
    const double angle = -(turn + 1.5 * std::numbers::pi * x[0]);
    const double radius = inner + (outer - inner) * x[1];
    return Point{radius * std::cos(angle), radius * std::sin(angle), flat * x[2]};
  });
}

TEST(FindOverlaps, NeverRefusesAShaftInABore) {
  for (const CellType type : test::box_types())
    for (const Index n : {5, 6, 12})
      for (const Index m : {7, 40}) {
        const double flat = traits(type).dim == 2 ? 0 : 1;
        const RawMesh hub = ring(type, n, 1, 1.5, 0.1, flat);
        if (!refusal(hub).empty()) continue;  // of pyramids, five do not make an arc
        const RawMesh shaft = ring(type, m, 0.3, 1, 0.37, flat);
        EXPECT_EQ(refusal(both(hub, shaft)), "") << traits(type).name << " " << n << " " << m;
        if (n == 5) continue;
        // As far into the hub as an error of the geometry, not of its facets, is deep.
        const RawMesh thick = ring(type, m, 0.3, 1.4, 0.37, flat);
        EXPECT_TRUE(has(refusal(both(hub, thick)), "overlap")) << traits(type).name << " " << n;
      }
}

TEST(FindOverlaps, LeavesThinCurvedGaps) {
  // Rings of curved cells, a gap of a hundredth between them, where straight cells overlap.
  for (const CellType type : test::box_types()) {
    if (traits(type).order < 2) continue;
    const double flat = traits(type).dim == 2 ? 0 : 1;
    for (const Index n : {12, 24})
      expect_none(both(ring(type, n, 1, 1.3, 0, flat), ring(type, n, 0.7, 0.99, 0.1, flat)),
                  std::string(traits(type).name));
  }
}

TEST(FindOverlaps, StopsEarlyInAHeapOfCells) {
  RawMesh heap = mesh_of(3, {});
  std::vector<std::vector<GlobalIndex>> cells;
  for (GlobalIndex i = 0; i < 20000; ++i) {
    for (const Point& x : {Point{0, 0, 0}, Point{1, 0, 0}, Point{0, 1, 0}, Point{0, 0, 1}}) {
      heap.coordinates.insert(heap.coordinates.end(), x.begin(), x.end());
      heap.coordinates[heap.coordinates.size() - 3] += 1e-4 * static_cast<double>(i % 97);
      heap.coordinates[heap.coordinates.size() - 2] += 1e-6 * static_cast<double>(i);
      heap.node_tags.push_back(++heap.n_nodes);
    }
    cells.push_back({4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3});
  }
  add_cells(heap, CellType::tet4, cells);
  expect_overlap(heap, "1 and ", "a heap");
}

/// Cells of random vertices, with the Jacobian positive.
Solid random_tetrahedron(std::mt19937& random, std::int64_t tag) {
  std::uniform_real_distribution<double> place(0, 1);
  for (;;) {
    Solid solid{CellType::tet4, tag, {}, {}};
    for (std::size_t i = 0; i < 4; ++i)
      for (double& x : solid.vertices[i]) x = place(random);
    Tangents edges{};
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t d = 0; d < 3; ++d)
        edges[i][d] = solid.vertices[i + 1][d] - solid.vertices[0][d];
    if (determinant(edges, 3) > 0.02) return solid;
  }
}

double height(const HalfSpace& side, const Point& x) {
  double height = side.inset;
  for (std::size_t d = 0; d < 3; ++d) height += side.normal[d] * (x[d] - side.point[d]);
  return height;
}

/// The largest ball that touches four of the half spaces and lies in all.
double radius_by_corners(const std::vector<HalfSpace>& sides) {
  double largest = -1;
  for (std::size_t a = 0; a < sides.size(); ++a)
    for (std::size_t b = 0; b < a; ++b)
      for (std::size_t c = 0; c < b; ++c)
        for (std::size_t d = 0; d < c; ++d) {
          // Differences of two conditions n . x + r = h do without r.
          const HalfSpace* four[] = {&sides[a], &sides[b], &sides[c], &sides[d]};
          Tangents rows{}, columns;
          Point right{};
          for (std::size_t i = 0; i < 3; ++i) {
            right[i] = height(*four[3], {}) - height(*four[i], {});
            for (std::size_t k = 0; k < 3; ++k)
              rows[i][k] = four[i]->normal[k] - four[3]->normal[k];
          }
          const double whole = determinant(rows, 3);
          if (std::abs(whole) < 1e-12) continue;
          Point x{};
          for (std::size_t k = 0; k < 3; ++k) {  // Cramer
            columns = rows;
            for (std::size_t i = 0; i < 3; ++i) columns[i][k] = right[i];
            x[k] = determinant(columns, 3) / whole;
          }
          double radius = 1e9;
          for (const HalfSpace& side : sides) radius = std::min(radius, -height(side, x));
          largest = std::max(largest, radius);
        }
  return largest;
}

TEST(CommonBall, IsTheLargestThatTouchesFourSides) {
  std::mt19937 random(1);
  int n_overlaps = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const Solid a = random_tetrahedron(random, 1), b = random_tetrahedron(random, 2);
    const Kernel left(a), right(b);
    std::vector<HalfSpace> sides(left.half_spaces().begin(), left.half_spaces().end());
    sides.insert(sides.end(), right.half_spaces().begin(), right.half_spaces().end());
    const double expected = radius_by_corners(sides);
    const Ball ball =
        common_ball(3, left.half_spaces(), right.half_spaces(), {0.5, 0.5, 0.5}, 1, 1e-9);
    if (expected > 1e-9) {
      ++n_overlaps;
      EXPECT_NEAR(ball.radius, expected, 1e-9);
      EXPECT_FALSE(is_apart(a, b.points()) || is_apart(b, a.points()));
    } else {
      EXPECT_LT(ball.radius, 1e-9);
    }
  }
  EXPECT_GT(n_overlaps, 50);
  EXPECT_LT(n_overlaps, 250);
}

TEST(FindOverlaps, FindsRandomTetrahedraThatSharePoints) {
  // Points at random in one and the other: any in both is a witness.
  std::mt19937 random(2);
  std::uniform_real_distribution<double> place(0, 1);
  for (int trial = 0; trial < 40; ++trial) {
    const Solid a = random_tetrahedron(random, 1), b = random_tetrahedron(random, 2);
    const Kernel left(a), right(b);
    double deepest = -1;
    for (int i = 0; i < 20000; ++i) {
      const Point x{place(random), place(random), place(random)};
      double depth = 1;
      for (const Kernel* kernel : {&left, &right})
        for (const HalfSpace& side : kernel->half_spaces())
          depth = std::min(depth, -height(side, x));
      deepest = std::max(deepest, depth);
    }
    std::vector<Point> nodes(a.vertices.begin(), a.vertices.begin() + 4);
    nodes.insert(nodes.end(), b.vertices.begin(), b.vertices.begin() + 4);
    RawMesh mesh = mesh_of(3, nodes);
    add_cells(mesh, CellType::tet4, {{0, 1, 2, 3}, {4, 5, 6, 7}});
    if (deepest > 0.06) {  // of the largest balls, 0.3 at most
      EXPECT_TRUE(has(refusal(mesh), "elements 1 and 2 overlap")) << trial;
    } else if (deepest < -0.1) {  // every place has a point that is nearer
      expect_none(mesh, "apart");
    }
  }
}

}  // namespace
}  // namespace trestle::mesh

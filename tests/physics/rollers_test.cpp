// Tests of rollers that take their surface's normal: however groups divide a surface, it is one.
#include "physics/rollers.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/devices.hpp"
#include "tests/support/meshes.hpp"

namespace trestle::physics {
namespace {

using test::moved_box;
using test::world;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

/// A sector of a ring between the radii 1 and 2, `n` cells wide and n round it; xmin lies on the
/// inner circle. In 3D a sector of a pipe.
std::shared_ptr<const mesh::Mesh> sector(mesh::CellType cell, Index n, double angle) {
  return moved_box(world(), cell, n, [angle](double* x) {
    const double r = 1 + x[0], a = angle * x[1];
    x[0] = r * std::cos(a);
    x[1] = r * std::sin(a);
  });
}

/// Those facets of a group that `keep` takes by the place of their first node.
template <class Keep>
mesh::LocalGroup part_of(const mesh::Mesh& mesh, const std::string& name, const Keep& keep) {
  mesh::LocalGroup part = *mesh.find_group(name);
  std::erase_if(part.entities, [&](const mesh::Entity& facet) {
    return !keep(&mesh.coordinates[3 * at(facet.nodes[0])]);
  });
  return part;
}

void expect_radial(const mesh::Mesh& mesh, const RollerDirections& directions) {
  std::vector<int> times(at(mesh.nodes->n_owned()), 0);
  for (const fem::FixedDirection& fixed : directions.fixed) {
    ++times[at(fixed.node)];
    const double* x = &mesh.coordinates[3 * at(fixed.node)];
    const double along = fixed.direction[0] * x[0] + fixed.direction[1] * x[1];
    if (std::hypot(x[0], x[1]) < 1 + 1e-12) {  // at the ends a facet of 2.5 degrees stands alone
      EXPECT_NEAR(std::abs(along), 1, 1 - std::cos(1.3 * M_PI / 180));
    }
    EXPECT_EQ(fixed.value, 0);
  }
  const mesh::LocalGroup& inner = *mesh.find_group("xmin");
  for (Index node : inner.nodes)
    if (node < mesh.nodes->n_owned()) {
      EXPECT_EQ(times[at(node)], 1) << "node " << node;
    }
}

class RollersTest : public testing::TestWithParam<mesh::CellType> {
 protected:
  static constexpr Index n = 8;
  std::shared_ptr<const mesh::Mesh> mesh_ = sector(GetParam(), n, 20 * M_PI / 180);
  mesh::LocalGroup low_ = part_of(
      *mesh_, "xmin", [](const double* x) { return std::atan2(x[1], x[0]) < 9 * M_PI / 180; });
  mesh::LocalGroup high_ = part_of(
      *mesh_, "xmin", [](const double* x) { return std::atan2(x[1], x[0]) >= 9 * M_PI / 180; });
};
INSTANTIATE_TEST_SUITE_P(Cells, RollersTest,
                         testing::Values(mesh::CellType::quad4, mesh::CellType::tri6,
                                         mesh::CellType::hex8, mesh::CellType::tet4,
                                         mesh::CellType::prism18),
                         [](const auto& info) { return test::cell_name(info.param); });

TEST_P(RollersTest, ACurvedSurfaceInTwoEntriesIsHeldOnceAtItsSeam) {
  const Roller rollers[] = {{&low_, 0}, {&high_, 3}};
  const RollerDirections split = roller_directions(*mesh_, rollers);
  expect_radial(*mesh_, split);
  EXPECT_TRUE(split.blunt_edges.empty());
  const Roller together[] = {{mesh_->find_group("xmin"), 0}};
  const RollerDirections whole = roller_directions(*mesh_, together);
  ASSERT_EQ(split.fixed.size(), whole.fixed.size());
  for (std::size_t i = 0; i < whole.fixed.size(); ++i) {
    EXPECT_EQ(split.fixed[i].node, whole.fixed[i].node);
    EXPECT_EQ(norm(split.fixed[i].direction - whole.fixed[i].direction), 0);
  }
}

TEST_P(RollersTest, AFacetOfSeveralGroupsCountsOnce) {
  const Roller overlapping[] = {{mesh_->find_group("xmin"), 0}, {&low_, 1}, {&low_, 2}};
  const Roller once[] = {{mesh_->find_group("xmin"), 0}};
  const auto twice = roller_directions(*mesh_, overlapping).fixed;
  const auto single = roller_directions(*mesh_, once).fixed;
  ASSERT_EQ(twice.size(), single.size());
  for (std::size_t i = 0; i < single.size(); ++i)
    EXPECT_EQ(norm(twice[i].direction - single[i].direction), 0);
}

TEST_P(RollersTest, SidesThatMeetInAnEdgeHoldEachTheirOwn) {
  const Roller rollers[] = {{mesh_->find_group("xmin"), 0}, {mesh_->find_group("ymin"), 1}};
  const RollerDirections directions = roller_directions(*mesh_, rollers);
  EXPECT_TRUE(directions.blunt_edges.empty());
  std::vector<int> times(at(mesh_->nodes->n_owned()), 0);
  for (const fem::FixedDirection& fixed : directions.fixed) ++times[at(fixed.node)];
  for (Index node : mesh_->find_group("ymin")->nodes) {
    if (node >= mesh_->nodes->n_owned()) continue;
    const bool on_both = mesh_->coordinates[3 * at(node)] < 1 + 1e-12;
    EXPECT_EQ(times[at(node)], on_both ? 2 : 1);
  }
}

TEST(RollersOfAnInterface, DoNotMindOnWhichSideTheParentLies) {
  // The circle in the middle of a ring: every other facet is given the cell outside it as parent.
  const auto mesh = sector(mesh::CellType::quad4, 2, M_PI / 12);
  mesh::LocalGroup circle;
  for (std::size_t b = 0; b < mesh->cells.size(); ++b)
    for (Index c = 0; c < mesh->cells[b].n_cells(); ++c)
      for (int f = 0; f < 4; ++f) {
        const mesh::SubCell& facet = mesh::traits(mesh::CellType::quad4).facets[at(f)];
        double away = 0, side = 0;
        for (const int i : {facet.nodes[0], facet.nodes[1]}) {
          const double* x = &mesh->coordinates[3 * at(mesh->cells[b].nodes[4 * at(c) + at(i)])];
          away += std::abs(std::hypot(x[0], x[1]) - 1.5);
          side += std::atan2(x[1], x[0]) / 2;
        }
        double middle = 0;
        for (std::size_t i = 0; i < 4; ++i) {
          const double* x = &mesh->coordinates[3 * at(mesh->cells[b].nodes[4 * at(c) + i])];
          middle += std::hypot(x[0], x[1]) / 4;
        }
        if (away > 1e-12 || (middle < 1.5) != (side < M_PI / 24)) continue;
        mesh::Entity entity{};
        entity.type = mesh::CellType::line2;
        entity.parent_block = static_cast<int>(b);
        entity.parent_cell = c;
        entity.parent_facet = f;
        circle.entities.push_back(entity);
      }
  const Roller rollers[] = {{&circle, 0}};
  GlobalIndex n = 0;
  for (const fem::FixedDirection& fixed : roller_directions(*mesh, rollers).fixed) {
    const double* x = &mesh->coordinates[3 * at(fixed.node)];
    const double along = fixed.direction[0] * x[0] + fixed.direction[1] * x[1];
    EXPECT_NEAR(std::abs(along), 1.5, 1.5 * (1 - std::cos(M_PI / 48)) + 1e-12);
    ++n;
  }
  EXPECT_EQ(world().sum(n), 3);
}

TEST(RollersOfFewFacets, AreNamedWhereTheSurfaceMayBeCurved) {
  const auto blunt = [](double degrees) {
    const auto mesh = sector(mesh::CellType::quad4, 2, 2 * degrees * M_PI / 180);
    const Roller rollers[] = {{mesh->find_group("xmin"), 0}};
    const RollerDirections directions = roller_directions(*mesh, rollers);
    return std::array{world().sum(static_cast<GlobalIndex>(directions.fixed.size())),
                      world().sum(static_cast<GlobalIndex>(directions.blunt_edges.size()))};
  };
  EXPECT_EQ(blunt(25), (std::array<GlobalIndex, 2>{3, 0}));
  EXPECT_EQ(blunt(45), (std::array<GlobalIndex, 2>{4, 1}));
  EXPECT_EQ(blunt(80), (std::array<GlobalIndex, 2>{4, 0}));
}

TEST(RollersOfARegularPolygon, TakeAnglesOfThirtyDegreesAlikeHoweverTheyAreTurned) {
  for (const double degrees : {30.0, 60.0})
    for (int turn = 0; turn < 36; ++turn) {
      mesh::Mesh mesh = *sector(mesh::CellType::quad4, 2, 2 * degrees * M_PI / 180);
      const double c = std::cos(turn / 6.0), s = std::sin(turn / 6.0);
      for (std::size_t i = 0; i < mesh.coordinates.size(); i += 3) {
        const double x = mesh.coordinates[i], y = mesh.coordinates[i + 1];
        mesh.coordinates[i] = c * x - s * y;
        mesh.coordinates[i + 1] = s * x + c * y;
      }
      const Roller rollers[] = {{mesh.find_group("xmin"), 0}};
      const RollerDirections directions = roller_directions(mesh, rollers);
      const auto n_fixed = static_cast<GlobalIndex>(directions.fixed.size());
      const auto n_blunt = static_cast<GlobalIndex>(directions.blunt_edges.size());
      EXPECT_EQ(world().sum(n_fixed), degrees == 30 ? 3 : 4) << turn;
      EXPECT_EQ(world().sum(n_blunt), degrees == 30 ? 0 : 1) << turn;
    }
}

}  // namespace
}  // namespace trestle::physics

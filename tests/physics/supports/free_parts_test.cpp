// Parts that nothing holds: hinges, ball joints and mechanisms of blocks, on any number of ranks.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <random>

#include "fem/symmetric_eigen.hpp"
#include "physics/supports/free_parts.hpp"
#include "physics/supports/support_model.hpp"
#include "tests/support/devices.hpp"

namespace trestle::test {
namespace {

using fem::Vec3;
using Corner = std::array<int, 3>;

/// Unit squares or cubes at whole places, which share the nodes at which they meet.
class Blocks {
 public:
  Blocks(int dim, std::vector<Corner> places) : dim_(dim), places_(std::move(places)) {
    for (const Corner& place : places_)
      for (const Corner& corner : corners(place))
        nodes_.emplace(corner, static_cast<GlobalIndex>(nodes_.size()));
  }

  int dim() const { return dim_; }
  const std::vector<Corner>& places() const { return places_; }
  const std::map<Corner, GlobalIndex>& nodes() const { return nodes_; }

  std::vector<Corner> corners(const Corner& p) const {
    std::vector<Corner> all;
    for (int z = 0; z < (dim_ == 3 ? 2 : 1); ++z)
      for (const auto& [x, y] : {std::pair{0, 0}, {1, 0}, {1, 1}, {0, 1}})
        all.push_back({p[0] + x, p[1] + y, p[2] + z});
    return all;
  }

  std::shared_ptr<const mesh::Mesh> mesh() const {
    const Comm& comm = world();
    mesh::RawMesh raw;
    raw.dim = dim_;
    raw.groups = {{"blocks", dim_, 1}};
    raw.group_sets = {{}, {0}};
    raw.n_nodes = static_cast<GlobalIndex>(nodes_.size());
    raw.n_cells = static_cast<GlobalIndex>(places_.size());
    std::vector<Corner> by_id(nodes_.size());
    for (const auto& [corner, id] : nodes_) by_id[static_cast<std::size_t>(id)] = corner;
    const Share nodes = share_of(raw.n_nodes, comm.rank(), comm.size());
    for (GlobalIndex i = nodes.first; i < nodes.last; ++i) {
      for (int x : by_id[static_cast<std::size_t>(i)]) raw.coordinates.push_back(x);
      raw.node_tags.push_back(i + 1);
    }
    mesh::RawBlock block{dim_ == 3 ? mesh::CellType::hex8 : mesh::CellType::quad4, {}, {}, {}, {}};
    const Share cells = share_of(raw.n_cells, comm.rank(), comm.size());
    for (GlobalIndex c = cells.first; c < cells.last; ++c) {
      for (const Corner& corner : corners(places_[static_cast<std::size_t>(c)]))
        block.nodes.push_back(nodes_.at(corner));
      block.ids.push_back(c);
      block.tags.push_back(c + 1);
      block.group_set.push_back(1);
    }
    raw.cells = {std::move(block)};
    return std::make_shared<const mesh::Mesh>(
        mesh::distribute(comm, std::move(raw), mesh::Partitioner::automatic));
  }

 private:
  int dim_;
  std::vector<Corner> places_;
  std::map<Corner, GlobalIndex> nodes_;
};

/// A direction that is fixed at a corner.
struct Support {
  Corner corner;
  Vec3 direction;
};

std::vector<Support> clamp(const Blocks& blocks, const std::vector<Corner>& corners) {
  std::vector<Support> supports;
  for (const Corner& corner : corners)
    for (int d = 0; d < blocks.dim(); ++d) {
      Vec3 q{};
      q[d] = 1;
      supports.push_back({corner, q});
    }
  return supports;
}

fem::Constraints constraints(const Blocks& blocks, const mesh::Mesh& mesh,
                             const std::vector<Support>& supports) {
  std::vector<fem::FixedDirection> fixed;
  for (int entry = 0; entry < static_cast<int>(supports.size()); ++entry) {
    const Support& support = supports[static_cast<std::size_t>(entry)];
    const GlobalIndex id = blocks.nodes().at(support.corner);
    for (Index node = 0; node < mesh.nodes->n_owned(); ++node)
      if (mesh.nodes->ids()[static_cast<std::size_t>(node)] == id)
        fixed.push_back({node, entry, support.direction, 0.0});
  }
  return {gpu::make_cpu_device(), mesh.nodes, blocks.dim(), fixed};
}

physics::CellMaterials one_material(const mesh::Mesh& mesh) {
  physics::CellMaterials materials;
  for (const mesh::CellBlock& block : mesh.cells) materials.emplace_back(block.ids.size(), 0);
  return materials;
}

std::vector<std::string> found(const Blocks& blocks, const std::vector<Support>& supports,
                               bool axisymmetric = false) {
  const auto mesh = blocks.mesh();
  return physics::free_parts(*mesh, constraints(blocks, *mesh, supports),
                             {blocks.dim(), axisymmetric}, one_material(*mesh), {"steel"}, {});
}

std::size_t n_free_motions(const Blocks& blocks, const std::vector<Support>& supports) {
  const physics::MotionKind kind{blocks.dim(), false};
  const auto mesh = blocks.mesh();
  const auto survey = physics::survey_supports(*mesh, constraints(blocks, *mesh, supports), kind,
                                               one_material(*mesh), {});
  const physics::SupportModel model(world(), kind, survey);
  const std::size_t n = world().is_root() ? model.mechanism().free_motions(1000).size() : 0;
  return static_cast<std::size_t>(world().max(static_cast<GlobalIndex>(n)));
}

/// The same by eigenvalues, with every block a body of its own and every shared corner a joint.
std::size_t n_free_motions_by_eigenvalues(const Blocks& blocks,
                                          const std::vector<Support>& supports) {
  const physics::MotionKind kind{blocks.dim(), false};
  const int n = kind.n(), size = n * static_cast<int>(blocks.places().size());
  std::vector<double> form(static_cast<std::size_t>(size * size));
  const auto add_gap = [&](int a, int b, const Corner& corner, const Vec3& q) {
    const physics::Motion r = physics::displacement_along(
        kind, q, Vec3{1.0 * corner[0], 1.0 * corner[1], 1.0 * corner[2]});
    std::map<int, double> gap;
    for (int i = 0; i < n; ++i) {
      gap[a * n + i] += r[static_cast<std::size_t>(i)];
      if (b >= 0) gap[b * n + i] -= r[static_cast<std::size_t>(i)];
    }
    for (const auto& [i, of_i] : gap)
      for (const auto& [j, of_j] : gap) form[static_cast<std::size_t>(i * size + j)] += of_i * of_j;
  };
  std::map<Corner, int> first;
  for (int block = 0; block < static_cast<int>(blocks.places().size()); ++block)
    for (const Corner& corner : blocks.corners(blocks.places()[static_cast<std::size_t>(block)])) {
      const auto [at, is_first] = first.emplace(corner, block);
      for (const Support& joint : clamp(blocks, {corner}))
        if (!is_first) add_gap(at->second, block, corner, joint.direction);
    }
  for (const Support& support : supports)
    add_gap(first.at(support.corner), -1, support.corner, support.direction);
  const std::vector<double> values = fem::symmetric_eigenvalues(form, size);
  return static_cast<std::size_t>(std::count_if(
      values.begin(), values.end(), [&](double v) { return v < 1e-10 * values.back(); }));
}

void expect_words(const std::string& sentence, const std::vector<std::string>& words) {
  for (const std::string& word : words)
    EXPECT_NE(sentence.find(word), std::string::npos) << sentence;
}

TEST(FreePartsTest, ASquareTurnsAboutTheCornerThatHoldsIt) {
  const Blocks blocks(2, {{0, 0, 0}, {1, 1, 0}});
  const auto parts = found(blocks, clamp(blocks, {{0, 0, 0}, {0, 1, 0}}));
  ASSERT_EQ(parts.size(), 1U);
  expect_words(parts[0], {"1 cell around (1.5, 1.5, 0) m", "material steel", "group blocks",
                          "1 rotation (about the axis along z through (1, 1, 0) m)",
                          "only the node at (1, 1, 0) m joins it"});
}

TEST(FreePartsTest, TwoCubesTurnAboutTheEdgeThatTheyShare) {
  const Blocks blocks(3, {{0, 0, 0}, {1, 1, 0}});
  const auto parts = found(blocks, clamp(blocks, {{0, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 1, 1}}));
  ASSERT_EQ(parts.size(), 1U);
  expect_words(parts[0], {"1 rotation (about the axis along z through (1, 1, 0.5) m)",
                          "only 2 nodes around (1, 1, 0.5) m"});
}

TEST(FreePartsTest, ACubeTurnsInEveryWayAboutACorner) {
  const Blocks blocks(3, {{0, 0, 0}, {1, 1, 1}});
  const auto parts = found(blocks, clamp(blocks, {{0, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 1, 1}}));
  ASSERT_EQ(parts.size(), 1U);
  expect_words(parts[0], {"3 rotations"});
}

TEST(FreePartsTest, AnArchOfTwoSquaresStandsUnlessItsHingesAreInLine) {
  const Blocks blocks(2, {{0, 0, 0}, {1, 1, 0}});
  EXPECT_TRUE(found(blocks, clamp(blocks, {{0, 0, 0}, {2, 1, 0}})).empty());
  EXPECT_EQ(found(blocks, clamp(blocks, {{0, 0, 0}, {2, 2, 0}})).size(), 2U);
}

TEST(FreePartsTest, FourHingesAreAMechanismAndADiagonalStopsIt) {
  const std::vector<Corner> ring{{1, 0, 0}, {0, 1, 0}, {2, 1, 0}, {1, 2, 0}};
  const Blocks blocks(2, ring);
  auto supports = clamp(blocks, {{1, 0, 0}, {2, 0, 0}});
  const auto parts = found(blocks, supports);
  ASSERT_EQ(parts.size(), 3U);  // all but the one that is clamped
  expect_words(parts[2], {"around (1.5, 2.5, 0) m", "1 translation (along x)"});
  supports.push_back({{2, 3, 0}, Vec3{1, 0, 0}});
  EXPECT_TRUE(found(blocks, supports).empty());
}

TEST(FreePartsTest, CubesThatHoldEachOtherByEdgesAreOneBody) {
  const Blocks blocks(3, {{0, 0, 0}, {1, 1, 0}, {1, 0, 1}, {0, 1, 1}});
  const auto supports = clamp(blocks, {{0, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 1, 1}});
  EXPECT_TRUE(found(blocks, supports).empty());
  const auto floating = found(blocks, {});
  ASSERT_EQ(floating.size(), 1U);
  expect_words(floating[0], {"4 cells", "3 translations and 3 rotations"});
}

TEST(FreePartsTest, RingsThatShareACircleAreHeldTogether) {
  const Blocks blocks(2, {{0, 0, 0}, {1, 1, 0}});
  EXPECT_TRUE(found(blocks, {{{0, 0, 0}, Vec3{0, 1, 0}}}, true).empty());
  const auto parts = found(blocks, {{{0, 0, 0}, Vec3{1, 0, 0}}}, true);
  ASSERT_EQ(parts.size(), 1U);
  expect_words(parts[0], {"2 cells", "1 translation (along y, the axis)"});
}

TEST(FreePartsTest, ALongChainHangsWhereBothEndsAreHeldAndIsStiffWhereItIsPropped) {
  std::vector<Corner> chain;
  for (int i = 0; i < 200; ++i) chain.push_back({i, i % 2, 0});
  const Blocks blocks(2, chain);
  auto supports = clamp(blocks, {{0, 0, 0}, {0, 1, 0}});
  EXPECT_EQ(n_free_motions(blocks, supports), 199U);
  for (int i = 1; i < 200; ++i) supports.push_back({{i + 1, 2 * (i % 2), 0}, Vec3{0, 1, 0}});
  EXPECT_EQ(n_free_motions(blocks, supports), 0U);
}

TEST(MechanismTest, WhatIsFoundBeforeTheWorkEndsIsFree) {
  const auto pendulums = [] {
    physics::Mechanism mechanism(10, 1);
    for (Index p = 0; p < 10; p += 2) {  // pairs that move together
      mechanism.hold(p, {1}), mechanism.hold(p + 1, {1});
      mechanism.join(p, p + 1, {-1});
    }
    return mechanism;
  };
  EXPECT_EQ(pendulums().free_motions(100).size(), 5U);
  const auto some = pendulums().free_motions(100, 10.0);
  ASSERT_GT(some.size(), 0U);
  EXPECT_LT(some.size(), 5U);
  for (const physics::FreeMotion& motion : some) {
    ASSERT_EQ(motion.size(), 2U);
    EXPECT_EQ(motion.begin()->second[0], motion.rbegin()->second[0]);
  }
}

TEST(FreePartsTest, RandomBlocksHaveTheMotionsThatEigenvaluesTell) {
  std::mt19937 random(7);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  std::size_t n_stable = 0, n_moving = 0;
  for (int trial = 0; trial < 30; ++trial) {
    const int dim = 2 + trial % 2;
    std::vector<Corner> places;
    for (int i = 0; i < 27; ++i)
      if (below(5) < 2) places.push_back({i % 3, i / 3 % 3, dim == 3 ? i / 9 : 0});
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
    if (places.empty()) continue;
    const Blocks blocks(dim, places);
    std::vector<Support> supports;
    for (const auto& [corner, id] : blocks.nodes())
      if (below(4) == 0) {
        const double angle = below(8) * 0.4;
        supports.push_back({corner, Vec3{std::cos(angle), std::sin(angle), 0}});
        if (dim == 3 && below(2) == 0) supports.back().direction = Vec3{0, 0, 1};
      }
    const std::size_t n = n_free_motions(blocks, supports);
    EXPECT_EQ(n, n_free_motions_by_eigenvalues(blocks, supports)) << "trial " << trial;
    ++(n == 0 ? n_stable : n_moving);
  }
  EXPECT_GT(n_stable, 2U);
  EXPECT_GT(n_moving, 2U);
}

}  // namespace
}  // namespace trestle::test

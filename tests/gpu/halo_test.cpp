#include "gpu/halo.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "tests/support/devices.hpp"

namespace trestle::test {
namespace {

/// Each rank owns 5 + rank nodes; its ghosts are the first and last two of every other rank.
std::shared_ptr<const IndexMap> star_map() {
  const Comm& comm = world();
  const auto first = [](int rank) { return GlobalIndex{5} * rank + rank * (rank - 1) / 2; };
  std::vector<GlobalIndex> owned, ghosts;
  std::vector<int> owners;
  for (GlobalIndex id = first(comm.rank()); id < first(comm.rank() + 1); ++id) owned.push_back(id);
  for (int r = 0; r < comm.size(); ++r) {
    if (r == comm.rank()) continue;
    for (GlobalIndex id : {first(r + 1) - 1, first(r), first(r) + 1}) {
      ghosts.push_back(id);
      owners.push_back(r);
    }
  }
  return std::make_shared<const IndexMap>(comm, owned, ghosts, owners);
}

/// The value of component c of a node: each pair has its own.
template <class Real>
Real value_of(GlobalIndex id, int c) {
  return static_cast<Real>(100 * id + c + 1);
}

template <class Real>
std::vector<Real> owned_values(const IndexMap& map, int block) {
  std::vector<Real> values(static_cast<std::size_t>(map.n_local() * block), Real{-1});
  for (Index i = 0; i < map.n_owned(); ++i)
    for (int c = 0; c < block; ++c)
      values[static_cast<std::size_t>(i * block + c)] =
          value_of<Real>(map.ids()[static_cast<std::size_t>(i)], c);
  return values;
}

template <class Real>
void expect_all_values(const gpu::Array<Real>& x, const IndexMap& map, int block) {
  const auto values = gpu::read(x);
  for (Index i = 0; i < map.n_local(); ++i)
    for (int c = 0; c < block; ++c)
      ASSERT_EQ(values[i * block + c], value_of<Real>(map.ids()[static_cast<std::size_t>(i)], c))
          << "node " << i << " of " << map.n_local() << ", component " << c;
}

class HaloTest : public OnEachDevice {};

TEST_P(HaloTest, GhostsReceiveTheirOwnersValues) {
  const auto map = star_map();
  for (int block : {1, 2, 3, 6}) {
    gpu::Halo halo(device(), map, block);
    auto x = gpu::upload(device(), owned_values<double>(*map, block), "x");
    auto y = gpu::upload(device(), owned_values<float>(*map, block), "y");
    halo.update(x.view());
    halo.update(y.view());
    expect_all_values(x, *map, block);
    expect_all_values(y, *map, block);
  }
}

TEST_P(HaloTest, TwoHalosMayBeUnderWayAtOnceAndBeUsedAgain) {
  const gpu::Device on = device();
  const auto map = star_map();
  gpu::Halo first(on, map, 3), second(on, map, 2);
  for (int round = 0; round < 3; ++round) {
    auto x = gpu::upload(on, owned_values<double>(*map, 3), "x");
    auto y = gpu::upload(on, owned_values<double>(*map, 2), "y");
    first.start(x.view());
    second.start(y.view());
    second.finish(y.view());
    first.finish(x.view());
    expect_all_values(x, *map, 3);
    expect_all_values(y, *map, 2);
  }
}

TEST_P(HaloTest, StartingTwiceIsABug) {
  if (world().size() == 1) GTEST_SKIP() << "one rank has no neighbour";
  const auto map = star_map();
  gpu::Halo halo(device(), map, 1);
  auto x = gpu::upload(device(), owned_values<double>(*map, 1), "x");
  halo.start(x.view());
  EXPECT_THROW(halo.start(x.view()), Error);
  halo.finish(x.view());
  expect_all_values(x, *map, 1);
}

TRESTLE_ON_EACH_DEVICE(HaloTest);

}  // namespace
}  // namespace trestle::test

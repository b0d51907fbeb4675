// The index map: ownership, ghosts, rows, and the update of ghosts.
#include "core/index_map.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/error.hpp"
#include "tests/support/devices.hpp"

namespace trestle {
namespace {

const Comm& world() { return test::world(); }

constexpr GlobalIndex n_nodes = 23;

/// Nodes are dealt like cards, so that no rank owns a contiguous range of ids.
int owner_of(GlobalIndex id) { return static_cast<int>(id % world().size()); }

/// A closed chain of nodes: each rank holds the neighbours of what it owns as ghosts, given in
/// falling order.
IndexMap make_chain() {
  std::vector<GlobalIndex> owned, ghosts;
  for (GlobalIndex id = 0; id < n_nodes; ++id) {
    const GlobalIndex left = (id + n_nodes - 1) % n_nodes, right = (id + 1) % n_nodes;
    if (owner_of(id) == world().rank())
      owned.push_back(id);
    else if (owner_of(left) == world().rank() || owner_of(right) == world().rank())
      ghosts.push_back(id);
  }
  std::reverse(ghosts.begin(), ghosts.end());
  std::vector<int> owners;
  for (GlobalIndex id : ghosts) owners.push_back(owner_of(id));
  return IndexMap(world(), owned, ghosts, owners);
}

TEST(IndexMap, CountsEveryNodeOnceOverAllRanks) {
  const IndexMap map = make_chain();
  EXPECT_EQ(map.n_global(), n_nodes);
  EXPECT_EQ(world().sum<GlobalIndex>(map.n_owned()), n_nodes);
  EXPECT_EQ(map.n_local(), map.n_owned() + map.n_ghosts());
}

TEST(IndexMap, SortsGhostsByOwnerThenId) {
  const IndexMap map = make_chain();
  const auto ghosts = map.ids().subspan(static_cast<std::size_t>(map.n_owned()));
  std::vector<std::pair<int, GlobalIndex>> keys;
  for (std::size_t g = 0; g < ghosts.size(); ++g) {
    EXPECT_EQ(map.ghost_owners()[g], owner_of(ghosts[g]));
    keys.emplace_back(map.ghost_owners()[g], ghosts[g]);
  }
  EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end()));
}

TEST(IndexMap, GivesEveryNodeOneRowThatAllRanksAgreeOn) {
  const IndexMap map = make_chain();
  std::vector<GlobalIndex> row_of(n_nodes, 0);
  for (Index i = 0; i < map.n_owned(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    EXPECT_EQ(map.rows()[at], map.first_row() + i);
    row_of[static_cast<std::size_t>(map.ids()[at])] = map.rows()[at];
  }
  world().sum(std::span<GlobalIndex>(row_of));
  for (std::size_t i = 0; i < map.ids().size(); ++i)
    EXPECT_EQ(map.rows()[i], row_of[static_cast<std::size_t>(map.ids()[i])]);
  std::sort(row_of.begin(), row_of.end());
  for (GlobalIndex row = 0; row < n_nodes; ++row)
    EXPECT_EQ(row_of[static_cast<std::size_t>(row)], row);
}

TEST(IndexMap, ReceivesEachGhostFromItsOwnerInOneContiguousRange) {
  const IndexMap map = make_chain();
  Index at = map.n_owned();
  for (const auto& neighbour : map.neighbours()) {
    EXPECT_EQ(neighbour.receive_begin, at);
    for (Index i = neighbour.receive_begin; i < neighbour.receive_end; ++i)
      EXPECT_EQ(map.ghost_owners()[static_cast<std::size_t>(i - map.n_owned())], neighbour.rank);
    for (Index i : neighbour.send) EXPECT_LT(i, map.n_owned());
    at = neighbour.receive_end;
  }
  EXPECT_EQ(at, map.n_local());
}

TEST(UpdateGhosts, BringsTheOwnersValuesOfEveryComponent) {
  const IndexMap map = make_chain();
  std::vector<double> values(static_cast<std::size_t>(map.n_local()) * 3, -1.0);
  const auto value_at = [&](std::size_t i, int c) {
    return 10.0 * static_cast<double>(map.ids()[i]) + c;
  };
  for (std::size_t i = 0; i < static_cast<std::size_t>(map.n_owned()); ++i)
    for (int c = 0; c < 3; ++c) values[3 * i + static_cast<std::size_t>(c)] = value_at(i, c);
  update_ghosts(map, std::span<double>(values), 3);
  for (std::size_t i = 0; i < map.ids().size(); ++i)
    for (int c = 0; c < 3; ++c)
      EXPECT_EQ(values[3 * i + static_cast<std::size_t>(c)], value_at(i, c))
          << "node " << map.ids()[i];
}

TEST(IndexMap, HoldsARankWithoutNodes) {
  std::vector<GlobalIndex> owned;
  if (world().is_root()) owned = {4, 2, 9};
  const IndexMap map(world(), owned, {}, {});
  EXPECT_EQ(map.n_global(), 3);
  EXPECT_EQ(map.n_local(), world().is_root() ? 3 : 0);
  EXPECT_TRUE(map.neighbours().empty());
}

TEST(IndexMap, RefusesAGhostThatItsOwnerDoesNotHaveOnAllRanks) {
  const int last = world().size() - 1;
  const std::vector<GlobalIndex> owned{world().rank()};
  std::vector<GlobalIndex> ghosts;
  std::vector<int> owners;
  if (world().is_root()) {
    ghosts = {77};
    owners = {last};
  }
  EXPECT_THROW(IndexMap(world(), owned, ghosts, owners), Error);
}

}  // namespace
}  // namespace trestle

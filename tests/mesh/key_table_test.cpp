// Tests of the tables of keys and of arrays in slices.
#include "mesh/key_table.hpp"

#include <gtest/gtest.h>

#include <map>

#include "mesh/slices.hpp"
#include "tests/support/devices.hpp"

namespace trestle::mesh {
namespace {

using trestle::test::world;

TEST(KeyTableTest, NumbersIdsByFirstUse) {
  KeyTable<GlobalIndex> table;
  std::map<GlobalIndex, Index> expected;
  for (GlobalIndex i = 0; i < 5000; ++i) {
    const GlobalIndex id = (i * i) % 3001 * (i % 2 == 0 ? 1 : 1000000007);
    const auto entry = expected.insert({id, static_cast<Index>(expected.size())}).first;
    ASSERT_EQ(table.insert(id), entry->second);
  }
  ASSERT_EQ(table.size(), expected.size());
  for (const auto& [id, number] : expected) {
    EXPECT_EQ(table.find(id), number);
    EXPECT_EQ(table.keys()[static_cast<std::size_t>(number)], id);
  }
  EXPECT_EQ(table.find(-1), -1);
  EXPECT_EQ(table.find(1000000006), -1);
}

TEST(KeyTableTest, TellsFacesApartByAllTheirVertices) {
  KeyTable<VertexKey<4>> table(10);
  Index n = 0;
  for (GlobalIndex a = 0; a < 6; ++a)
    for (GlobalIndex b = a + 1; b < 7; ++b)
      for (GlobalIndex c = b + 1; c < 8; ++c)
        for (GlobalIndex d = c + 1; d < 9; ++d) EXPECT_EQ(table.insert({a, b, c, d}), n++);
  EXPECT_EQ(n, 9 * 8 * 7 * 6 / 24);
  EXPECT_EQ(table.find({5, 6, 7, 8}), n - 1);
  EXPECT_EQ(table.find({0, 1, 2, -1}), -1);
}

TEST(KeyTableTest, KeysAreSortedVertices) {
  const std::array<GlobalIndex, 4> nodes{8, 3, 9, 1};
  const auto vertex = [&](int i) { return nodes[static_cast<std::size_t>(i)]; };
  EXPECT_EQ(make_vertex_key<4>(4, vertex), (VertexKey<4>{1, 3, 8, 9}));
  EXPECT_EQ(make_vertex_key<4>(3, vertex), (VertexKey<4>{3, 8, 9, -1}));
}

TEST(SlicesTest, FetchReadsAnyEntryAndPlacePutsItBack) {
  constexpr GlobalIndex n = 23;
  const Share own = share_of(n, world().rank(), world().size());
  std::vector<GlobalIndex> slice;  // [id, 2]: id and id^2
  for (GlobalIndex i = own.first; i < own.last; ++i) slice.insert(slice.end(), {i, i * i});
  std::vector<GlobalIndex> ids;  // another selection on each rank, some twice
  for (GlobalIndex i = 0; i < 30; ++i) ids.push_back((7 * i + world().rank()) % n);
  const auto values = fetch<GlobalIndex>(world(), n, ids, slice, 2);
  ASSERT_EQ(values.size(), 60u);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    EXPECT_EQ(values[2 * i], ids[i]);
    EXPECT_EQ(values[2 * i + 1], ids[i] * ids[i]);
  }
  // Each id from one rank, dealt out in turn.
  ids.clear();
  std::vector<GlobalIndex> pairs;
  for (GlobalIndex i = n - 1; i >= 0; --i)
    if (i % world().size() == world().rank()) {
      ids.push_back(i);
      pairs.insert(pairs.end(), {i, i * i});
    }
  EXPECT_EQ(place<GlobalIndex>(world(), n, ids, pairs, 2), slice);
}

}  // namespace
}  // namespace trestle::mesh

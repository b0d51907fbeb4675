// Tests of the order by keys against std::stable_sort.
#include "mesh/sort_keys.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <random>

namespace trestle::mesh {
namespace {

std::vector<Index> sorted(const std::vector<std::uint64_t>& keys) {
  std::vector<Index> order(keys.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
    return keys[static_cast<std::size_t>(a)] < keys[static_cast<std::size_t>(b)];
  });
  return order;
}

TEST(OrderByKey, IsThatOfAStableSortWhicheverBitsTellKeysApart) {
  std::mt19937_64 random(7);
  for (const std::size_t n : {0, 1, 2, 3, 1000, 70000})
    for (const int shift : {1, 25, 40, 62}) {  // up to 38 bits of the key differ, or 1
      std::vector<std::uint64_t> keys(n);
      for (std::uint64_t& key : keys) key = random() >> shift;
      EXPECT_EQ(order_by_key(keys, std::less<>()), sorted(keys)) << n << " " << shift;
      for (std::uint64_t& key : keys) key <<= shift - 1;
      EXPECT_EQ(order_by_key(keys, std::less<>()), sorted(keys)) << n << " " << shift;
    }
}

TEST(OrderByKey, AsksWhichOfEqualKeysComesFirst) {
  const std::vector<std::uint64_t> keys{5, 3, 5, 5, 3};
  EXPECT_EQ(order_by_key(keys, std::greater<>()), (std::vector<Index>{4, 1, 3, 2, 0}));
}

}  // namespace
}  // namespace trestle::mesh

#include "gpu/free_list.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace trestle::test {
namespace {

using gpu::FreeList;

TEST(FreeListTest, BlocksNeverOverlapAndAllComesBack) {
  constexpr std::size_t size = std::size_t{1} << 20;
  FreeList list(size);
  std::map<std::size_t, std::size_t> blocks;
  std::mt19937 generator(1);
  for (int step = 0; step < 5000; ++step) {
    if (generator() % 2 == 0 && !blocks.empty()) {
      auto block = blocks.begin();
      std::advance(block, static_cast<long>(generator() % blocks.size()));
      EXPECT_GE(list.release(block->first), block->second);
      blocks.erase(block);
    } else if (const std::size_t bytes = 1 + generator() % 20000;
               const auto at = list.allocate(bytes)) {
      ASSERT_EQ(*at % FreeList::alignment, 0U);
      ASSERT_LE(*at + bytes, size);
      const auto next = blocks.lower_bound(*at);
      if (next != blocks.end()) {
        ASSERT_LE(*at + bytes, next->first);
      }
      if (next != blocks.begin()) {
        const auto before = std::prev(next);
        ASSERT_LE(before->first + before->second, *at);
      }
      blocks.emplace(*at, bytes);
    }
  }
  for (const auto& block : blocks) list.release(block.first);
  EXPECT_EQ(list.bytes_free(), size);
  EXPECT_EQ(list.allocate(size), std::size_t{0}) << "free blocks were not joined";
}

TEST(FreeListTest, FullListGivesNothing) {
  FreeList list(1024);
  EXPECT_TRUE(list.allocate(1000).has_value());
  EXPECT_FALSE(list.allocate(1).has_value());
  EXPECT_EQ(list.bytes_free(), 0U);
}

}  // namespace
}  // namespace trestle::test

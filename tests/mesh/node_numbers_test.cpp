// Tests of the numbers of nodes: inside and outside the window they are those of first use.
#include "mesh/node_numbers.hpp"

#include <gtest/gtest.h>

#include <map>

namespace trestle::mesh {
namespace {

TEST(NodeNumbersTest, NumbersIdsByFirstUseInsideAndOutsideTheWindow) {
  for (const auto& [first, last] : {std::pair{0, 0}, std::pair{1000, 2000}, std::pair{0, 3001}}) {
    NodeNumbers numbers(first, last);
    std::map<GlobalIndex, Index> expected;
    for (GlobalIndex i = 0; i < 5000; ++i) {
      const GlobalIndex id = (i * i) % 3001;
      const auto entry = expected.insert({id, static_cast<Index>(expected.size())}).first;
      ASSERT_EQ(numbers.insert(id), entry->second);
    }
    ASSERT_EQ(numbers.size(), expected.size());
    for (GlobalIndex id = -5; id < 3010; ++id) {
      const auto found = expected.find(id);
      EXPECT_EQ(numbers.find(id), found == expected.end() ? -1 : found->second);
      if (found != expected.end()) {
        EXPECT_EQ(numbers.ids()[static_cast<std::size_t>(found->second)], id);
      }
    }
  }
}

}  // namespace
}  // namespace trestle::mesh

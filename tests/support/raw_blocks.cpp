#include "tests/support/raw_blocks.hpp"

#include <gtest/gtest.h>

namespace trestle::test {

void expect_same_blocks(const std::vector<mesh::RawBlock>& a,
                        const std::vector<mesh::RawBlock>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].type, b[i].type);
    EXPECT_EQ(a[i].nodes, b[i].nodes);
    EXPECT_EQ(a[i].ids, b[i].ids);
    EXPECT_EQ(a[i].tags, b[i].tags);
    EXPECT_EQ(a[i].group_set, b[i].group_set);
  }
}

}  // namespace trestle::test

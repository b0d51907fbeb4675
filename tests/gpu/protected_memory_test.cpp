#include "gpu/protected_memory.hpp"

#include <gtest/gtest.h>

namespace trestle::test {
namespace {

using gpu::ProtectedMemory;
using gpu::Protection;

class ProtectedMemoryTest : public testing::TestWithParam<Protection> {
 protected:
  void SetUp() override {
    if (GetParam() == Protection::keys && gpu::best_protection() != Protection::keys)
      GTEST_SKIP() << "this processor or kernel has no memory protection keys";
  }
};

TEST_P(ProtectedMemoryTest, ContentLastsOverClosingAndGrowing) {
  ProtectedMemory memory(std::size_t{1} << 30, GetParam());
  memory.commit(100);
  {
    const ProtectedMemory::Open open(memory);
    memory.begin()[99] = std::byte{42};
  }
  memory.commit(std::size_t{20} << 20);
  const ProtectedMemory::Open open(memory);
  EXPECT_EQ(memory.begin()[99], std::byte{42});
  EXPECT_EQ(memory.begin()[(std::size_t{20} << 20) - 1], std::byte{0});
}

TEST_P(ProtectedMemoryTest, TouchingClosedMemoryEndsTheProcess) {
  ProtectedMemory memory(std::size_t{1} << 30, GetParam());
  memory.commit(100);
  const volatile std::byte* const read_from = memory.begin();
  EXPECT_DEATH((void)*read_from, "");
  EXPECT_DEATH(memory.begin()[0] = std::byte{1}, "");
  { const ProtectedMemory::Open open(memory); }
  EXPECT_DEATH((void)*read_from, "");
}

TEST_P(ProtectedMemoryTest, DiscardedPagesAreEmpty) {
  ProtectedMemory memory(std::size_t{1} << 30, GetParam());
  memory.commit(std::size_t{1} << 20);
  {
    const ProtectedMemory::Open open(memory);
    for (std::size_t i = 0; i < (std::size_t{1} << 20); ++i) memory.begin()[i] = std::byte{7};
  }
  memory.discard(100, std::size_t{1} << 19);
  const ProtectedMemory::Open open(memory);
  EXPECT_EQ(memory.begin()[99], std::byte{7});
  EXPECT_EQ(memory.begin()[std::size_t{1} << 18], std::byte{0});
  EXPECT_EQ(memory.begin()[(std::size_t{1} << 19) + 100], std::byte{7});
}

INSTANTIATE_TEST_SUITE_P(Protections, ProtectedMemoryTest,
                         testing::Values(Protection::keys, Protection::pages),
                         [](const auto& info) {
                           return info.param == Protection::keys ? "keys" : "pages";
                         });

}  // namespace
}  // namespace trestle::test

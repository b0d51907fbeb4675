// Integer narrowing: what fits passes, the rest is refused by name.
#include "core/types.hpp"

#include <gtest/gtest.h>

namespace trestle {
namespace {

TEST(Narrow, KeepsEveryValueThatFits) {
  EXPECT_EQ(narrow<Index>(GlobalIndex{2147483647}), 2147483647);
  EXPECT_EQ(narrow<Index>(GlobalIndex{-2147483648}), std::numeric_limits<Index>::min());
  EXPECT_EQ(narrow<std::uint8_t>(255), 255);
  EXPECT_EQ(narrow<std::size_t>(Index{7}), 7U);
}

TEST(Narrow, RefusesOneMoreThanTheLargest) {
  EXPECT_THROW(narrow<Index>(GlobalIndex{2147483648}), std::range_error);
  EXPECT_THROW(narrow<Index>(GlobalIndex{-2147483649}), std::range_error);
  EXPECT_THROW(narrow<std::uint8_t>(256), std::range_error);
}

TEST(Narrow, RefusesAChangeOfSignOfTheSameWidth) {
  EXPECT_THROW(narrow<std::uint32_t>(Index{-1}), std::range_error);
  EXPECT_THROW(narrow<std::int64_t>(std::numeric_limits<std::uint64_t>::max()), std::range_error);
}

TEST(Narrow, NamesTheValueInItsMessage) {
  try {
    narrow<Index>(GlobalIndex{3000000000});
    FAIL() << "3000000000 was taken for an int32";
  } catch (const std::range_error& error) {
    EXPECT_NE(std::string(error.what()).find("3000000000"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace trestle

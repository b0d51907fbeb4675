// Timers of phases.
#include "core/timers.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace trestle {
namespace {

TEST(Timers, AddsUpTheTimesOfOnePhase) {
  Timers timers;
  timers.add("solve", 1.5);
  timers.add("solve", 0.25);
  timers.add("mesh", 2.0);
  EXPECT_EQ(timers.seconds().at("solve"), 1.75);
  EXPECT_EQ(timers.seconds().at("mesh"), 2.0);
  EXPECT_EQ(timers.seconds().size(), 2U);
}

TEST(Timers, RecordsAScopeWhenItEndsAndNotBefore) {
  Timers timers;
  {
    const auto scope = timers.time("assemble");
    EXPECT_TRUE(timers.seconds().empty());
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  EXPECT_GE(timers.seconds().at("assemble"), 0.002);  // sleep_for never returns early
}

TEST(Timers, RecordsAScopeThatAnExceptionLeaves) {
  Timers timers;
  EXPECT_THROW(
      {
        const auto scope = timers.time("solve");
        throw std::runtime_error("diverged");
      },
      std::runtime_error);
  EXPECT_EQ(timers.seconds().count("solve"), 1U);
}

}  // namespace
}  // namespace trestle

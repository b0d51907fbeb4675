// The time between checkpoints, by the formula and within its bounds.
#include "io/checkpoint/interval.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace trestle::io {
namespace {

TEST(CheckpointInterval, IsThatOfYoungBetweenItsBounds) {
  EXPECT_DOUBLE_EQ(checkpoint_interval(2, 3600), std::sqrt(2 * 2 * 3600.0));
  EXPECT_EQ(checkpoint_interval(0.01, 3600), 60);
  EXPECT_EQ(checkpoint_interval(10, 1e9), 1800);
}

TEST(CheckpointInterval, LetsSavingTakeTwoPercentAtMost) {
  EXPECT_DOUBLE_EQ(checkpoint_interval(5, 600), 5 / 0.02);
  EXPECT_DOUBLE_EQ(checkpoint_interval(60, 1e9), 60 / 0.02);
}

TEST(CheckpointInterval, LearnsFromInterruptions) {
  EXPECT_EQ(learnt_time_to_interruption(1e6, 0), 6 * 3600);
  EXPECT_DOUBLE_EQ(learnt_time_to_interruption(9 * 1800, 9), (9 * 1800 + 6 * 3600) / 10.0);
}

TEST(CheckpointInterval, TakesACostThatFewSavesPass) {
  EXPECT_EQ(save_cost({}), 0);
  EXPECT_EQ(save_cost({3}), 3);
  std::vector<double> costs(40, 1);
  costs[5] = 100;  // long ago
  costs[39] = 50;  // one of twenty
  EXPECT_EQ(save_cost(costs), 1);
  costs[38] = 50;
  EXPECT_EQ(save_cost(costs), 50);
}

}  // namespace
}  // namespace trestle::io

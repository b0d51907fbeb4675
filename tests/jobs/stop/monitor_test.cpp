#include "jobs/stop/monitor.hpp"

#include <gtest/gtest.h>

#include "jobs/watch/whereabouts.hpp"
#include "tests/support/devices.hpp"

namespace trestle::jobs {
namespace {

constexpr double kill_wait = 10;  // [s]

class StopMonitorTest : public testing::Test {
 protected:
  const Comm& comm_ = test::world();
  int last_ = comm_.size() - 1;
  StopMonitor monitor_{comm_, kill_wait};
  void TearDown() override { monitor_.close(); }
};

TEST_F(StopMonitorTest, asks_for_nothing_on_its_own) {
  for (int k = 0; k < 100; ++k) EXPECT_EQ(monitor_.poll(), StopLevel::none);
}

TEST_F(StopMonitorTest, tells_all_ranks_at_the_second_poll_what_one_was_asked) {
  EXPECT_EQ(monitor_.poll(), StopLevel::none);
  if (comm_.rank() == last_) monitor_.board().ask(StopLevel::stop, "the deadline");
  EXPECT_EQ(monitor_.poll(), StopLevel::none);
  EXPECT_EQ(monitor_.poll(), StopLevel::stop);
  EXPECT_EQ(monitor_.request().reason, "the deadline");
  EXPECT_EQ(monitor_.poll(), StopLevel::stop);
}

TEST_F(StopMonitorTest, answers_a_request_to_save_once) {
  monitor_.poll();
  for (int round = 0; round < 3; ++round) {
    if (comm_.rank() == last_) monitor_.board().ask(StopLevel::save, "rebalance");
    EXPECT_EQ(monitor_.poll(), StopLevel::none);
    EXPECT_EQ(monitor_.poll(), StopLevel::save);
    EXPECT_EQ(monitor_.request().reason, "rebalance");
    EXPECT_EQ(monitor_.poll(), StopLevel::none);
  }
}

TEST_F(StopMonitorTest, keeps_a_request_to_save_through_a_solve) {
  if (comm_.rank() == last_) monitor_.board().ask(StopLevel::save, "rebalance");
  for (int k = 0; k < 50; ++k) monitor_.check_in_solve();
  monitor_.check();
  EXPECT_EQ(monitor_.poll(), StopLevel::save);
  EXPECT_EQ(monitor_.poll(), StopLevel::none);
}

TEST_F(StopMonitorTest, lets_the_most_urgent_request_win) {
  if (comm_.is_root()) monitor_.board().ask(StopLevel::save, "less");
  if (comm_.rank() == last_) monitor_.board().ask(StopLevel::terminate, "more");
  monitor_.poll();
  EXPECT_EQ(monitor_.poll(), StopLevel::terminate);
  EXPECT_EQ(monitor_.request().reason, "more");
}

TEST_F(StopMonitorTest, leaves_a_solve_at_the_same_iteration_on_all_ranks) {
  int iteration = 0;
  const auto solve = [&] {
    for (iteration = 1; iteration < 1'000'000; ++iteration) {
      if (comm_.rank() == last_ && iteration == 1000)
        monitor_.board().ask(StopLevel::stop, "the deadline");
      monitor_.check_in_solve();
    }
  };
  try {
    solve();
    FAIL() << "the solve went on";
  } catch (const Stopped& e) {
    EXPECT_EQ(e.code(), ExitCode::stopped_unsaved);
    EXPECT_NE(std::string(e.what()).find("the deadline"), std::string::npos);
  }
  EXPECT_EQ(comm_.max(iteration), comm_.min(iteration));
}

TEST_F(StopMonitorTest, finds_ranks_that_are_not_in_the_same_step) {
  if (comm_.size() == 1) GTEST_SKIP() << "one rank agrees with itself";
  monitor_.poll();
  monitor_.poll();
  if (comm_.rank() == last_) ++whereabouts().step;
  monitor_.poll();
  try {
    monitor_.poll();
    ADD_FAILURE() << "the ranks differ";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ExitCode::bug);
    EXPECT_NE(std::string(e.what()).find("in step 0 to 1"), std::string::npos) << e.what();
  }
  if (comm_.rank() == last_) --whereabouts().step;
}

TEST_F(StopMonitorTest, knows_the_time_that_is_left) {
  EXPECT_EQ(monitor_.remaining_s(), std::numeric_limits<double>::infinity());
  constexpr double window = 100;  // [s]
  if (comm_.rank() == last_)
    monitor_.board().ask(StopLevel::stop, "notice",
                         StopBoard::Clock::now() + std::chrono::seconds(100));
  monitor_.poll();
  monitor_.poll();
  ASSERT_TRUE(monitor_.request().remaining_s);
  EXPECT_LE(*monitor_.request().remaining_s, window);
}

}  // namespace
}  // namespace trestle::jobs

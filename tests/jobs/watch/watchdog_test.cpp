#include "jobs/watch/watchdog.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "tests/support/devices.hpp"

namespace trestle::jobs {
namespace {

using std::chrono::seconds;
using Time = Patience::Clock::time_point;

TEST(Patience, ends_after_its_limit) {
  Patience patience(10);
  const Time start{};
  for (int s = 0; s <= 10; ++s) EXPECT_FALSE(patience.is_over(start + seconds(s))) << s;
  EXPECT_TRUE(patience.is_over(start + seconds(11)));
}

TEST(Patience, is_renewed_by_what_comes) {
  Patience patience(10);
  const Time start{};
  for (int s = 0; s < 100; ++s) {
    if (s % 9 == 0) patience.renew(start + seconds(s));
    EXPECT_FALSE(patience.is_over(start + seconds(s))) << s;
  }
}

TEST(Patience, does_not_count_a_suspension_of_its_own_process) {
  Patience patience(10);
  const Time start{};
  for (int s = 0; s < 5; ++s) EXPECT_FALSE(patience.is_over(start + seconds(s)));
  const Time resumed = start + seconds(3600);
  for (int s = 0; s <= 10; ++s) EXPECT_FALSE(patience.is_over(resumed + seconds(s))) << s;
  EXPECT_TRUE(patience.is_over(resumed + seconds(11)));
}

TEST(Patience, without_a_limit_has_no_end) {
  Patience patience(0);
  for (int s = 0; s < 5000; s += 4) EXPECT_FALSE(patience.is_over(Time{} + seconds(s)));
}

TEST(BeatRing, brings_the_beats_of_the_rank_before_and_its_goodbye) {
  const Comm& comm = test::world();
  BeatRing ring(comm);
  const int before = (comm.rank() + comm.size() - 1) % comm.size();
  EXPECT_EQ(ring.watched_rank(), before);
  for (const bool is_last : {false, true}) {
    ring.send(is_last);
    std::optional<Beat> beat;
    for (int wait = 0; wait < 1000 && !(beat && (beat->is_last != 0) == is_last); ++wait) {
      if (const auto came = ring.receive()) beat = came;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    ASSERT_TRUE(beat);
    EXPECT_EQ(beat->rank, before);
    EXPECT_EQ(beat->is_last != 0, is_last);
    comm.barrier();
  }
}

}  // namespace
}  // namespace trestle::jobs

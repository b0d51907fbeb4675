#include "jobs/status.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/jobs/folder.hpp"
#include "tests/support/devices.hpp"

namespace trestle::jobs {
namespace {

class StatusTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!test::world().is_root()) GTEST_SKIP() << "one process writes the status";
  }
  nlohmann::json read() const {
    return nlohmann::json::parse(std::ifstream(folder_.path() + "/status.json"));
  }
  test::Folder folder_;
};

TEST_F(StatusTest, tells_step_time_phase_and_checkpoint) {
  StatusFile file(folder_.path(), {.incarnation = 3, .ranks = 2});
  EXPECT_EQ(read()["state"], "running");
  file.enter("solve");
  file.step(12, 0.5, 2);
  file.saved({"ckpt/000000000012.i0003", 12, 0.5, "2026-01-01T00:00:00Z"});
  const nlohmann::json status = read();
  EXPECT_EQ(status["phase"], "solve");
  EXPECT_EQ(status["step"], 12);
  EXPECT_EQ(status["time"], 0.5);
  EXPECT_EQ(status["end"], 2);
  EXPECT_EQ(status["incarnation"], 3);
  EXPECT_EQ(status["ranks"], 2);
  EXPECT_EQ(status["checkpoint"]["path"], "ckpt/000000000012.i0003");
  const FormerProgress progress = progress_of(folder_.path());
  EXPECT_EQ(progress.step, 12);
  EXPECT_EQ(progress.checkpoint->time, 0.5);
}

TEST_F(StatusTest, does_not_change_after_the_end) {
  StatusFile file(folder_.path(), {});
  file.finish("stopped", ExitCode::stopped_saved, "signal USR1");
  file.enter("later");
  file.refresh();
  EXPECT_EQ(read()["state"], "stopped");
  EXPECT_EQ(read()["exit_code"], 75);
  EXPECT_EQ(read()["message"], "signal USR1");
}

TEST_F(StatusTest, of_a_rank_that_failed_alone_stays) {
  StatusFile file(folder_.path(), {});
  file.step(4, 1, 2);
  file.refresh();
  note_failure(folder_.path(), ExitCode::io, "disk");
  file.refresh();
  EXPECT_EQ(read()["state"], "failed");
  EXPECT_EQ(read()["exit_code"], 74);
  EXPECT_EQ(read()["step"], 4);
}

TEST_F(StatusTest, of_a_directory_that_is_gone_ends_no_run) {
  StatusFile file(folder_.path(), {});
  std::filesystem::remove_all(folder_.path());
  EXPECT_NO_THROW(file.refresh());
  EXPECT_NO_THROW(file.saved({}));
}

TEST_F(StatusTest, from_a_hostile_hand_is_read_as_nothing) {
  for (const char* text : {"", "[", "[]", "null", R"({"state": 3, "step": "x"})", "{\"state\": [",
                           R"({"step": 1e300, "checkpoint": [1]})"}) {
    std::ofstream(folder_.path() + "/status.json", std::ios::trunc) << text;
    EXPECT_EQ(state_of(folder_.path()), "") << text;
    EXPECT_FALSE(progress_of(folder_.path()).checkpoint) << text;
    EXPECT_LE(progress_of(folder_.path()).step, 1'000'000'000'000'000) << text;
  }
}

TEST_F(StatusTest, of_ranks_that_keep_none_does_nothing) {
  StatusFile none;
  none.step(1, 2, 3);
  none.refresh();
  EXPECT_NO_THROW(none.finish("completed", ExitCode::done, ""));
}

}  // namespace
}  // namespace trestle::jobs

#include "jobs/stop/deadline.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iomanip>
#include <thread>

#include "tests/jobs/folder.hpp"

namespace trestle::jobs {
namespace {

using namespace std::chrono_literals;

/// A squeue of our own in PATH, and a job that it is asked of.
class DeadlineTest : public testing::Test {
 protected:
  DeadlineTest() : path_(std::getenv("PATH")) {
    say(std::time(nullptr) + 1'000'000);
    const std::string name = folder_.path() + "/squeue";
    std::ofstream(name) << "#!/bin/sh\necho x >> " << folder_.path() << "/asked\ncat "
                        << folder_.path() << "/end\n";
    std::filesystem::permissions(name, std::filesystem::perms::owner_all);
    setenv("PATH", (folder_.path() + ":" + path_).c_str(), 1);
    setenv("SLURM_JOB_ID", "77", 1);
  }
  ~DeadlineTest() override {
    setenv("PATH", path_.c_str(), 1);
    unsetenv("SLURM_JOB_ID");
  }
  /// At once, so that no answer is a part of one.
  void say(std::time_t end) const {
    std::ofstream(folder_.path() + "/end.new") << std::put_time(std::localtime(&end), "%FT%T\n");
    std::filesystem::rename(folder_.path() + "/end.new", folder_.path() + "/end");
  }
  std::size_t times_asked() const {
    std::error_code error;
    const auto bytes = std::filesystem::file_size(folder_.path() + "/asked", error);
    return error ? 0 : bytes / 2;
  }
  static bool comes(const std::function<bool()>& condition) {
    for (int i = 0; i < 600 && !condition(); ++i) std::this_thread::sleep_for(100ms);
    return condition();
  }

  test::Folder folder_;

 private:
  std::string path_;
};

TEST_F(DeadlineTest, of_a_slurm_job_follows_a_limit_that_changes) {
  StopBoard board;
  const Deadline deadline(0, board, 100ms);
  ASSERT_TRUE(comes([&] { return times_asked() >= 2; }));
  EXPECT_EQ(board.entry().level, StopLevel::none);
  say(std::time(nullptr));
  EXPECT_TRUE(comes([&] { return board.entry().level == StopLevel::stop; }));
  EXPECT_NE(board.entry().reason.find("time limit of the Slurm job"), std::string::npos);
}

TEST_F(DeadlineTest, of_a_slurm_job_is_read_once_a_minute) {
  StopBoard board;
  const Deadline deadline(0, board);
  ASSERT_TRUE(comes([&] { return times_asked() == 1; }));
  std::this_thread::sleep_for(1200ms);  // two looks
  EXPECT_EQ(times_asked(), 1U);
}

}  // namespace
}  // namespace trestle::jobs

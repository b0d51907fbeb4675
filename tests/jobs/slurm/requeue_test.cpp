#include "jobs/slurm/requeue.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <mpi.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace trestle::jobs {
namespace {

namespace fs = std::filesystem;

/// A run directory of this rank alone.
class RequeueTest : public testing::Test {
 protected:
  RequeueTest()
      : folder_(fs::temp_directory_path() / ("trestle-requeue-" + std::to_string(getpid()))),
        run_((folder_ / "run").string()) {
    fs::create_directories(run_);
  }
  ~RequeueTest() override { fs::remove_all(folder_); }

  void status(const std::string& state, int code) const {
    std::ofstream(run_ + "/status.json")
        << R"({"state": ")" << state << R"(", "exit_code": )" << code << R"(, "message": "m"})";
  }
  void checkpoint(const std::string& name) const {
    fs::create_directories(run_ + "/ckpt/" + name);
    std::ofstream(run_ + "/ckpt/" + name + "/MANIFEST.json") << "{}";
  }
  /// The next start of the run, with so many saves.
  void start(int number, bool entered, int saves = 0) {
    starts_ += fmt::format(R"({}{{"incarnation": {}, "entered": {}, "saves": {}}})",
                           starts_.empty() ? "" : ", ", number, entered, saves);
    std::ofstream(run_ + "/incarnations.json") << "{\"incarnations\": [" << starts_ << "]}";
  }
  Verdict judge(int code, const std::string& seen = "none") const {
    return judge_run({.directory = run_, .launcher_code = code, .seen = seen});
  }

  fs::path folder_;
  std::string run_, starts_;
};

TEST_F(RequeueTest, TheStatusStandsAboveTheLauncher) {
  status("completed", 0);
  EXPECT_EQ(judge(1).decision, Decision::done);
  status("stopped", 75);
  EXPECT_EQ(judge(1).decision, Decision::requeue);  // mpirun returns 1 after TERM
  EXPECT_EQ(judge(0).code, 75);
  status("failed", 80);
  EXPECT_EQ(judge(0).decision, Decision::stop);
  EXPECT_EQ(judge(0).code, 80);
}

TEST_F(RequeueTest, OnlyWhatCanGoBetterNextTimeIsRequeued) {
  for (int code = 64; code <= 87; ++code) {
    fs::remove(run_ + "/incarnations.json");
    status("failed", code);
    const bool again = code == 75 || code == 82 || code == 84 || code == 85;
    EXPECT_EQ(judge(code).decision, again        ? Decision::requeue
                                    : code == 74 ? Decision::hold
                                                 : Decision::stop)
        << code;
    EXPECT_EQ(judge(code).code, code);
  }
}

TEST_F(RequeueTest, AZeroOfALauncherWhoseRunWasCutOffIsNotBelieved) {
  status("running", 0);
  EXPECT_EQ(judge(0).decision, Decision::requeue);
  EXPECT_EQ(judge(0).code, 84);
}

TEST_F(RequeueTest, AStatusFromBeforeTheRunTellsNothing) {
  status("stopped", 75);
  const std::string seen = status_stamp(run_);
  EXPECT_EQ(judge(78, seen).decision, Decision::stop);
  EXPECT_EQ(judge(78, seen).code, 78);
  EXPECT_EQ(judge(137, seen).code, 84);
  EXPECT_EQ(judge(127, seen).decision, Decision::stop);
}

TEST_F(RequeueTest, StartsThatBeganWithStepsAndSavedNothingCome3TimesInARow) {
  status("running", 0);
  start(1, true, 4);
  for (int n = 2; n <= 3; ++n) {
    start(n, true);
    EXPECT_EQ(judge(137).decision, Decision::requeue) << n;
  }
  start(4, true);
  EXPECT_EQ(judge(137).decision, Decision::stop);
  EXPECT_EQ(judge(137).code, 87);
  checkpoint("000000000010.i0004");  // made as it ended
  EXPECT_EQ(judge(137).decision, Decision::requeue);
}

TEST_F(RequeueTest, StartsThatDidNotComeToTheirDirectoryCome10TimesInARow) {
  fs::remove_all(run_);
  for (int n = 1; n < 10; ++n) EXPECT_EQ(judge(137).decision, Decision::requeue) << n;
  EXPECT_EQ(judge(137).code, 87);
}

TEST_F(RequeueTest, WithoutAPlaceToCountThemStartsAreOver) {
  if (geteuid() == 0) GTEST_SKIP() << "root writes everywhere";
  fs::remove_all(run_);
  fs::permissions(folder_, fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_EQ(judge(137).decision, Decision::stop);
  fs::permissions(folder_, fs::perms::owner_all);
}

TEST_F(RequeueTest, AHostileCountOrStatusDoesNoHarm) {
  status("running", 0);
  for (const char* text : {"", "[]", "{\"incarnations\": 1e99}", "\xff\xfe",
                           R"({"incarnations": [{"incarnation": "3", "saves": -1}]})"}) {
    std::ofstream(run_ + "/incarnations.json") << text;
    EXPECT_EQ(judge(137).decision, Decision::requeue) << text;
  }
  std::ofstream(run_ + "/status.json") << "{\"state\": [[[";
  EXPECT_EQ(judge(137).code, 84);
}

}  // namespace
}  // namespace trestle::jobs

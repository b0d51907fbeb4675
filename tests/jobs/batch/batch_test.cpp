#include "jobs/batch/batch.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "jobs/batch/runner.hpp"

namespace trestle::jobs {
namespace {

namespace fs = std::filesystem;

TEST(Batch, JobsGetFoldersOfTheirOwn) {
  Batch batch{"/out",
              {{.case_file = "/a/one.yaml"},
               {.case_file = "/b/one.yaml"},
               {.case_file = "/c/../.x"},
               {.case_file = "/a/one.log.yaml"}}};
  name_jobs(batch);
  EXPECT_EQ(batch.jobs[0].directory, "/out/one");
  EXPECT_EQ(batch.jobs[1].directory, "/out/one-2");
  EXPECT_EQ(batch.jobs[2].directory, "/out/job.x");
  EXPECT_EQ(batch.jobs[3].directory, "/out/one.log-run");
}

TEST(BatchRun, ALauncherThatDoesNotEndAfterTermIsKilled) {
  const fs::path folder = fs::temp_directory_path() / ("batch_run_" + std::to_string(getpid()));
  fs::create_directories(folder);
  const fs::path deaf = folder / "deaf.sh", ready = folder / "ready";
  std::ofstream(deaf) << "#!/bin/sh\ntrap '' TERM USR1\n: > " << ready.string() << "\nsleep 100\n";
  fs::permissions(deaf, fs::perms::owner_all);
  Batch batch{folder.string(), {{.case_file = "/a/one.yaml"}, {.case_file = "/a/two.yaml"}}};
  name_jobs(batch);
  std::thread stopper([&] {
    while (!fs::exists(ready)) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    kill(getpid(), SIGTERM);
  });
  std::string told;
  run_jobs(batch, {0, 1},
           {.program = deaf.string(),
            .tell = [&](const std::string& line) { told += line + "\n"; },
            .patience = std::chrono::milliseconds(100)});
  stopper.join();
  EXPECT_NE(told.find("killing 1 jobs"), std::string::npos) << told;
  EXPECT_EQ(state_of_job(batch.jobs[0]).code, 128 + SIGKILL);
  EXPECT_EQ(state_of_job(batch.jobs[1]).kind, RunState::Kind::missing);
  fs::remove_all(folder);
}

TEST(BatchFile, IsReadAsStrictlyAsACase) {
  const std::string good =
      "jobs:\n  - {case: a.yaml, set: [k=2], ranks: 2}\n  - {case: b.yaml, sweep: 'k=1,2'}\n";
  const Batch batch = parse_batch(good, "/f/batch.yaml", "/out");
  ASSERT_EQ(batch.jobs.size(), 3u);
  EXPECT_EQ(batch.jobs[0].case_file, "/f/a.yaml");
  EXPECT_EQ(batch.jobs[0].ranks, 2);
  EXPECT_EQ(batch.jobs[2].overrides, (std::vector<std::string>{"k=2"}));
  EXPECT_EQ(batch.jobs[2].name, "b-2-k=2");
  for (const char* text :
       {"jobs: []", "jobs: [{cas: a}]", "jobs: [{case: a, ranks: 0}]", "jobs: 3",
        "jobs: [{case: a, name: x/y}]", "jobs: [{case: a, sweep: k}]",
        "jobs: [{case: a, name: x}, {case: b, name: x}]", "runs: []",
        "jobs: [{case: a, name: batch.json}]", "jobs: [{case: a, name: summary.csv}]",
        "jobs: [{case: a, name: b.log}]"})
    EXPECT_THROW(parse_batch(text, "/f/batch.yaml", "/out"), CaseError) << text;
  EXPECT_TRUE(is_batch_file(good));
  EXPECT_FALSE(is_batch_file("physics: heat\n"));
}

class BatchFolder : public testing::Test {
 protected:
  BatchFolder()
      : folder_(
            (fs::temp_directory_path() / ("trestle-batch-" + std::to_string(getpid()))).string()) {
    fs::create_directories(folder_);
  }
  ~BatchFolder() override { fs::remove_all(folder_); }
  std::string folder_;
};

TEST_F(BatchFolder, TheListReadsBackTheSame) {
  Batch batch{
      folder_,
      {{.case_file = "/a.yaml", .overrides = {"k=\"1\""}, .ranks = 3}, {.case_file = "/b.yaml"}}};
  name_jobs(batch);
  batch.jobs[1].noted = RunState{RunState::Kind::failed, 78, "bad"};
  batch.jobs[1].noted_stamp = "none";
  write_batch(batch);
  const Batch read = read_batch(folder_ + "/");
  ASSERT_EQ(read.jobs.size(), 2u);
  EXPECT_EQ(read.jobs[0].overrides, batch.jobs[0].overrides);
  EXPECT_EQ(read.jobs[0].ranks, 3);
  EXPECT_EQ(read.jobs[1].directory, folder_ + "/b");
  EXPECT_EQ(state_of_job(read.jobs[1]).code, 78);
}

TEST_F(BatchFolder, AHostileListIsRefused) {
  for (const char* text :
       {"", "[]", "{\"jobs\": []}",
        R"({"jobs": [{"name": "../x", "case": "a", "set": [], "ranks": 1}]})",
        R"({"jobs": [{"name": "x", "case": "a", "set": [1], "ranks": 1}]})",
        R"({"jobs": [{"name": "x", "case": "a", "set": [], "ranks": 1e9}]})",
        R"({"jobs": [{"name": "x", "case": "a", "set": [], "ranks": 1, "noted": {}}]})"}) {
    std::ofstream(folder_ + "/batch.json") << text;
    EXPECT_THROW(read_batch(folder_), Error) << text;
  }
}

TEST(BatchCode, IsThatOfTheFirstJobThatIsNotDone) {
  using Kind = RunState::Kind;
  EXPECT_EQ(batch_code({{Kind::completed, 0, ""}, {Kind::completed, 0, ""}}), ExitCode::done);
  EXPECT_EQ(batch_code({{Kind::completed, 0, ""}, {Kind::failed, 65, ""}, {Kind::failed, 80, ""}}),
            ExitCode::mesh);
  EXPECT_EQ(batch_code({{Kind::missing, 0, ""}}), ExitCode::stopped_unsaved);
  EXPECT_EQ(batch_code({{Kind::completed, 79, ""}}), ExitCode::expectation);
}

}  // namespace
}  // namespace trestle::jobs

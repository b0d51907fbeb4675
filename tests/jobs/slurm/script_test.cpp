#include "jobs/slurm/script.hpp"

#include <gtest/gtest.h>

#include "jobs/shell_quote.hpp"

namespace trestle::jobs {
namespace {

SlurmJob job_with(SlurmProfile profile) {
  return {.profile = std::move(profile),
          .name = "bracket",
          .program = "/opt/my programs/trestle",
          .working_directory = "/data/my cases",
          .log = "/data/my cases/run.slurm-%j.log",
          .runs = {{.name = "",
                    .case_file = "/data/my cases/bracket's.yaml",
                    .overrides = {"title=a $HOME `b`"},
                    .directory = "/data/my cases/run"}}};
}

bool has_line(const std::string& text, const std::string& line) {
  return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}

TEST(SlurmScript, SaysWhatTheProfileAsksFor) {
  SlurmProfile profile;
  profile.account = "proj";
  profile.partition = "spot";
  profile.nodes = 2;
  profile.tasks = 8;
  profile.gpus_per_task = 1;
  profile.gpu_type = "a100";
  profile.memory = "16 GiB";
  profile.time = "12:30:00";
  profile.options = {"--mail-type=END"};
  profile.modules = {"gcc/1.10"};
  const std::string script = sbatch_script(job_with(profile));
  for (const char* line :
       {"#!/bin/bash", "#SBATCH --job-name=bracket", "#SBATCH --account=proj",
        "#SBATCH --partition=spot", "#SBATCH --nodes=2", "#SBATCH --ntasks=8",
        "#SBATCH --gpus-per-task=a100:1", "#SBATCH --mem=16384M", "#SBATCH --time=12:30:00",
        "#SBATCH --signal=B:USR1@120", "#SBATCH --requeue", "#SBATCH --open-mode=append",
        "#SBATCH --mail-type=END", "module load gcc/1.10"})
    EXPECT_TRUE(has_line(script, line)) << line;
}

TEST(SlurmScript, QuotesBlanksAndWhatAShellWouldRead) {
  const std::string script = sbatch_script(job_with({}));
  EXPECT_TRUE(has_line(script, "#SBATCH --chdir=\"/data/my cases\""));
  EXPECT_TRUE(has_line(script, "#SBATCH --output=\"/data/my cases/run.slurm-%j.log\""));
  EXPECT_TRUE(has_line(script, "program='/opt/my programs/trestle'"));
  EXPECT_TRUE(has_line(script,
                       R"(set -- '/data/my cases/bracket'\''s.yaml' '/data/my cases/run' --set )"
                       R"('title=a $HOME `b`')"));
}

TEST(SlurmScript, ASweepIsAnArrayWithAFolderForEachRun) {
  SlurmJob job = job_with({});
  job.profile.array_limit = 3;
  job.array = true;
  job.runs = {
      {.name = "1-k=1", .case_file = "/c.yaml", .overrides = {"k=1"}, .directory = "/r/1-k=1"},
      {.name = "2-k=2", .case_file = "/c.yaml", .overrides = {"k=2"}, .directory = "/r/2-k=2"}};
  const std::string script = sbatch_script(job);
  EXPECT_TRUE(has_line(script, "#SBATCH --array=1-2%3"));
  EXPECT_TRUE(has_line(script, "1) set -- /c.yaml /r/1-k=1 --set k=1 ;;"));
  EXPECT_TRUE(has_line(script, "2) set -- /c.yaml /r/2-k=2 --set k=2 ;;"));
}

TEST(SlurmScript, HoldsTheWrapperWithoutItsOwnRequests) {
  SlurmProfile profile;
  profile.signal = "none";
  profile.requeue = false;
  const std::string script = sbatch_script(job_with(profile));
  EXPECT_EQ(script.find("#SBATCH --signal"), std::string::npos);
  EXPECT_TRUE(has_line(script, "#SBATCH --no-requeue"));
  EXPECT_TRUE(has_line(script, "requeue=no"));
  EXPECT_NE(script.find("post-exit"), std::string::npos);
}

TEST(ShellQuote, LeavesPlainWordsAlone) {
  EXPECT_EQ(shell_quote("a/b-c_1.yaml"), "a/b-c_1.yaml");
  EXPECT_EQ(shell_quote(""), "''");
  EXPECT_EQ(shell_quote("a;b"), "'a;b'");
  EXPECT_EQ(shell_quote("~"), "'~'");
}

}  // namespace
}  // namespace trestle::jobs

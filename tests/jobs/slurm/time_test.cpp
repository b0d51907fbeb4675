#include "jobs/slurm/time.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace trestle::jobs {
namespace {

// The forms of sbatch(1), --time.
TEST(SlurmTime, ReadsEveryFormThatSlurmKnows) {
  const std::pair<const char*, std::int64_t> known[] = {
      {"12:30:00", 45000}, {"1:30", 90},        {"90", 5400},      {"1-00:00:00", 86400},
      {"1-12", 129600},    {"1-12:30", 131400}, {"0-00:00:01", 1}, {"100:00:00", 360000},
      {"90:00", 5400},     {"UNLIMITED", 0},    {"010", 600},      {"90 min", 5400},
      {"1.5 h", 5400},     {"2 d", 172800}};
  for (const auto& [text, seconds] : known) {
    const SlurmAmount time = parse_slurm_time(text);
    EXPECT_TRUE(time.ok()) << text << ": " << time.fault;
    EXPECT_EQ(time.value, seconds) << text;
  }
}

TEST(SlurmTime, RefusesWhatSlurmWouldMisread) {
  for (const char* text : {"", "0", "1:60", "1:2:3:4", "1-24", "-5", "12:30:", ":30", "5 m",
                           "1-2-3", "12.5", "99999999999", "3 kg", "1:3x", "2024-05-01"})
    EXPECT_FALSE(parse_slurm_time(text).ok()) << text;
}

TEST(SlurmTime, WhatIsWrittenReadsBackTheSame) {
  for (std::int64_t seconds : {1, 59, 60, 5400, 45000, 86399, 86400, 131400, 864000, 0})
    EXPECT_EQ(parse_slurm_time(format_slurm_time(seconds)).value, seconds);
  EXPECT_EQ(format_slurm_time(45000), "12:30:00");
  EXPECT_EQ(format_slurm_time(86400), "1-00:00:00");
}

TEST(SlurmMemory, IsGivenWithItsUnit) {
  const std::pair<const char*, std::int64_t> known[] = {{"16G", 16384},  {"16 GiB", 16384},
                                                        {"4000M", 4000}, {"16 GB", 15259},
                                                        {"1T", 1048576}, {"512K", 1}};
  for (const auto& [text, mebibytes] : known)
    EXPECT_EQ(parse_slurm_memory(text).value, mebibytes) << text;
  for (const char* text : {"16", "", "G", "-1G", "1X", "0G", "1e30G"})
    EXPECT_FALSE(parse_slurm_memory(text).ok()) << text;
}

}  // namespace
}  // namespace trestle::jobs

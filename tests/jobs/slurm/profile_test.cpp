#include "jobs/slurm/profile.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/error.hpp"

namespace trestle::jobs {
namespace {

std::vector<std::string> faults_of(const std::string& text) {
  try {
    parse_slurm_profile(text, "site.yaml", {});
  } catch (const CaseError& error) {
    return error.messages();
  }
  return {};
}

bool has(const std::vector<std::string>& messages, const std::string& part) {
  return std::any_of(messages.begin(), messages.end(), [&](const std::string& message) {
    return message.find(part) != std::string::npos;
  });
}

TEST(SlurmProfile, TimesAndVersionsStayTexts) {
  const SlurmProfile profile = parse_slurm_profile(
      "time: 12:30:00\nmodules: [gcc/1.10, 1.10]\nenvironment: {VERSION: 1.10, DATE: 2024-05-01, "
      "PORT: 22:22, NO: no}\n",
      "site.yaml", {});
  EXPECT_EQ(profile.time, "12:30:00");
  EXPECT_EQ(profile.modules, (std::vector<std::string>{"gcc/1.10", "1.10"}));
  const std::vector<std::pair<std::string, std::string>> environment{
      {"VERSION", "1.10"}, {"DATE", "2024-05-01"}, {"PORT", "22:22"}, {"NO", "no"}};
  EXPECT_EQ(profile.environment, environment);
}

TEST(SlurmProfile, EveryMistakeIsToldWithItsPlaceInOnePass) {
  const auto messages = faults_of(
      "partitoin: spot\n"
      "time: 1:99\n"
      "memory: 16\n"
      "signal: KILL@5\n"
      "tasks: 0\n"
      "binding: cores\n"
      "account: a b\n"
      "options: [mail-type=END]\n"
      "environment: {1A: x}\n");
  EXPECT_EQ(messages.size(), 9u);
  EXPECT_TRUE(
      has(messages, "site.yaml:1:1: unknown key \"partitoin\", did you mean partition?") ||
      has(messages, "site.yaml:1:1: unknown key \"partitoin\", did you mean \"partition\"?"));
  EXPECT_TRUE(has(messages, "site.yaml:2:7: time: "));
  EXPECT_TRUE(has(messages, "site.yaml:3:9: memory: "));
  EXPECT_TRUE(has(messages, "site.yaml:4:9: signal: "));
  EXPECT_TRUE(has(messages, "site.yaml:5:8: tasks: "));
  EXPECT_TRUE(has(messages, "site.yaml:6:10: binding: "));
  EXPECT_TRUE(has(messages, "site.yaml:7:10: account: "));
  EXPECT_TRUE(has(messages, "site.yaml:8:11: options: "));
  EXPECT_TRUE(has(messages, "site.yaml:9:15: environment.1A: "));
}

TEST(SlurmProfile, WhatContradictsItselfIsRefused) {
  EXPECT_TRUE(
      has(faults_of("memory: 1G\nmemory_per_cpu: 1G\n"), "memory_per_cpu: stands beside memory"));
  EXPECT_TRUE(has(faults_of("nodes: 4\ntasks: 2\n"), "nodes: more nodes than tasks"));
  EXPECT_TRUE(has(faults_of("nodes: 2\ntasks: 8\ntasks_per_node: 2\n"), "tasks_per_node: "));
  EXPECT_TRUE(has(faults_of("gpu_type: a100\n"), "gpu_type: means nothing without gpus_per_task"));
}

TEST(SlurmProfile, ATimeThatEndsBeforeItsSignalIsRefused) {
  EXPECT_TRUE(has(faults_of("tasks: 2\ntime: 1:30\n"),
                  "site.yaml:2:7: time: \"1:30\" is 90 s, and the signal \"B:USR1@120\" comes 120 "
                  "to 180 s before the end"));
  EXPECT_TRUE(has(faults_of("time: 3\n"), "is 180 s"));
  EXPECT_TRUE(has(faults_of("time: 1:00:00\nsignal: USR1@3600\n"), "is 3600 s"));
  for (const char* text : {"time: 4\n", "time: 1:30\nsignal: none\n",
                           "time: 1:30\nsignal: USR1@20\n", "time: UNLIMITED\n", "tasks: 2\n"})
    EXPECT_TRUE(faults_of(text).empty()) << text;
}

TEST(SlurmProfile, OverridesStandAboveTheFile) {
  const SlurmProfile profile =
      parse_slurm_profile("tasks: 2\ntime: 1:00:00\n", "site.yaml", {"tasks=8", "time=90"});
  EXPECT_EQ(profile.tasks, 8);
  EXPECT_EQ(profile.time, "90");
  EXPECT_THROW(parse_slurm_profile("tasks: 2\n", "site.yaml", {"tasks"}), Error);
}

TEST(SlurmProfile, TheReferenceNamesEveryKey) {
  const std::string page = slurm_profile_reference();
  for (const OptionInfo& info : slurm_profile_info().entries)
    EXPECT_NE(page.find("| `" + info.name + "` |"), std::string::npos) << info.name;
}

}  // namespace
}  // namespace trestle::jobs

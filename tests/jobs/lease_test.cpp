#include "jobs/lease.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "jobs/process_id.hpp"
#include "tests/jobs/folder.hpp"
#include "tests/support/devices.hpp"

namespace trestle::jobs {
namespace {

// Of the leases that are waited for here, so that a test need not wait as long as a run does.
constexpr std::chrono::milliseconds short_beat{200};

class LeaseTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!test::world().is_root()) GTEST_SKIP() << "one process has a lease";
  }
  std::string path() const { return folder_.path() + "/lease.json"; }
  nlohmann::json read() const { return nlohmann::json::parse(std::ifstream(path())); }
  /// In place and at once, as the program writes it: no reader sees a part.
  void write(const nlohmann::json& lease) const {
    std::string text = lease.dump();
    text.resize(1024, ' ');
    const io::FileDescriptor file(open(path().c_str(), O_WRONLY | O_CREAT, 0640));
    ASSERT_EQ(pwrite(file.number(), text.data(), text.size(), 0), 1024);
  }
  ExitCode refusal() const {
    try {
      const Lease lease(folder_.path());
    } catch (const Error& e) {
      return e.code();
    }
    return ExitCode::done;
  }
  /// The process id of a child that has ended.
  static ProcessId dead_process() {
    ProcessId dead = this_process();
    const pid_t child = fork();
    if (child == 0) _exit(0);
    waitpid(child, nullptr, 0);
    dead.pid = child;
    return dead;
  }

  test::Folder folder_;
};

TEST_F(LeaseTest, counts_the_runs_of_a_directory) {
  for (int k = 1; k <= 3; ++k) {
    const Lease lease(folder_.path());
    EXPECT_EQ(lease.incarnation(), k);
  }
  EXPECT_EQ(last_incarnation(folder_.path()), 3);
}

TEST_F(LeaseTest, names_the_process_that_holds_it) {
  const Lease lease(folder_.path());
  EXPECT_EQ(process_from(read()), this_process());
  EXPECT_EQ(liveness(this_process()), Liveness::alive);
}

TEST_F(LeaseTest, is_not_given_to_a_second_run) {
  const Lease lease(folder_.path());
  EXPECT_EQ(refusal(), ExitCode::busy);
  EXPECT_NO_THROW(Lease(folder_.path() + "/.."));
  std::filesystem::remove(folder_.path() + "/../lease.json");
}

TEST_F(LeaseTest, of_a_living_process_is_refused_without_a_lock_too) {
  write(to_json(this_process()));
  EXPECT_EQ(refusal(), ExitCode::busy);
}

TEST_F(LeaseTest, of_a_dead_process_of_this_machine_is_taken_at_once) {
  nlohmann::json lease = to_json(dead_process());
  lease["incarnation"] = 7;
  write(lease);
  EXPECT_EQ(Lease(folder_.path()).incarnation(), 8);
}

TEST_F(LeaseTest, of_an_earlier_boot_is_taken_at_once) {
  ProcessId process = this_process();
  process.boot = "another";
  write(to_json(process));
  EXPECT_EQ(refusal(), ExitCode::done);
}

TEST_F(LeaseTest, of_a_process_number_that_is_used_again_is_taken) {
  ProcessId process = this_process();
  ++process.start;
  write(to_json(process));
  EXPECT_EQ(refusal(), ExitCode::done);
}

TEST_F(LeaseTest, of_another_machine_is_refused_while_it_beats) {
  ProcessId other = this_process();
  other.host = "another";
  nlohmann::json lease = to_json(other);
  write(lease);
  const pid_t child = fork();
  if (child == 0) {
    for (int beat = 1; beat < 300; ++beat) {
      lease["beats"] = beat;
      write(lease);
      usleep(200'000);
    }
    _exit(0);
  }
  EXPECT_EQ(refusal(), ExitCode::busy);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

TEST_F(LeaseTest, of_another_machine_is_taken_after_three_missed_beats) {
  ProcessId other = this_process();
  other.host = "another";
  nlohmann::json lease = to_json(other);
  lease["incarnation"] = 2;
  write(lease);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(Lease(folder_.path(), short_beat).incarnation(), 3);
  EXPECT_GE(std::chrono::steady_clock::now() - start, missed_beats * short_beat);
}

TEST_F(LeaseTest, that_another_run_has_taken_publishes_nothing) {
  Lease lease(folder_.path());
  lease.require_held();
  nlohmann::json other = read();
  other["incarnation"] = 2;
  write(other);
  try {
    lease.require_held();
    FAIL() << "the lease was lost";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ExitCode::busy);
  }
  lease.beat();
  EXPECT_EQ(read(), other) << "and it leaves the lease of the other alone";
}

TEST_F(LeaseTest, beats) {
  Lease lease(folder_.path());
  const auto before = read()["beats"].get<int>();
  lease.beat();
  EXPECT_EQ(read()["beats"], before + 1);
}

TEST_F(LeaseTest, of_a_run_that_does_not_begin_counts_for_nothing) {
  { const Lease first(folder_.path()); }
  const nlohmann::json before = read();
  {
    Lease lease(folder_.path());
    lease.undo();
  }
  EXPECT_EQ(read(), before);
}

TEST_F(LeaseTest, that_is_garbage_is_that_of_nobody_after_three_beats) {
  std::ofstream(path()) << "\x01[[[{";
  EXPECT_EQ(Lease(folder_.path(), short_beat).incarnation(), 1);
}

}  // namespace
}  // namespace trestle::jobs

#include "jobs/bounded_command.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <thread>

#include "io/files.hpp"

namespace trestle::jobs {
namespace {

constexpr std::size_t most_bytes = 1 << 16;
using Clock = std::chrono::steady_clock;

/// A child that reads nothing, writes to `out`, and has the signals of a fresh process.
pid_t spawn(const std::vector<std::string>& words, int out) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  pid_t child = -1;
  const int error =
      posix_spawnp(&child, arguments[0], &files, &attributes, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  return error == 0 ? child : -1;
}

/// Reads to the end of `fd`; false where that did not come in time, or too much.
bool read_until(int fd, Clock::time_point end, std::string& text) {
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
    pollfd wait{fd, POLLIN, 0};
    if (left.count() <= 0 || poll(&wait, 1, static_cast<int>(left.count())) == 0) return false;
    char buffer[4096];
    const ssize_t n = read(fd, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return n == 0;
    text.append(buffer, static_cast<std::size_t>(n));
    if (text.size() > most_bytes) return false;
  }
}

/// The exit status of `child`, which is killed where it does not end in time.
int wait_until(pid_t child, Clock::time_point end) {
  int status = -1;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (Clock::now() >= end) kill(child, SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return status;
}

}  // namespace

std::optional<std::string> run_bounded(const std::vector<std::string>& words,
                                       std::chrono::milliseconds limit) {
  const auto end = Clock::now() + limit;
  int ends[2] = {-1, -1};
  if (words.empty() || pipe2(ends, O_CLOEXEC) != 0) return {};
  const io::FileDescriptor from(ends[0]);
  io::FileDescriptor to(ends[1]);
  const pid_t child = spawn(words, to.number());
  to.close();
  if (child < 0) return {};
  std::string text;
  const bool complete = read_until(from.number(), end, text);
  const int status = wait_until(child, complete ? end : Clock::now());
  if (!complete || !WIFEXITED(status) || WEXITSTATUS(status) != 0) return {};
  return text;
}

}  // namespace trestle::jobs

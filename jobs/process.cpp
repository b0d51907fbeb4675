#include "jobs/process.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <system_error>

#include "core/error.hpp"
#include "io/files.hpp"
#include "io/roots.hpp"

extern char** environ;

namespace trestle::jobs {
namespace {

/// The settings of a new process; freed at the end of its life.
struct SpawnSettings {
  posix_spawn_file_actions_t files{};
  posix_spawnattr_t attributes{};
  SpawnSettings() {
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attributes);
    // A program that is started begins with the signals that programs begin with.
    sigset_t all;
    sigfillset(&all);
    posix_spawnattr_setsigdefault(&attributes, &all);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
  }
};

pid_t spawn(const std::vector<std::string>& words, const SpawnSettings& settings) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t pid = 0;
  const int error = posix_spawnp(&pid, arguments[0], &settings.files, &settings.attributes,
                                 arguments.data(), environ);
  if (error != 0)
    throw SystemError(ExitCode::no_input, "cannot start " + words[0] + ": " +
                                              std::generic_category().message(error) +
                                              "; check that it is installed and on PATH");
  return pid;
}

int wait_for(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0)
    if (errno != EINTR) return -1;
  return exit_code_of_wait(status);
}

}  // namespace

int exit_code_of_wait(int status) {
  constexpr int signal_base = 128;
  return WIFEXITED(status) ? WEXITSTATUS(status) : signal_base + WTERMSIG(status);
}

pid_t start_process(const std::vector<std::string>& words, const std::string& log) {
  io::require_in_roots(log);
  const io::FileDescriptor file(
      open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0640));
  if (!file) throw io::file_error("create", log, errno, ExitCode::cannot_create);
  SpawnSettings settings;
  posix_spawn_file_actions_addopen(&settings.files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&settings.files, file.number(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&settings.files, file.number(), STDERR_FILENO);
  posix_spawnattr_setflags(&settings.attributes,
                           POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&settings.attributes, 0);
  return spawn(words, settings);
}

Output run_process(const std::vector<std::string>& words) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    throw SystemError(ExitCode::system,
                      "cannot make a pipe: " + std::generic_category().message(errno));
  const io::FileDescriptor reading(ends[0]);
  io::FileDescriptor writing(ends[1]);
  SpawnSettings settings;
  posix_spawn_file_actions_adddup2(&settings.files, writing.number(), STDOUT_FILENO);
  const pid_t pid = spawn(words, settings);
  writing.close();
  Output output;
  constexpr std::size_t most = 1 << 16;
  char buffer[4096];
  for (ssize_t n = 0; (n = read(reading.number(), buffer, sizeof buffer)) != 0;) {
    if (n < 0 && errno != EINTR) break;
    if (n > 0 && output.text.size() < most) output.text.append(buffer, static_cast<std::size_t>(n));
  }
  output.code = wait_for(pid);
  return output;
}

}  // namespace trestle::jobs

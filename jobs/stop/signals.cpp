#include "jobs/stop/signals.hpp"

#include <sys/prctl.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstring>
#include <ctime>
#include <fstream>
#include <initializer_list>
#include <string>

#include "jobs/watch/whereabouts.hpp"

namespace trestle::jobs {
namespace {

constexpr std::initializer_list<int> asking{SIGUSR1, SIGUSR2, SIGTERM, SIGINT, SIGXCPU, SIGHUP};
constexpr std::initializer_list<int> crashing{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
constexpr int interrupted = 130;

static_assert(std::atomic<int>::is_always_lock_free && std::atomic<long long>::is_always_lock_free);
// Handlers touch nothing else.
std::atomic<int> asked_level{0};
std::atomic<int> asked_saves{0};
std::atomic<int> interrupts{0};
std::atomic<int> asking_signal{0};
std::atomic<long long> asked_at{0};  // [ns] of the monotonic clock

long long now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);  // may be called in a handler [signal-safety(7)]
  return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

void raise_level(StopLevel level, int signal) {
  const int wanted = static_cast<int>(level);
  int before = asked_level.load();
  while (before < wanted && !asked_level.compare_exchange_weak(before, wanted)) {
  }
  if (before >= wanted) return;
  asking_signal = signal;
  asked_at = now_ns();
}

extern "C" void take_request(int signal) {
  if (signal == SIGINT && ++interrupts > 1) _exit(interrupted);
  if (signal == SIGUSR2)
    ++asked_saves;
  else
    raise_level(signal == SIGTERM ? StopLevel::terminate : StopLevel::stop, signal);
}

/// Text put together without memory or locks, which a crash may hold.
class Line {
 public:
  void add(const char* text) {
    while (*text != 0 && n_ < sizeof bytes_) bytes_[n_++] = *text++;
  }
  void add(long long number) {
    char digits[24];
    std::size_t n = 0;
    if (number < 0) add("-");
    unsigned long long left = number < 0 ? 0ULL - static_cast<unsigned long long>(number)
                                         : static_cast<unsigned long long>(number);
    do digits[n++] = static_cast<char>('0' + left % 10);
    while ((left /= 10) > 0);
    while (n > 0 && n_ < sizeof bytes_) bytes_[n_++] = digits[--n];
  }
  void write_to(int fd) const {
    if (::write(fd, bytes_, n_) < 0) return;
  }

 private:
  char bytes_[256];
  std::size_t n_ = 0;
};

/// What the process ends with whatever crashes; -1: a crash counts.
std::atomic<int> settled_code{-1};

extern "C" void report_crash(int signal) {
  const Whereabouts& here = whereabouts();
  Line line;
  if (const int code = settled_code; code >= 0) {
    line.add("warning: rank ");
    line.add(here.rank.load());
    line.add(": signal ");
    line.add(signal_name(signal));
    line.add(" behind the end, in a library that cleans up; the exit code stays ");
    line.add(code);
    line.add("\n");
    line.write_to(STDERR_FILENO);
    _exit(code);
  }
  line.add("error on rank ");
  line.add(here.rank.load());
  line.add(": signal ");
  line.add(signal_name(signal));
  line.add(" (exit code ");
  line.add(128 + signal);
  line.add(") in phase ");
  line.add(here.phase.load());
  line.add(", step ");
  line.add(here.step.load());
  line.add("; this is a bug of Trestle or of a library, or memory that failed\n");
  line.write_to(STDERR_FILENO);
  raise(signal);  // the handler was for once: the default action follows
}

void set_handler(int signal, void (*handler)(int), int flags) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, nullptr);
}

bool is_ignored(int signal) {
  struct sigaction action {};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

const char* to_string(StopLevel level) {
  switch (level) {
    case StopLevel::none:
      return "none";
    case StopLevel::save:
      return "save";
    case StopLevel::stop:
      return "stop";
    case StopLevel::terminate:
      return "terminate";
  }
  return "";
}

const char* signal_name(int signal) {
  const char* name = sigabbrev_np(signal);
  return name == nullptr ? "unknown" : name;
}

void catch_signals() {
  static const bool hang_up_was_ignored = is_ignored(SIGHUP);
  for (const int signal : asking) set_handler(signal, take_request, SA_RESTART);
  if (hang_up_was_ignored) set_handler(SIGHUP, SIG_IGN, 0);
  for (const int signal : {SIGPIPE, SIGXFSZ}) set_handler(signal, SIG_IGN, 0);
}

void end_with(int code) { settled_code = code; }

void catch_crashes() {
  // A stack that overflowed has no room for a handler.
  static char stack[1 << 16];
  stack_t other{};
  other.ss_sp = stack;
  other.ss_size = sizeof stack;
  sigaltstack(&other, nullptr);
  whereabouts();
  for (const int signal : crashing)
    set_handler(signal, report_crash, SA_ONSTACK | SA_RESETHAND | SA_NODEFER);
}

void release_signals() {
  for (const int signal : asking)
    if (!is_ignored(signal)) set_handler(signal, SIG_DFL, 0);
  if (asked_level > 0) raise(asking_signal);
  if (asked_saves > 0) raise(SIGUSR2);
}

void die_with_launcher() {
  const pid_t launcher = getppid();
  std::ifstream file("/proc/" + std::to_string(launcher) + "/comm");
  std::string name;
  std::getline(file, name);
  if (name != "mpirun" && name != "orted" && name != "prte" && name != "prted") return;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != launcher) raise(SIGKILL);  // it went before that
}

Signalled signalled() {
  Signalled result;
  result.level = static_cast<StopLevel>(asked_level.load());
  result.saves = asked_saves;
  result.signal = asking_signal;
  if (result.level != StopLevel::none)
    result.seconds_ago = 1e-9 * static_cast<double>(now_ns() - asked_at.load());
  return result;
}

}  // namespace trestle::jobs

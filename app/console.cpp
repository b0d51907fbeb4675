#include "app/console.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "core/standard_streams.hpp"
#include "io/escape.hpp"

namespace trestle::app {

namespace {

/// Whether a person watches: mpirun gives its ranks a terminal of its own, so its standard output
/// counts then.
bool watched() {
  if (std::getenv("OMPI_COMM_WORLD_SIZE") == nullptr) return isatty(STDOUT_FILENO) != 0;
  const int launcher =
      open(fmt::format("/proc/{}/fd/1", getppid()).c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC);
  const bool terminal = launcher >= 0 && isatty(launcher) != 0;
  if (launcher >= 0) close(launcher);
  return terminal;
}

}  // namespace

Console::Console(const Comm& comm, bool quiet)
    : active_(comm.is_root() && !quiet), terminal_(active_ && watched()) {}

void Console::clear_progress() {
  if (progress_shown_) write_to(stdout, "\r\033[K");
  progress_shown_ = false;
}

void Console::line(const std::string& text) {
  if (!active_) return;
  clear_progress();
  write_to(stdout, "{}\n", printable(text));
  std::fflush(stdout);
}

void Console::start_solve() {
  solve_start_ = last_shown_ = Clock::now();
  first_residual_ = 0;
}

bool Console::is_due() {
  const auto now = Clock::now();
  if (now - last_shown_ < (terminal_ ? std::chrono::milliseconds(100) : std::chrono::seconds(10)))
    return false;
  last_shown_ = now;
  return true;
}

void Console::show(const std::string& text) {
  if (terminal_) {
    write_to(stdout, "\r\033[K{}", text);
    progress_shown_ = true;
  } else {
    write_to(stdout, "{}\n", text);
  }
  std::fflush(stdout);
}

void Console::iteration(int number, double residual, double tolerance) {
  if (!active_) return;
  if (first_residual_ == 0) first_residual_ = residual;
  if (!is_due()) return;
  const double elapsed = std::chrono::duration<double>(last_shown_ - solve_start_).count();
  const double done = std::log(first_residual_ / residual),
               all = std::log(first_residual_ / tolerance);
  const std::string eta = done > 0 && all > done
                              ? fmt::format(", about {:.0f} s left", elapsed * (all - done) / done)
                              : "";
  show(fmt::format("  solve: iteration {}, residual {:.2e}{}", number, residual, eta));
}

void Console::step(double done, const std::string& text) {
  if (!active_) return;
  if (first_step_ == Clock::time_point{}) first_step_ = last_shown_ = Clock::now();
  if (!is_due()) return;
  const double elapsed = std::chrono::duration<double>(last_shown_ - first_step_).count();
  const std::string eta =
      done > 0 ? fmt::format(", about {:.0f} s left", elapsed * (1 - done) / done) : "";
  show(fmt::format("  {}{}", text, eta));
}

std::string printable(const std::string& text) {
  std::string safe;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    safe += (safe.empty() ? "" : "\n") + io::escape_terminal(line);
  return safe;
}

}  // namespace trestle::app

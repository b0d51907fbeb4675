#include "jobs/stop/deadline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <limits>

#include "jobs/bounded_command.hpp"

namespace trestle::jobs {
namespace {

constexpr double most_reserve = 60;  // [s]
constexpr double reserve_of_limit = 0.1;
constexpr std::chrono::seconds patience{10};

double seconds_since_1970() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace

std::optional<double> parse_end_time(const std::string& text) {
  std::tm parts{};
  if (strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S", &parts) == nullptr) return {};
  parts.tm_isdst = -1;
  const std::time_t time = std::mktime(&parts);
  if (time == -1) return {};
  return static_cast<double>(time);
}

std::optional<double> slurm_end_time() {
  const char* job = std::getenv("SLURM_JOB_ID");
  if (job == nullptr) return {};
  if (const auto answer = run_bounded({"squeue", "-h", "-j", job, "-o", "%e"}, patience))
    return parse_end_time(*answer);
  const char* end = std::getenv("SLURM_JOB_END_TIME");
  const double seconds = end == nullptr ? 0 : std::atof(end);
  if (seconds <= 0) return {};
  return seconds;
}

Deadline::Deadline(double wall_time, StopBoard& board, std::chrono::milliseconds between_readings)
    : wall_time_(wall_time),
      board_(board),
      between_readings_(between_readings),
      start_(Clock::now()),
      next_reading_(start_),
      watch_(std::chrono::milliseconds(500), [this] { look(); }) {}

/// A limit that squeue does not tell this time stays as it was.
void Deadline::read_slurm() {
  if (Clock::now() < next_reading_) return;
  constexpr double longest = 1e9;  // [s]
  if (const auto end = slurm_end_time())
    slurm_end_ =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(
                           std::clamp(*end - seconds_since_1970(), -longest, longest)));
  next_reading_ = Clock::now() + between_readings_;
}

void Deadline::look() {
  if (asked_) return;
  read_slurm();
  const double gone = std::chrono::duration<double>(Clock::now() - start_).count();
  const double infinite = std::numeric_limits<double>::infinity();
  const double by_case = wall_time_ > 0 ? wall_time_ - gone : infinite;
  const double by_slurm =
      slurm_end_ ? std::chrono::duration<double>(*slurm_end_ - Clock::now()).count() : infinite;
  const double left = std::min(by_case, by_slurm);
  const double reserve = std::min(most_reserve, reserve_of_limit * (gone + left));
  if (left > reserve + step_s_ + 2 * save_s_) return;
  asked_ = true;
  board_.ask(
      StopLevel::stop,
      by_case <= by_slurm
          ? fmt::format("the wall time of {:g} s (stop.wall_time)", wall_time_)
          : fmt::format("the time limit of the Slurm job, {:.0f} s from now", by_slurm),
      Clock::now() + std::chrono::milliseconds(static_cast<long long>(1e3 * std::max(left, 0.0))));
}

}  // namespace trestle::jobs

#include "jobs/stop/monitor.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <utility>

#include "core/fault.hpp"
#include "jobs/stop/signals.hpp"
#include "jobs/watch/whereabouts.hpp"

namespace trestle::jobs {
namespace {

constexpr double look_every = 0.05;  // [s] within a solve
constexpr int most_iterations = 10000;
constexpr int level_shift = 6;  // below the level: the logarithm of a time

/// Of where a rank is; two that are not at the same place differ in 255 of 256 cases.
std::uint8_t hash_of_state() {
  const Whereabouts& here = whereabouts();
  std::uint64_t key =
      here.state + 0x9e3779b97f4a7c15ULL * static_cast<std::uint64_t>(here.step.load());
  key = (key ^ (key >> 30)) * 0xbf58476d1ce4e5b9ULL;  // splitmix64 [Steele et al. 2014]
  return static_cast<std::uint8_t>((key ^ (key >> 27)) * 0x94d049bb133111ebULL >> 56);
}

/// log2 of a time in microseconds, so that it fits beside the level in one byte.
std::uint8_t short_time(double seconds) {
  const auto us = static_cast<std::uint64_t>(std::clamp(1e6 * seconds, 0.0, 1e15));
  return static_cast<std::uint8_t>(std::bit_width(us));
}
double long_time(std::uint8_t byte) {
  constexpr unsigned mask = (1U << level_shift) - 1;
  return 1e-6 * static_cast<double>(std::uint64_t{1} << (byte & mask));
}

}  // namespace

struct StopMonitor::Message {
  explicit Message(Comm of) : comm(std::move(of)) {}
  Comm comm;
  std::array<std::uint8_t, 3> own{}, all{};  // level and time; a hash of the state, and its inverse
  MPI_Request request = MPI_REQUEST_NULL;
};

StopMonitor::StopMonitor(const Comm& comm, double kill_wait)
    : comm_(comm),
      kill_wait_(kill_wait),
      board_(std::make_unique<StopBoard>()),
      message_(std::make_unique<Message>(Comm(comm.handle()))),
      last_look_(Clock::now()) {}

StopMonitor::~StopMonitor() {
  // A rank that fails alone must not wait here for others: what MPI still works with lives on.
  int done = 0;
  if (MPI_Test(&message_->request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS || done == 0)
    static_cast<void>(message_.release());
}

std::uint8_t StopMonitor::own_byte() {
  const Signalled signals = signalled();
  const StopBoard::Entry entry = board_->entry();
  StopLevel level = std::max(signals.level, entry.level);
  const bool by_signal = signals.saves > answered_signals_;
  if (level == StopLevel::none && (by_signal || entry.saves > answered_board_)) {
    level = StopLevel::save;
    save_reason_ = by_signal ? "signal USR2" : entry.save_reason;
  }
  answered_signals_ = signals.saves;
  answered_board_ = entry.saves;
  const double since = std::chrono::duration<double>(Clock::now() - last_look_).count();
  last_look_ = Clock::now();
  longest_silence_s_ = std::max(longest_silence_s_, since);
  return static_cast<std::uint8_t>((static_cast<unsigned>(level) << level_shift) |
                                   short_time(since));
}

/// Tells who is where.
void StopMonitor::refuse_difference() const {
  const std::vector<std::int64_t> steps = comm_.all_gather(std::int64_t{whereabouts().step.load()});
  throw Error(ExitCode::bug,
              fmt::format("the ranks do not agree on where they are: rank 0 is in step {}, others "
                          "in step {} to {}; this is a bug of Trestle, or memory that failed",
                          steps.front(), *std::min_element(steps.begin(), steps.end()),
                          *std::max_element(steps.begin(), steps.end())));
}

/// Takes the answer to the last look, and looks again.
void StopMonitor::advance() {
  ++whereabouts().progress;
  Message& message = *message_;
  const bool first = message.request == MPI_REQUEST_NULL;
  check_mpi(MPI_Wait(&message.request, MPI_STATUS_IGNORE), "MPI_Wait");
  const std::uint8_t answer = first ? 0 : message.all[0];
  const bool differ = !first && message.all[1] != static_cast<std::uint8_t>(~message.all[2]);
  const std::uint8_t hash = hash_of_state();
  message.own = {own_byte(), hash, static_cast<std::uint8_t>(~hash)};
  check_mpi(MPI_Iallreduce(message.own.data(), message.all.data(), 3, MPI_UINT8_T, MPI_MAX,
                           message.comm.handle(), &message.request),
            "MPI_Iallreduce");
  if (differ) refuse_difference();
  const auto level = static_cast<StopLevel>(answer >> level_shift);
  if (level == StopLevel::save) save_pending_ = true;
  if (level != StopLevel::none && level > request_.level) agree_on_reason(level);
  if (level == StopLevel::none) set_interval(answer);
  before_look_ = std::exchange(since_look_, 0);
  until_look_ = interval_;
}

/// From the longest time that the iterations up to the last look took on any rank.
void StopMonitor::set_interval(std::uint8_t answer) {
  if (before_look_ == 0) return;
  const double wanted = look_every * before_look_ / long_time(answer);
  const double most = std::min(2.0 * interval_, static_cast<double>(most_iterations));
  interval_ = static_cast<int>(std::clamp(wanted, 1.0, most));
}

void StopMonitor::close() {
  check_mpi(MPI_Wait(&message_->request, MPI_STATUS_IGNORE), "MPI_Wait");
}

StopLevel StopMonitor::poll() {
  advance();
  if (request_.level >= StopLevel::stop) return request_.level;
  request_.level = StopLevel::none;
  return std::exchange(save_pending_, false) ? StopLevel::save : StopLevel::none;
}

void StopMonitor::check() {
  advance();
  if (request_.level < StopLevel::stop) return;
  throw Stopped(ExitCode::stopped_unsaved,
                fmt::format("{}, and nothing new was saved", request_.reason));
}

void StopMonitor::check_in_solve() {
  fault_at("solve:iteration");
  ++whereabouts().progress;
  ++since_look_;
  if (--until_look_ <= 0) check();
}

StopRequest StopMonitor::own_request() const {
  const Signalled signals = signalled();
  const StopBoard::Entry entry = board_->entry();
  if (signals.level != StopLevel::none && signals.level >= entry.level)
    return {signals.level, fmt::format("signal {}", signal_name(signals.signal)), {}};
  if (entry.level != StopLevel::none) return {entry.level, entry.reason, {}};
  return {save_reason_.empty() ? StopLevel::none : StopLevel::save, save_reason_, {}};
}

/// The reason of the lowest rank that has the level.
void StopMonitor::agree_on_reason(StopLevel level) {
  const StopRequest own = own_request();
  const int first = comm_.min(own.level >= level ? comm_.rank() : comm_.size());
  const std::vector<std::string> reasons = comm_.gather(comm_.rank() == first ? own.reason : "");
  std::string reason;
  for (const std::string& one : reasons)
    if (!one.empty()) reason = one;
  request_ = {level, comm_.broadcast(reason), {}};
  save_reason_.clear();
  const double left = comm_.min(remaining_s());
  if (left < std::numeric_limits<double>::infinity()) request_.remaining_s = left;
}

double StopMonitor::remaining_s() const {
  double left = std::numeric_limits<double>::infinity();
  const Signalled signals = signalled();
  if (signals.level == StopLevel::terminate) left = kill_wait_ - signals.seconds_ago;
  if (const auto end = board_->entry().end)
    left = std::min(left, std::chrono::duration<double>(*end - Clock::now()).count());
  return left;
}

}  // namespace trestle::jobs

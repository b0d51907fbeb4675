// StopMonitor: whether a run shall stop or save, agreed by its ranks without making them wait.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "core/comm.hpp"
#include "jobs/stop/board.hpp"
#include "jobs/stop/request.hpp"

namespace trestle::jobs {

/// Any rank may have been asked: by a signal, or on its board by what watches there. The level of
/// all is the maximum of one byte, reduced while the run goes on: posted at one poll, known at the
/// next. Every rank polls equally often; all get the same answer at the same poll. Two bytes more
/// show whether the ranks are in the same step: where they are not all throw Error(70).
class StopMonitor {
 public:
  /// `kill_wait` is what a process has after TERM until it is killed [s]. Collective.
  StopMonitor(const Comm& comm, double kill_wait);
  StopMonitor(const StopMonitor&) = delete;
  StopMonitor& operator=(const StopMonitor&) = delete;
  ~StopMonitor();

  /// Of this rank.
  StopBoard& board() { return *board_; }

  /// What is asked of the run now. A request to save is answered once, to stop for ever.
  /// Collective, and waits for no rank that is less than a poll behind.
  StopLevel poll();
  /// The same between phases and corrections, where work may be given up: throws Stopped(85) for
  /// stop and terminate; a request to save waits for the next `poll`. Collective.
  void check();
  /// The same after each iteration of a linear solver; it looks some twenty times a second.
  /// Collective.
  void check_in_solve();

  /// Ends the agreement; nothing may be polled after it. Collective.
  void close();

  /// The latest answer with its reason, the same on all ranks.
  const StopRequest& request() const { return request_; }
  /// The longest time that this rank has not looked since the last call of this. [s]
  double take_silence_s() { return std::exchange(longest_silence_s_, 0); }
  /// Until the process is killed, as this rank knows now: infinite where no time is known. [s]
  double remaining_s() const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Message;  // lives on where a rank ends between two polls
  void advance();
  std::uint8_t own_byte();
  StopRequest own_request() const;
  void agree_on_reason(StopLevel level);
  void set_interval(std::uint8_t answer);
  [[noreturn]] void refuse_difference() const;

  Comm comm_;
  double kill_wait_;
  std::unique_ptr<StopBoard> board_;
  std::unique_ptr<Message> message_;
  StopRequest request_;
  bool save_pending_ = false;
  std::string save_reason_;                        // of this rank
  int answered_signals_ = 0, answered_board_ = 0;  // requests to save
  int interval_ = 1, until_look_ = 1;              // iterations
  int since_look_ = 0, before_look_ = 0;           // iterations since, and up to, the last look
  Clock::time_point last_look_;
  double longest_silence_s_ = 0;
};

}  // namespace trestle::jobs

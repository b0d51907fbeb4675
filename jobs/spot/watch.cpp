#include "jobs/spot/watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "jobs/periodic.hpp"

namespace trestle::jobs {
namespace {

constexpr int most_doublings = 6;  // of the pause: up to about a minute

std::chrono::milliseconds jittered(std::chrono::milliseconds pause, int failures) {
  thread_local std::minstd_rand random{std::random_device{}()};
  const auto longest = pause * (1 << std::min(failures, most_doublings));
  if (failures == 0) return pause;
  return longest / 2 +
         std::chrono::milliseconds(static_cast<long long>(random()) % (longest.count() / 2 + 1));
}

}  // namespace

SpotWatch::SpotWatch(io::SpotChoice choice, StopBoard& board)
    : board_(board),
      client_(choice == io::SpotChoice::off ? "" : metadata_address(), &ends_),
      choice_(choice) {
  if (choice == io::SpotChoice::off) return;
  if (choice != io::SpotChoice::automatic) refuse_silence(choice);
  thread_ = quiet_thread([this] { run(); });
}

SpotWatch::~SpotWatch() {
  ends_ = true;
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void SpotWatch::refuse_silence(io::SpotChoice choice) {
  source_ = find_spot_source(choice, client_);
  const MetadataReply reply = client_.ask({.path = "/"});
  if (reply.status == 0)
    throw Error(
        ExitCode::no_device,
        fmt::format("stop.spot: {}: the metadata service does not answer ({}); leave the key "
                    "out where the run is not in that cloud",
                    source_->name(), reply.fault));
}

void SpotWatch::run() {
  try {
    if (!source_) source_ = find_spot_source(choice_, client_);
    while (source_ && !ends_) {
      if (!take(source_->look())) return;
      std::unique_lock lock(mutex_);
      wake_.wait_for(lock, jittered(source_->pause(), failures_),
                     [this] { return ends_.load() || saved_.load(); });
      lock.unlock();
      acknowledge();
    }
    acknowledge();
  } catch (const std::exception& e) {
    board_.warn(fmt::format("notices of preemption are not heard: {}", e.what()));
  }
}

void SpotWatch::acknowledge() {
  if (!source_ || !saved_.exchange(false)) return;
  const bool ended = ends_.exchange(false);  // which would stop the request
  source_->acknowledge();
  if (ended) ends_ = true;
}

bool SpotWatch::take(const SpotLook& look) {
  if (look.notice) {
    std::optional<StopBoard::Clock::time_point> end;
    if (look.notice->left_s)
      end = StopBoard::Clock::now() +
            std::chrono::milliseconds(static_cast<long long>(1e3 * *look.notice->left_s));
    board_.ask(look.notice->level, look.notice->reason, end);
  }
  if (look.fault.empty()) {
    failures_ = 0;
    return true;
  }
  ++failures_;
  if (ends_) return false;
  const bool gives_up = look.refused && failures_ > 1;
  if (!warned_ && (failures_ > 1 || look.refused)) {
    warned_ = true;
    board_.warn(fmt::format("notices of preemption from {}: {}; the run goes on{}", source_->name(),
                            look.fault, look.refused ? " without them" : ""));
  }
  return !gives_up;
}

}  // namespace trestle::jobs

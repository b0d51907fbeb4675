// SpotWatch: listens to the notices of a cloud beside a run.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "jobs/spot/notice.hpp"
#include "jobs/stop/board.hpp"

namespace trestle::jobs {

/// One thread on one rank of each machine. It asks again and again, ever more seldom where nobody
/// answers, and gives up with one warning where the service refuses.
class SpotWatch {
 public:
  /// A cloud that is named must answer now: throws Error(69) where nothing does, 64 for a wrong
  /// TRESTLE_METADATA_URL. `board` outlives it.
  SpotWatch(io::SpotChoice choice, StopBoard& board);
  SpotWatch(const SpotWatch&) = delete;
  SpotWatch& operator=(const SpotWatch&) = delete;
  ~SpotWatch();

  /// The run is saved after a notice: the cloud is told that it need not wait. From any thread.
  void saved() {
    saved_ = true;
    wake_.notify_all();
  }

 private:
  void run();
  void refuse_silence(io::SpotChoice choice);
  /// Takes what a look brought; returns whether to go on.
  bool take(const SpotLook& look);
  void acknowledge();

  StopBoard& board_;
  std::atomic<bool> ends_{false}, saved_{false};
  MetadataClient client_;
  io::SpotChoice choice_;
  std::unique_ptr<SpotSource> source_;
  std::mutex mutex_;
  std::condition_variable wake_;
  int failures_ = 0;
  bool warned_ = false;
  std::thread thread_;
};

}  // namespace trestle::jobs

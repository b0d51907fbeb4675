// Periodic: work that a thread of its own does again and again beside a run.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace trestle::jobs {

/// Calls `work` every `period`, from now on to the end of this object, on a thread that takes no
/// signals. The work must not call MPI, PETSc, HDF5 or CUDA, and what it throws ends the program:
/// it catches. The end waits for work in progress.
class Periodic {
 public:
  Periodic(std::chrono::milliseconds period, std::function<void()> work);
  Periodic(const Periodic&) = delete;
  Periodic& operator=(const Periodic&) = delete;
  ~Periodic();

 private:
  void run();

  std::chrono::milliseconds period_;
  std::function<void()> work_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool ends_ = false;
  std::thread thread_;
};

/// A thread in which no signal handler runs but those of its own faults.
/// Throws SystemError(71) where none can be made.
std::thread quiet_thread(std::function<void()> work);

}  // namespace trestle::jobs

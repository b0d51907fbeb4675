// Where this process is in its run, for whoever cannot ask it: signal handlers and other threads.
#pragma once

#include <atomic>
#include <cstdint>

namespace trestle::jobs {

/// One per process. Texts are literals.
struct Whereabouts {
  std::atomic<int> rank{0};
  std::atomic<const char*> phase{"start"};
  std::atomic<std::int64_t> step{0};
  std::atomic<std::uint64_t> progress{0};  // grows as long as the process gets on
  std::atomic<std::uint64_t> state{0};     // the same on all ranks: step and time in one number
};
inline Whereabouts& whereabouts() {
  static_assert(std::atomic<const char*>::is_always_lock_free);
  static Whereabouts here;
  return here;
}

}  // namespace trestle::jobs

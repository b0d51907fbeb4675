// What a rank does while it waits for others and there are more ranks than cores.
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <chrono>

namespace {

using Clock = std::chrono::steady_clock;

/// A wait is one while its calls follow each other so closely.
constexpr auto of_one_wait = std::chrono::microseconds(20);
/// Messages of ranks that run come within that time, and sleeps would make them late.
constexpr auto patience = std::chrono::milliseconds(3);
constexpr timespec short_sleep{0, 20'000};

thread_local Clock::time_point wait_began, last_return;

}  // namespace

/// Open MPI calls this in its waits where it counts more ranks than cores, and its libraries find
/// the one of the program before that of the C library. Linux gives a thread that yields its next
/// turn almost at once, so that where cores are busy ranks that wait keep those they wait for from
/// running. So long waits sleep.
extern "C" int sched_yield() noexcept {
  const Clock::time_point now = Clock::now();
  if (now - last_return > of_one_wait) wait_began = now;
  if (now - wait_began < patience)
    syscall(SYS_sched_yield);
  else
    nanosleep(&short_sleep, nullptr);
  last_return = Clock::now();
  return 0;
}

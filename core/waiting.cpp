// What a rank does while it waits for others and there are more ranks than cores.
#include <sched.h>
#include <time.h>

/// Open MPI calls this in its waits where it counts more ranks than cores, and its libraries find
/// the one of the program before that of the C library. Linux gives a thread that yields its next
/// turn almost at once, so that waiting ranks keep those they wait for from the cores: on two busy
/// cores the unit tests of fem took six times as long on four ranks. A short sleep leaves the core.
extern "C" int sched_yield() noexcept {
  constexpr timespec a_while{0, 20'000};
  nanosleep(&a_while, nullptr);
  return 0;
}

// A time of day that is wrong by the seconds in the file $FALSE_CLOCK, which may change at any time: preloaded into a program.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long long offset(void) {
  const int before = errno;
  char text[32] = {0};
  const char* path = getenv("FALSE_CLOCK");
  const int file = path == NULL ? -1 : open(path, O_RDONLY | O_CLOEXEC);
  if (file >= 0) {
    if (read(file, text, sizeof text - 1) < 0) text[0] = 0;
    close(file);
  }
  errno = before;
  return atoll(text);
}

int clock_gettime(clockid_t clock, struct timespec* now) {
  const long code = syscall(SYS_clock_gettime, clock, now);
  if (code == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
    now->tv_sec += offset();
  return (int)code;
}

int gettimeofday(struct timeval* restrict now, void* restrict zone) {
  const long code = syscall(SYS_gettimeofday, now, zone);
  if (code == 0) now->tv_sec += offset();
  return (int)code;
}

time_t time(time_t* to) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (to != NULL) *to = now.tv_sec;
  return now.tv_sec;
}

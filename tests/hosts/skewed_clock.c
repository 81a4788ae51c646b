// A library for LD_PRELOAD: the wall clock of the process differs by SKEW_SECONDS. The monotonic clock stays, as on a
// real host whose clock is wrong.
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

static long skew(void) {
  const char *text = getenv("SKEW_SECONDS");
  return text ? strtol(text, NULL, 10) : 0;
}

__attribute__((visibility("default"))) int clock_gettime(clockid_t clock, struct timespec *now) {
  static int (*real)(clockid_t clock, struct timespec * now);
  if (!real) *(void **)&real = dlsym(RTLD_NEXT, "clock_gettime");
  int result = real(clock, now);
  if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += skew();
  return result;
}

__attribute__((visibility("default"))) int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  struct timespec precise;
  clock_gettime(CLOCK_REALTIME, &precise);
  *now = (struct timeval){.tv_sec = precise.tv_sec, .tv_usec = precise.tv_nsec / 1000};
  return 0;
}

__attribute__((visibility("default"))) time_t time(time_t *out_now) {
  struct timespec precise;
  clock_gettime(CLOCK_REALTIME, &precise);
  if (out_now) *out_now = precise.tv_sec;
  return precise.tv_sec;
}

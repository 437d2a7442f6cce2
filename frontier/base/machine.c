/* See machine.h. */
#include "frontier/base/machine.h"

#include <errno.h>
#include <sys/random.h>
#include <sys/time.h>
#include <time.h>

static uint64_t read_ms(clockid_t which)
{
  struct timespec now = {0};
  clock_gettime(which, &now);
  return now.tv_sec >= 0 ? (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000 : 0;
}

uint64_t machine_monotonic_ms(void)
{
  return read_ms(CLOCK_MONOTONIC);
}

uint64_t machine_wall_ms(void)
{
  return read_ms(CLOCK_REALTIME);
}

void machine_sleep_us(uint64_t us)
{
  const struct timespec moment = {.tv_sec = (time_t)(us / 1000000), .tv_nsec = (long)(us % 1000000) * 1000};
  nanosleep(&moment, NULL);
}

uint64_t machine_process_ms(int pid)
{
  clockid_t clock;
  return clock_getcpuclockid(pid, &clock) == 0 ? read_ms(clock) : 0;
}

void machine_sleep_ms(uint64_t ms)
{
  machine_sleep_us(1000 * ms);
}

void machine_alarm(uint64_t ms)
{
  const struct itimerval once = {.it_value = {(time_t)(ms / 1000), (suseconds_t)(ms % 1000) * 1000}};
  setitimer(ITIMER_REAL, &once, NULL);
}

bool machine_random(void *bytes, size_t size)
{
  ssize_t got;
  do
    got = getrandom(bytes, size, 0);
  while (got < 0 && errno == EINTR); /* a signal before the kernel's pool was ready */
  return got == (ssize_t)size;
}

bool machine_has_threads(void)
{
  return true;
}

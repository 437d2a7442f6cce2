/* The clocks are the kernel's; its counts are those of /proc. Syncs are counted in libc's place, so whatever library
 * makes them. */
#include "bench/frontier_cost.h"
#include "bench/frontier_contender.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static double read_clock(clockid_t clock)
{
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

double cost_now(void)
{
  return read_clock(CLOCK_MONOTONIC);
}

double cost_cpu(void)
{
  return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

double cost_thread_cpu(void)
{
  return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

uint64_t cost_proc(const char *file, const char *name)
{
  char line[256];
  unsigned long long value = 0;
  FILE *proc = fopen(file, "r");
  while (proc && fgets(line, sizeof line, proc))
    if (strncmp(line, name, strlen(name)) == 0)
      value = strtoull(line + strlen(name), NULL, 10);
  if (proc)
    fclose(proc);
  return value;
}

uint64_t cost_disk(const char *directory)
{
  char command[4200];
  unsigned long long kib = 0;
  snprintf(command, sizeof command, "du -sk '%s'", directory);
  FILE *du = popen(command, "r");
  if (!du || fscanf(du, "%llu", &kib) != 1)
    contender_fail("du", "no answer");
  pclose(du);
  return kib * 1024;
}

/* ---- syncs ----------------------------------------------------------------------------------------------- */

static _Atomic uint64_t syncs;

int fdatasync(int fd)
{
  syncs++;
  return (int)syscall(SYS_fdatasync, fd);
}

int fsync(int fd)
{
  syncs++;
  return (int)syscall(SYS_fsync, fd);
}

uint64_t cost_syncs(void)
{
  return syncs;
}

double cost_floor(const char *directory, uint64_t count, uint64_t bytes)
{
  char path[4200];
  size_t piece = count ? bytes / count + 1 : 1;
  char *text = calloc(1, piece);
  snprintf(path, sizeof path, "%s/floor", directory);
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  double began = cost_now();
  for (uint64_t i = 0; i < count; i++)
    if (!text || pwrite(fd, text, piece, (off_t)(i * piece)) != (ssize_t)piece || syscall(SYS_fdatasync, fd) != 0)
      contender_fail(path, "cannot be written");
  double took = cost_now() - began;
  close(fd);
  unlink(path);
  free(text);
  return took;
}

/* ---- calls ----------------------------------------------------------------------------------------------- */

/* The four bits behind the highest one of the nanoseconds, and where that is. */
static unsigned bucket_of(double seconds)
{
  uint64_t ns = (uint64_t)(seconds * 1e9) + 16;
  unsigned log = 63 - (unsigned)__builtin_clzll(ns);
  return log * 16 + (unsigned)(ns >> (log - 4) & 15);
}

void cost_note(cost_calls *calls, double seconds)
{
  calls->bucket[bucket_of(seconds)]++;
  calls->count++;
  calls->sum += seconds;
  if (seconds > calls->longest)
    calls->longest = seconds;
}

double cost_quantile(const cost_calls *calls, double share)
{
  uint64_t below = 0;
  for (unsigned i = 0; i < COST_BUCKETS; i++) {
    below += calls->bucket[i];
    if (below && (double)below >= share * (double)calls->count)
      return (double)(((uint64_t)(17 + i % 16) << (i / 16 - 4)) - 16) / 1e9;
  }
  return 0;
}

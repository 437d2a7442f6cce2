/* See stopwatch.h. Always: count <= room, and `ns` has room for so many. Called by replay.c for each batch. */
#include "datasets/replay/stopwatch.h"

#include <stdlib.h>
#include <time.h>

uint64_t stopwatch_now_ns(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

bool stopwatch_add(stopwatch *watch, double ns)
{
  if (watch->count == watch->room) {
    size_t room = watch->room == 0 ? 1024 : 2 * watch->room;
    double *larger = realloc(watch->ns, room * sizeof *larger);
    if (larger == NULL)
      return false;
    watch->ns = larger;
    watch->room = room;
  }
  watch->ns[watch->count++] = ns;
  return true;
}

static int by_value(const void *a, const void *b)
{
  double one = *(const double *)a, two = *(const double *)b;
  return (one > two) - (one < two);
}

double stopwatch_median(stopwatch *watch)
{
  if (watch->count == 0)
    return 0;
  qsort(watch->ns, watch->count, sizeof *watch->ns, by_value);
  return watch->ns[watch->count / 2];
}

void stopwatch_clear(stopwatch *watch)
{
  watch->count = 0;
}

void stopwatch_free(stopwatch *watch)
{
  free(watch->ns);
  *watch = (stopwatch){NULL, 0, 0};
}

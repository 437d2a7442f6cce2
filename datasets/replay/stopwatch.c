#include "datasets/replay/stopwatch.h"

#include <stdlib.h>
#include <time.h>

uint64_t stopwatch_now_ns(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

bool stopwatch_add(stopwatch *to, double ns)
{
  if (to->count == to->room) {
    size_t room = to->room == 0 ? 1024 : 2 * to->room;
    double *larger = realloc(to->ns, room * sizeof *larger);
    if (larger == NULL)
      return false;
    to->ns = larger;
    to->room = room;
  }
  to->ns[to->count++] = ns;
  return true;
}

static int by_value(const void *a, const void *b)
{
  double one = *(const double *)a, two = *(const double *)b;
  return (one > two) - (one < two);
}

double stopwatch_median(stopwatch *of)
{
  if (of->count == 0)
    return 0;
  qsort(of->ns, of->count, sizeof *of->ns, by_value);
  return of->ns[of->count / 2];
}

void stopwatch_clear(stopwatch *of)
{
  of->count = 0;
}

void stopwatch_free(stopwatch *of)
{
  free(of->ns);
  *of = (stopwatch){NULL, 0, 0};
}

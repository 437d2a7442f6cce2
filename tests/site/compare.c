/* See compare.h. */
#include "tests/site/compare.h"
#include "tests/site/target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void tell(unsigned nth, const char *what, const char *target)
{
  enum { TOLD = 10 };
  if (nth < TOLD)
    fprintf(stderr, "  %s: %s\n", what, target);
}

static void count(difference *d, const reachable *truth, unsigned *times, const char *target)
{
  text canonical = {0};
  bool good = target_canonical(&canonical, target, strlen(target));
  uint32_t index = good ? reachable_index(truth, canonical.bytes) : UINT32_MAX;
  if (strcmp(target, "/robots.txt") == 0)
    d->robots++;
  else if (good && reachable_is_forbidden(truth, canonical.bytes))
    tell(d->forbidden++, "forbidden", target);
  else if (index == UINT32_MAX)
    tell(d->extra++, "extra", target);
  else if (times[index]++ > 0)
    tell(d->twice++, "twice", target);
  text_free(&canonical);
}

difference compare_requests(const reachable *truth, const request_log *log)
{
  difference d = {0};
  unsigned *times = calloc(truth->count, sizeof *times);
  if (!times)
    abort();
  for (size_t i = 0; i < log->count; i++)
    count(&d, truth, times, log->lines[i].target);
  for (uint32_t i = 0; i < truth->count; i++)
    if (!times[i] && !reachable_is_forbidden(truth, truth->targets[i]))
      tell(d.missed++, "missed", truth->targets[i]);
  free(times);
  return d;
}

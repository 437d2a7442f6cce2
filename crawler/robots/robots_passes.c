/* See robots_passes.h. A table by the low bits of lease ids, which are given one after the other. */
#include "crawler/robots/robots_passes.h"

#include <stdlib.h>

enum {
  PASSES = 1 << 17,           /* hosts that wait at the same time, 3 MiB */
  VALID_MS = 12 * 3600 * 1000 /* rules are believed for 24 hours: RFC 9309, 2.4 */
};

struct robots_passes {
  struct {
    uint64_t lease, given_ms; /* lease 0: free */
    double crawl_delay;
  } pass[PASSES];
};

robots_passes *robots_passes_create(void)
{
  return calloc(1, sizeof(robots_passes));
}

void robots_passes_free(robots_passes *p)
{
  free(p);
}

void robots_passes_give(robots_passes *p, uint64_t lease, double crawl_delay, uint64_t now_ms)
{
  p->pass[lease % PASSES].lease = lease;
  p->pass[lease % PASSES].given_ms = now_ms;
  p->pass[lease % PASSES].crawl_delay = crawl_delay;
}

bool robots_passes_take(robots_passes *p, uint64_t lease, uint64_t now_ms, double *crawl_delay)
{
  if (p->pass[lease % PASSES].lease != lease)
    return false;
  p->pass[lease % PASSES].lease = 0;
  *crawl_delay = p->pass[lease % PASSES].crawl_delay;
  return now_ms - p->pass[lease % PASSES].given_ms < VALID_MS;
}

/* See time_shares.h. The clock has milliseconds, but each span begins where the last one ended: so nothing is lost, and
 * of many short spans the shares are right. */
#include "crawler/loop/time_shares.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static const char *const counters[TIME_USES] = {"ms-politeness", "ms-network", "ms-disk", "ms-work"};

void time_shares_begin(time_shares *t, uint64_t now_ms)
{
  *t = (time_shares){.at_ms = now_ms};
}

static uint64_t less(uint64_t a, uint64_t b)
{
  return a < b ? a : b;
}

void time_shares_pass(time_shares *t, uint64_t now_ms, time_use use, uint64_t waited_ms)
{
  assert(now_ms >= t->at_ms);
  uint64_t all = now_ms - t->at_ms, waited = less(waited_ms, all);
  t->ms[use] += waited;
  t->ms[TIME_WORK] += all - waited;
  t->at_ms = now_ms;
}

frontier_status time_shares_keep(time_shares *t, frontier *f)
{
  frontier_stats stats;
  frontier_status status = frontier_stats_read(f, &stats);
  if (status != FRONTIER_OK)
    return status;
  uint64_t moved = less(stats.commit_wait_ms - t->disk_ms, t->ms[TIME_WORK]);
  t->disk_ms = stats.commit_wait_ms;
  t->ms[TIME_WORK] -= moved;
  t->ms[TIME_DISK] += moved;
  for (int use = 0; use < TIME_USES && status == FRONTIER_OK; use++) {
    if (t->ms[use])
      status = frontier_count(f, counters[use], t->ms[use]);
    t->ms[use] = 0;
  }
  return status;
}

bool time_shares_has(const char *counter)
{
  for (int use = 0; use < TIME_USES; use++)
    if (strcmp(counters[use], counter) == 0)
      return true;
  return false;
}

bool time_shares_say(const frontier *f, char text[TIME_SHARES_SIZE])
{
  uint64_t ms[TIME_USES], all = 0;
  for (int use = 0; use < TIME_USES; use++)
    all += ms[use] = frontier_counter(f, counters[use]);
  if (!all)
    return false;
  unsigned percent[TIME_USES];
  for (int use = 0; use < TIME_USES; use++)
    percent[use] = (unsigned)(100.0 * (double)ms[use] / (double)all + 0.5);
  snprintf(text, TIME_SHARES_SIZE, "%u%% politeness, %u%% network, %u%% disk, %u%% work", percent[TIME_POLITENESS],
           percent[TIME_NETWORK], percent[TIME_DISK], percent[TIME_WORK]);
  return true;
}

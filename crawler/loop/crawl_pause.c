/* When the disk does not take a commit (outage.h): the open batch stays in memory, nothing more is leased, and what is
 * in flight lands. Only what no memory is left for, the links of a page when the batch is full, waits on the spot. */
#include "crawler/loop/crawl_state.h"

#include "frontier/base/machine.h"

enum { TICK_MS = 100 };

void crawl_tell(crawl *c)
{
  if (c->now_ms - c->ticked_ms < TICK_MS)
    return;
  c->ticked_ms = c->now_ms;
  c->tick(c->tick_context, c);
}

bool crawl_is_cut_short(const crawl *c, crawl_end *end)
{
  if (c->is_broken)
    *end = CRAWL_BROKEN;
  else if (c->is_stopping)
    *end = CRAWL_STOPPED;
  else if (c->now_ms - c->started_ms >= c->options.max_ms)
    *end = CRAWL_TIME_CAP;
  else
    return false;
  return true;
}

bool crawl_note_outage(crawl *c, frontier_status status, const char *why)
{
  bool was_on = c->outage.is_on, heals = outage_note(&c->outage, status, why, c->now_ms);
  if (!heals)
    crawl_break_off(c, *why ? why : "out of memory");
  if (!was_on)
    c->ticked_ms = 0; /* however short it is, it is told */
  return heals;
}

/* Commits, if it is time to try. true: the disk takes it. */
static bool has_healed(crawl *c)
{
  if (c->now_ms < c->outage.retry_at_ms)
    return false;
  frontier_status status = frontier_sync(c->frontier);
  if (status != FRONTIER_OK)
    crawl_note_outage(c, status, frontier_message(c->frontier));
  return status == FRONTIER_OK;
}

bool crawl_is_paused(crawl *c)
{
  if (c->outage.is_on && has_healed(c))
    outage_end(&c->outage);
  return c->outage.is_on;
}

bool crawl_wait_out(crawl *c, frontier_status status, const char *why)
{
  crawl_end end;
  c->now_ms = machine_monotonic_ms();
  if (!c->tick || !crawl_note_outage(c, status, why)) /* before crawl_run nobody could be told */
    return false;
  while (!crawl_is_cut_short(c, &end)) {
    crawl_tell(c);
    machine_sleep_ms(OUTAGE_RETRY_MIN_MS / 2);
    c->now_ms = c->stood_still_ms = machine_monotonic_ms();
    if (has_healed(c))
      return true;
  }
  return false;
}

crawl_end crawl_keep_all(crawl *c, crawl_end end)
{
  frontier_status status = c->is_broken ? FRONTIER_OK : frontier_sync(c->frontier);
  if (status != FRONTIER_OK && !crawl_wait_out(c, status, frontier_message(c->frontier)))
    crawl_is_cut_short(c, &end);
  return c->is_broken ? CRAWL_BROKEN : end;
}

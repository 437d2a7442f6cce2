/* Pause on a full disk: when a commit finds no space, the open batch stays in memory, no more URLs are leased, and the
 * fetches in flight finish. Only the links of a page, once the batch is full, block until the disk has room. */
#include "crawler/loop/disk_pause.h"

#include "crawler/loop/crawl_state.h"

#include "frontier/base/machine.h"

#include <assert.h>
#include <stdio.h>

enum { TICK_MS = 100 };

static bool may_heal(const disk_pause *o, frontier_status status, uint64_t now_ms)
{
  if (status == FRONTIER_IO)
    return !o->is_on || now_ms - o->since_ms < DISK_PAUSE_IO_MS;
  return status == FRONTIER_NO_SPACE;
}

bool disk_pause_note(disk_pause *o, frontier_status status, const char *why, uint64_t now_ms)
{
  if (!may_heal(o, status, now_ms))
    return false;
  if (!o->is_on) {
    *o = (disk_pause){.is_on = true, .since_ms = now_ms};
    snprintf(o->why, sizeof o->why, "%s", why);
  }
  uint64_t longer = o->retry_ms ? 2 * o->retry_ms : DISK_PAUSE_RETRY_MIN_MS;
  o->retry_ms = longer < DISK_PAUSE_RETRY_MAX_MS ? longer : DISK_PAUSE_RETRY_MAX_MS;
  o->retry_at_ms = now_ms + o->retry_ms;
  assert(o->is_on && o->since_ms <= now_ms && o->retry_ms >= DISK_PAUSE_RETRY_MIN_MS);
  return true;
}

void disk_pause_end(disk_pause *o)
{
  o->is_on = false;
}

void crawl_tell(crawl *c)
{
  if (c->now_ms - c->ticked_ms < TICK_MS)
    return;
  c->ticked_ms = c->now_ms;
  c->tick(c->tick_context, c);
}

bool crawl_is_cut_short(const crawl *c, uint64_t now_ms, crawl_end *end)
{
  if (c->is_broken)
    *end = CRAWL_BROKEN;
  else if (c->is_stopping)
    *end = CRAWL_STOPPED;
  else if (now_ms - (c->options.began_ms ? c->options.began_ms : c->started_ms) >= c->options.max_ms)
    *end = CRAWL_TIME_CAP;
  else
    return false;
  return true;
}

bool crawl_drops_pages(crawl *c)
{
  enum { GRACE_MS = 300 }; /* a clean stop loses no page that was nearly here */
  crawl_end end;
  uint64_t now_ms = machine_monotonic_ms(), none = 0;
  if (!c->cut_short_ms && crawl_is_cut_short(c, now_ms, &end))
    atomic_compare_exchange_strong(&c->cut_short_ms, &none, now_ms);
  uint64_t since_ms = c->cut_short_ms;
  bool is_late = since_ms && now_ms >= since_ms + GRACE_MS;
  if (is_late)
    fetch_drop_all(c->fetcher);
  return is_late;
}

bool crawl_note_pause(crawl *c, frontier_status status, const char *why)
{
  bool was_on = c->pause.is_on, heals = disk_pause_note(&c->pause, status, why, c->now_ms);
  if (!heals)
    crawl_break_off(c, *why ? why : "out of memory");
  if (!was_on)
    c->ticked_ms = 0; /* however short it is, it is told */
  return heals;
}

/* Commits, if it is time to try. true: the disk takes it. */
static bool has_healed(crawl *c)
{
  if (c->now_ms < c->pause.retry_at_ms)
    return false;
  frontier_status status = frontier_sync(c->frontier);
  if (status != FRONTIER_OK)
    crawl_note_pause(c, status, frontier_message(c->frontier));
  return status == FRONTIER_OK;
}

bool crawl_is_paused(crawl *c)
{
  if (c->pause.is_on && has_healed(c))
    disk_pause_end(&c->pause);
  return c->pause.is_on;
}

bool crawl_wait_out(crawl *c, frontier_status status, const char *why)
{
  crawl_end end;
  c->now_ms = machine_monotonic_ms();
  if (!c->tick || !crawl_note_pause(c, status, why)) /* before crawl_run there is no tick to report to */
    return false;
  time_shares_pass(&c->shares, c->now_ms, TIME_DISK, 0);
  while (!crawl_is_cut_short(c, c->now_ms, &end)) {
    crawl_tell(c);
    machine_sleep_ms(DISK_PAUSE_RETRY_MIN_MS / 2);
    c->now_ms = c->stood_still_ms = machine_monotonic_ms();
    time_shares_pass(&c->shares, c->now_ms, TIME_DISK, UINT64_MAX);
    if (!has_healed(c))
      continue;
    disk_pause_end(&c->pause);
    c->ticked_ms = 0; /* even if the crawl is over now, it is told */
    crawl_tell(c);
    return true;
  }
  return false;
}

crawl_end crawl_keep_all(crawl *c, crawl_end end)
{
  frontier_status status = c->is_broken ? FRONTIER_OK : frontier_sync(c->frontier);
  if (status != FRONTIER_OK && !crawl_wait_out(c, status, frontier_message(c->frontier)))
    crawl_is_cut_short(c, c->now_ms, &end);
  return c->is_broken ? CRAWL_BROKEN : end;
}

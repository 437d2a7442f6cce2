/* See outage.h. */
#include "crawler/loop/outage.h"

#include <assert.h>
#include <stdio.h>

static bool may_heal(const outage *o, frontier_status status, uint64_t now_ms)
{
  if (status == FRONTIER_IO)
    return !o->is_on || now_ms - o->since_ms < OUTAGE_IO_MS;
  return status == FRONTIER_NO_SPACE;
}

bool outage_note(outage *o, frontier_status status, const char *why, uint64_t now_ms)
{
  if (!may_heal(o, status, now_ms))
    return false;
  if (!o->is_on) {
    *o = (outage){.is_on = true, .since_ms = now_ms};
    snprintf(o->why, sizeof o->why, "%s", why);
  }
  uint64_t longer = o->retry_ms ? 2 * o->retry_ms : OUTAGE_RETRY_MIN_MS;
  o->retry_ms = longer < OUTAGE_RETRY_MAX_MS ? longer : OUTAGE_RETRY_MAX_MS;
  o->retry_at_ms = now_ms + o->retry_ms;
  assert(o->is_on && o->since_ms <= now_ms && o->retry_ms >= OUTAGE_RETRY_MIN_MS);
  return true;
}

void outage_end(outage *o)
{
  o->is_on = false;
}

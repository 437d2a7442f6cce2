/* The frontier's own time. It never runs backwards, whatever the caller's clock does:
 *
 *     now_ms given   10000 20000 | 5000 6000        the clock was set back
 *     own time       10000 20000  20000 21000       = given + shift; the shift grows by what the clock lost
 *
 * After a step back of LATE_MS or less own time only stands still.
 *
 * The calls next, back_off and clock move it; other calls also get a time, but only read own time. All times inside
 * (due_ms, first_ms, until_ms) are own times. A clock that is set forward looks the same as time that passed. */
#include "frontier/host.h"

#include "frontier/core/state.h"

#include <assert.h>

/* Threads read their clocks first and wait for the handle then, so they come in another order: time stands still for
 * those that are late by so little, or each of them would set it forward. */
enum { LATE_MS = 2000 };

/* A caller's clock may say anything. What it says ends here, nine million years from now; own time has room for eight
 * such leaps before it stands still, and is far from where sums wrap round. */
static const uint64_t SAID_END_MS = (uint64_t)1 << 58, OWN_END_MS = (uint64_t)1 << 61;

static uint64_t bounded(uint64_t ms, uint64_t end_ms)
{
  return ms < end_ms ? ms : end_ms;
}

static uint64_t own_of(const own_clock *c, uint64_t now_ms)
{
  return bounded(bounded(now_ms, SAID_END_MS) + c->shift_ms, OWN_END_MS);
}

uint64_t clock_now(frontier *f, uint64_t now_ms)
{
  own_clock *c = &f->clock;
  uint64_t own_ms = own_of(c, now_ms);
  if (own_ms < c->latest_ms && c->latest_ms - own_ms > LATE_MS) {
    uint64_t lost_ms = c->latest_ms - own_ms;
    c->shift_ms += lost_ms;
    own_ms = c->latest_ms;
    if (!c->is_wall_told) /* it is the clock that was set back */
      c->wall_offset_ms -= (int64_t)lost_ms;
  }
  if (own_ms > c->latest_ms)
    c->latest_ms = own_ms;
  assert(c->latest_ms <= OWN_END_MS && own_ms <= c->latest_ms);
  return c->latest_ms;
}

uint64_t clock_glance(const frontier *f, uint64_t now_ms)
{
  uint64_t own_ms = own_of(&f->clock, now_ms);
  return own_ms > f->clock.latest_ms ? own_ms : f->clock.latest_ms;
}

uint64_t clock_said(const frontier *f, uint64_t own_ms)
{
  return own_ms > f->clock.shift_ms ? own_ms - f->clock.shift_ms : 0;
}

uint64_t clock_own_of_ms(const frontier *f, uint64_t wall_ms)
{
  int64_t own_ms = (int64_t)bounded(wall_ms, OWN_END_MS) - f->clock.wall_offset_ms;
  return own_ms > 0 ? (uint64_t)own_ms : 0;
}

uint64_t clock_own_of(const frontier *f, uint64_t wall_s)
{
  return clock_own_of_ms(f, wall_s < HOST_DELAY_MAX_MS / 1000 ? wall_s * 1000 : HOST_DELAY_MAX_MS);
}

uint64_t clock_wall_ms(const frontier *f, uint64_t own_ms)
{
  int64_t wall_ms = (int64_t)own_ms + f->clock.wall_offset_ms;
  return wall_ms > 0 ? (uint64_t)wall_ms : 0;
}

uint64_t clock_wall_s(const frontier *f, uint64_t own_ms)
{
  return (clock_wall_ms(f, own_ms) + 999) / 1000;
}

static void set_wall(frontier *f, uint64_t own_ms, uint64_t wall_ms)
{
  f->clock.wall_offset_ms = (int64_t)bounded(wall_ms, SAID_END_MS) - (int64_t)own_ms;
  f->clock.has_wall = true;
  assert(own_ms <= OWN_END_MS);
}

/* What was said of hosts, here or in earlier runs, holds once it is known what time it is. */
static void apply_not_before(frontier *f)
{
  host *who;
  for (uint32_t id = 0; (who = hosts_at(f->hosts, id)); id++)
    if (who->control && who->control->not_before_s)
      hosts_set_not_before(f->hosts, who, clock_own_of(f, who->control->not_before_s));
}

uint64_t clock_latest(const frontier *f)
{
  return f->clock.latest_ms;
}

bool clock_has_wall(const frontier *f)
{
  return f->clock.has_wall;
}

bool clock_is_told(const frontier *f)
{
  return f->clock.is_wall_told;
}

uint64_t clock_told_s(const frontier *f)
{
  return f->clock.is_wall_told ? clock_wall_s(f, f->clock.latest_ms) : UINT64_MAX;
}

void clock_assume_wall(frontier *f, uint64_t now_ms)
{
  if (!f->clock.has_wall)
    set_wall(f, clock_now(f, now_ms), now_ms);
}

void frontier_clock(frontier *f, uint64_t now_ms, uint64_t wall_ms)
{
  LOCKED(f);
  bool is_first = !f->clock.is_wall_told;
  set_wall(f, clock_now(f, now_ms), wall_ms);
  f->clock.is_wall_told = true;
  if (is_first)
    apply_not_before(f);
}

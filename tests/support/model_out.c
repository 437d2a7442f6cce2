/* The way out: whose turn it is, when, and how a lease ends. */
#include "tests/support/model_inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool may_start(const model *m, const model_host *h)
{
  return !model_line_is_empty(&h->line) && h->in_flight < m->options.per_host;
}

static bool all_are(const void *bytes, uint8_t value, size_t size)
{
  const uint8_t *at = bytes;
  for (size_t i = 0; i < size; i++)
    if (at[i] != value)
      return false;
  return true;
}

/* Those that may start one now and might not before stand behind all others that might. */
static void note_ready(model *m)
{
  m->round++;
  for (size_t i = 0; i < m->now.hosts; i++) {
    model_host *h = &m->hosts[i];
    if (!h->ready && may_start(m, h) && h->due_ms <= m->now_ms)
      h->ready = m->round;
  }
}

/* May it know less than there is, and so not who is first? */
static bool is_vague(const model *m)
{
  return m->run->overflows || !m->is_read;
}

/* A call reads so many rows, and those of no commit are not there yet. */
static void note_read(model *m)
{
  enum { READ_AT_ONCE = 4096 };
  m->read_to += READ_AT_ONCE;
  if (m->is_read || m->read_to <= m->now.pages || m->now.pages != m->committed.pages)
    return;
  m->is_read = true;
  m->read_round = m->round;
}

static bool is_before(const model *m, const model_host *a, const model_host *b)
{
  if (!a->ready || (a->ready <= m->read_round && b->ready <= m->read_round))
    return false;
  return a->ready != b->ready ? a->ready < b->ready : a->due_ms < b->due_ms;
}

/* This lease is the head of its host's line, its host may start one, and none waits longer. */
static void check_lease(model *m, const frontier_lease *l)
{
  if (l->id < 1 || l->id > m->now.pages) {
    model_differ(m, "lease %llu was never accepted", (unsigned long long)l->id);
    return;
  }
  page *p = &m->pages[l->id];
  model_host *h = &m->hosts[p->host];
  bool may_start_one = may_start(m, h) && h->due_ms <= m->now_ms;
  size_t place = model_line_take(&h->line, l->id);
  if (p->life != QUEUED || place != 0) {
    model_differ(m, "lease %llu of %s, in state %d: it is not next in line", (unsigned long long)l->id, h->name,
                 (int)p->life);
    return;
  }
  if (strcmp(l->url, p->fetch) != 0 || l->url_size != strlen(p->fetch) || l->origin.via != p->origin.via ||
      l->origin.depth != p->origin.depth || l->origin.hops != p->origin.hops ||
      l->host_end - l->host_begin != strlen(h->name) || strncmp(l->url + l->host_begin, h->name, strlen(h->name)) != 0)
    model_differ(m, "lease %llu is %s, not %s", (unsigned long long)l->id, l->url, p->fetch);
  if (l->verdict.outcome != p->verdict.outcome || l->verdict.layer != p->verdict.layer)
    model_differ(m, "lease %llu was let in by another verdict", (unsigned long long)l->id);
  if (l->payload_size != p->payload_size || !all_are(l->payload, p->payload_byte, p->payload_size))
    model_differ(m, "lease %llu comes with another payload", (unsigned long long)l->id);
  if (!may_start_one)
    model_differ(m, "%s may not start one now", h->name);
  for (size_t i = 0; i < m->now.hosts && !is_vague(m); i++)
    if (is_before(m, &m->hosts[i], h))
      model_differ(m, "%s is due before %s", m->hosts[i].name, h->name);
  h->in_flight++;
  h->due_ms = m->now_ms + h->delay_ms + (m->run->lie == LIE_DUE ? 1 : 0);
  p->life = IN_FLIGHT;
  h->ready = 0;
  note_ready(m);
}

/* Where more wait than memory holds, or than is read yet, the time may be too short, or longer by that of a group
 * commit. Where links are to be confirmed, it may be too short for them. */
static void check_wait(model *m, int64_t wait_ms, bool has_unconfirmed)
{
  int64_t expected = FRONTIER_WAIT_FOREVER;
  for (size_t i = 0; i < m->now.hosts; i++) {
    const model_host *h = &m->hosts[i];
    if (!may_start(m, h))
      continue;
    int64_t wait = h->due_ms > m->now_ms ? (int64_t)(h->due_ms - m->now_ms) : 0;
    if (expected == FRONTIER_WAIT_FOREVER || wait < expected)
      expected = wait;
  }
  enum { COMMIT_MS = 100 };
  bool hangs = expected != FRONTIER_WAIT_FOREVER && (wait_ms < 0 || wait_ms > expected + COMMIT_MS);
  bool is_shorter = has_unconfirmed && wait_ms >= 0 && (wait_ms < expected || expected == FRONTIER_WAIT_FOREVER);
  if (is_vague(m) ? hangs : wait_ms != expected && !is_shorter)
    model_differ(m, "to wait: %lld ms, not %lld", (long long)wait_ms, (long long)expected);
}

void model_take_leases(model *m, size_t max)
{
  size_t count = 0;
  int64_t wait_ms;
  m->leases = model_enough(m->leases, m->lease_count + max, &m->lease_room, sizeof *m->leases);
  frontier_lease *new = m->leases + m->lease_count;
  note_ready(m);
  note_read(m);
  bool has_unconfirmed = model_unconfirmed(m) > 0;
  if (!model_holds(m, frontier_next(m->f, m->now_ms, new, max, &count, &wait_ms), "next"))
    return;
  for (size_t i = 0; i < count; i++)
    check_lease(m, &new[i]);
  m->lease_count += count;
  if (is_vague(m) ? count == 0 : count < max)
    check_wait(m, wait_ms, has_unconfirmed);
}

/* ---- and back --------------------------------------------------------------------------------------------- */

static frontier_lease drop_lease(model *m, size_t at)
{
  frontier_lease lease = m->leases[at];
  m->leases[at] = m->leases[--m->lease_count];
  m->hosts[m->pages[lease.id].host].in_flight--;
  return lease;
}

static void write_report(model *m, uint64_t lease, char *report, size_t size)
{
  size_t length = model_roll(m, 5) ? (size_t)snprintf(report, size, "%llu %llx", (unsigned long long)lease,
                                                      (unsigned long long)model_roll(m, UINT64_MAX))
                                   : 0;
  report[length] = '\0';
}

void model_end_one(model *m)
{
  if (!m->lease_count)
    return;
  frontier_lease lease = drop_lease(m, model_roll(m, m->lease_count));
  page *p = &m->pages[lease.id];
  char report[64];
  if (strcmp(lease.url, p->fetch) != 0)
    model_differ(m, "lease %llu has lost its URL", (unsigned long long)lease.id);
  write_report(m, lease.id, report, sizeof report);
  p->life = (page_life)(FRONTIER_DONE + model_roll(m, 3));
  p->code = (uint16_t)model_roll(m, 65536);
  frontier_state state = (frontier_state)p->life;
  uint16_t code = (uint16_t)(p->code ^ model_lies(m, LIE_CODE));
  if (!model_holds(m, frontier_done(m->f, lease.id, state, code, report, strlen(report), m->now_ms), "done"))
    return;
  if (!*report || m->run->keeps_nothing)
    return;
  size_t needed = m->now.journal_size + strlen(report) + 2;
  m->journal = model_enough(m->journal, needed, &m->journal_room, 1);
  m->now.journal_size += (size_t)sprintf(m->journal + m->now.journal_size, "%s\n", report);
  m->journal[m->now.journal_size - 2] ^= model_lies(m, LIE_REPORT);
}

void model_release_one(model *m)
{
  if (!m->lease_count)
    return;
  frontier_lease lease = drop_lease(m, model_roll(m, m->lease_count));
  page *p = &m->pages[lease.id];
  model_holds(m, frontier_release(m->f, lease.id, m->now_ms), "release");
  p->life = QUEUED;
  model_line_push_front(&m->hosts[p->host].line, lease.id);
}

void model_slow_one(model *m)
{
  if (!m->lease_count)
    return;
  const frontier_lease *lease = &m->leases[model_roll(m, m->lease_count)];
  model_host *h = &m->hosts[m->pages[lease->id].host];
  uint64_t delay_ms = model_roll(m, 3 * m->options.delay_ms + 2);
  model_holds(m, frontier_host_delay(m->f, lease->id, delay_ms), "host_delay");
  if (delay_ms < m->options.delay_ms)
    delay_ms = m->options.delay_ms;
  h->due_ms = h->due_ms - h->delay_ms + delay_ms;
  h->delay_ms = delay_ms;
  h->ready = 0;
}

void model_end_what_is_not_leased(model *m)
{
  uint64_t id = model_roll(m, m->now.pages + 3);
  if (id >= 1 && id <= m->now.pages && m->pages[id].life == IN_FLIGHT)
    return;
  if (frontier_done(m->f, id, FRONTIER_DONE, 200, "no", 2, m->now_ms) != FRONTIER_NOT_FOUND ||
      frontier_release(m->f, id, m->now_ms) != FRONTIER_NOT_FOUND ||
      frontier_host_delay(m->f, id, 5) != FRONTIER_NOT_FOUND)
    model_differ(m, "lease %llu is not in flight, and was ended", (unsigned long long)id);
}

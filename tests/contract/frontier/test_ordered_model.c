/* URLs with groups, priorities, times, opaque targets and changes on release, at random, against a model that looks at
 * every URL it has; with the frontier closed, compacted, copied and killed in between. Built a second time with room
 * for 64 URLs in memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontier/admin.h"
#include "tests/site/random.h"
#include "tests/support/ordered_case.h"
#include "tests/support/scratch.h"
#include "tests/support/second_reader.h"
#include "tests/support/test.h"

enum { URLS = 6000, STEPS = 2500, QUEUES = 6, LEASES = 96 };

typedef enum life { NOT_FOUND, WAITS, LEASED, ENDED } life;

typedef struct page {
  life life;
  int32_t priority;
  uint64_t not_before_ms;
  unsigned tries; /* its payload */
  uint64_t id;
  bool was_released, was_timed; /* then, with priority 0, it is not among equals in order of acceptance */
} page;

typedef struct model {
  uint64_t dice, now_ms;
  frontier *f;
  char directory[SCRATCH_PATH];
  page pages[URLS], synced[URLS];
  unsigned added, synced_count;
  struct {
    uint64_t id;
    unsigned page;
  } leases[LEASES];
  size_t lease_count;
  bool has_ranks; /* any number is a priority, not one of few */
} model;

static uint64_t roll(model *m, uint64_t sides)
{
  return random_next(&m->dice) % sides;
}

static unsigned queue_of(unsigned n)
{
  return n % QUEUES;
}

static bool has_group(unsigned n)
{
  return queue_of(n) >= QUEUES / 2;
}

static bool is_opaque(unsigned n)
{
  return has_group(n) && n % 5 == 0;
}

static int32_t any_priority(model *m)
{
  if (roll(m, 3) == 0)
    return 0;
  return m->has_ranks ? (int32_t)(uint32_t)roll(m, (uint64_t)1 << 32) : (int32_t)roll(m, 7) - 3;
}

static void add_one(model *m)
{
  unsigned n = m->added++;
  page *p = &m->pages[n];
  char text[64], group[16], payload[16];
  *p = (page){.life = WAITS, .priority = any_priority(m)};
  p->not_before_ms = roll(m, 6) ? 0 : m->now_ms + roll(m, 3000);
  p->was_timed = p->not_before_ms;
  size_t size = (size_t)snprintf(text, sizeof text, "http://h%u.test/%u", queue_of(n) % (QUEUES / 2), n);
  const mlbf_span key = {text, size};
  frontier_link link = {.priority = p->priority, .not_before_ms = p->not_before_ms, .payload = payload};
  link.payload_size = (size_t)snprintf(payload, sizeof payload, "0");
  if (has_group(n)) {
    link.group = group;
    link.group_size = (size_t)snprintf(group, sizeof group, "h%u.test", queue_of(n) % (QUEUES / 2));
  }
  if (is_opaque(n)) {
    link.key = &key;
    link.key_count = 1;
    link.opaque = text;
    link.opaque_size = size;
  } else {
    link.target = parse(text);
  }
  frontier_verdict verdict;
  size_t settled;
  good(m->f, frontier_add_batch(m->f, &link, 1, m->now_ms, &verdict, &settled));
  assert_int_not_equal(verdict.outcome, FRONTIER_SEEN);
}

/* No URL of its queue that is due is of a larger priority; of the same, none that was accepted before waits. */
static void check_first(const model *m, unsigned n)
{
  const page *p = &m->pages[n];
  for (unsigned i = queue_of(n); i < m->added; i += QUEUES) {
    const page *other = &m->pages[i];
    if (other->life != WAITS || other->not_before_ms > m->now_ms)
      continue;
    if (other->priority > p->priority)
      fail_msg("page %u of priority %d was before %u of %d", n, (int)p->priority, i, (int)other->priority);
    bool is_plain = !p->was_released && !p->was_timed && !other->was_released && !other->was_timed;
    if (other->priority == p->priority && i < n && (is_plain || p->priority))
      fail_msg("page %u was before %u, which is its equal", n, i);
  }
}

static void check_lease(model *m, const frontier_lease *l)
{
  char payload[16];
  unsigned n = (unsigned)strtoul(strrchr(l->url, '/') + 1, NULL, 10);
  assert_in_range(n, 0, m->added - 1);
  page *p = &m->pages[n];
  assert_int_equal(p->life, WAITS);
  assert_true(p->not_before_ms <= m->now_ms);
  assert_int_equal(l->priority, p->priority);
  assert_int_equal(l->is_opaque, is_opaque(n));
  assert_int_equal(l->group_size, has_group(n) ? 7 : 0);
  assert_int_equal(l->payload_size, snprintf(payload, sizeof payload, "%u", p->tries));
  assert_memory_equal(l->payload, payload, l->payload_size);
  check_first(m, n);
  p->life = LEASED;
  p->id = l->id;
  m->leases[m->lease_count].id = l->id;
  m->leases[m->lease_count++].page = n;
}

static void take(model *m)
{
  frontier_lease leases[LEASES];
  size_t count;
  int64_t wait_ms;
  if (m->lease_count == LEASES)
    return;
  good(m->f, frontier_next(m->f, m->now_ms, leases, 1 + roll(m, LEASES - m->lease_count), &count, &wait_ms));
  for (size_t i = 0; i < count; i++)
    check_lease(m, &leases[i]);
}

static void release(model *m, uint64_t id, page *p)
{
  char payload[16];
  frontier_return with = {.has_payload = roll(m, 2), .has_priority = roll(m, 2), .priority = any_priority(m)};
  with.not_before_ms = roll(m, 3) ? 0 : m->now_ms + roll(m, 2000);
  if (with.has_payload) {
    with.payload = payload;
    with.payload_size = (size_t)snprintf(payload, sizeof payload, "%u", ++p->tries);
  }
  good(m->f, frontier_release_with(m->f, id, &with, m->now_ms));
  p->priority = with.has_priority ? with.priority : p->priority;
  p->not_before_ms = with.not_before_ms;
  p->was_released = true;
  p->life = WAITS;
}

static void end_one(model *m, bool may_release)
{
  size_t at = roll(m, m->lease_count);
  uint64_t id = m->leases[at].id;
  page *p = &m->pages[m->leases[at].page];
  m->leases[at] = m->leases[--m->lease_count];
  if (may_release && roll(m, 4) == 0) {
    release(m, id, p);
    return;
  }
  if (may_release && roll(m, 8) == 0) {
    good(m->f, frontier_release(m->f, id, m->now_ms));
    p->was_released = true;
    p->not_before_ms = 0;
    p->life = WAITS;
    return;
  }
  good(m->f, frontier_done(m->f, id, FRONTIER_DONE, 200, NULL, 0, m->now_ms));
  p->life = ENDED;
}

static void find_one(model *m)
{
  frontier_record record;
  unsigned n = (unsigned)roll(m, m->added);
  const page *p = &m->pages[n];
  if (!p->id)
    return;
  good(m->f, frontier_find_id(m->f, p->id, &record));
  assert_int_equal(record.is_queued, p->life != ENDED);
  assert_int_equal(record.is_opaque, is_opaque(n));
  assert_int_equal(record.group_size, has_group(n) ? 7 : 0);
  if (p->life == WAITS)
    assert_int_equal(record.rank, p->priority);
}

static void hear_fault(void *context, const char *sentence)
{
  (void)context;
  fail_msg("%s", sentence);
}

static void check_directory(const char *where)
{
  frontier_findings found;
  second_view view;
  char why[FRONTIER_MESSAGE_SIZE];
  second_read(where, false, &view);
  assert_int_equal(view.faults, 0);
  second_free(&view);
  assert_int_equal(frontier_check(where, NULL, hear_fault, NULL, &found, why), FRONTIER_OK);
}

static void lose_leases(model *m)
{
  m->lease_count = 0;
  for (unsigned i = 0; i < m->added; i++)
    if (m->pages[i].life == LEASED)
      m->pages[i].life = WAITS;
}

static void reopen(model *m)
{
  frontier_sizes sizes;
  char why[FRONTIER_MESSAGE_SIZE];
  good(m->f, frontier_close(m->f));
  lose_leases(m);
  if (roll(m, 2) == 0)
    assert_int_equal(frontier_compact(m->directory, &sizes, why), FRONTIER_OK);
  if (roll(m, 2) == 0)
    check_directory(m->directory);
  m->f = open_with(m->directory, false);
}

static void sync_now(model *m)
{
  good(m->f, frontier_sync(m->f));
  memcpy(m->synced, m->pages, sizeof m->synced);
  m->synced_count = m->added;
}

/* The files as they are: what was done since the last commit is lost. */
static void crash(model *m, bool by_snapshot)
{
  char old[SCRATCH_PATH], why[FRONTIER_MESSAGE_SIZE];
  memcpy(old, m->directory, sizeof old);
  sync_now(m);
  for (unsigned i = 0; i < 5 && m->lease_count; i++)
    end_one(m, true);
  for (unsigned i = 0; i < 5 && m->added < URLS; i++)
    add_one(m);
  scratch_make_fast(m->directory);
  if (by_snapshot) {
    scratch_remove(m->directory);
    if (frontier_snapshot(m->f, m->directory, NULL, why) != FRONTIER_OK)
      fail_msg("%s", why);
  } else {
    scratch_copy(old, m->directory);
  }
  frontier_close(m->f);
  scratch_remove(old);
  memcpy(m->pages, m->synced, sizeof m->pages);
  m->added = m->synced_count;
  lose_leases(m);
  m->f = open_with(m->directory, false);
}

static void step(model *m)
{
  uint64_t what = roll(m, 1000);
  m->now_ms += roll(m, 40);
  if (what < 350)
    for (uint64_t more = roll(m, 12); more && m->added < URLS; more--)
      add_one(m);
  else if (what < 640)
    take(m);
  else if (what < 960)
    for (uint64_t ends = roll(m, 30); ends && m->lease_count; ends--)
      end_one(m, true);
  else if (what < 980)
    find_one(m);
  else if (what < 990)
    reopen(m);
  else
    crash(m, roll(m, 3) == 0);
}

static void drain(model *m)
{
  while (!frontier_is_finished(m->f)) {
    m->now_ms += 100;
    take(m);
    while (m->lease_count)
      end_one(m, false);
  }
  for (unsigned i = 0; i < m->added; i++)
    if (m->pages[i].life != ENDED)
      fail_msg("page %u is lost", i);
}

CASE(a_model_agrees)
{
  const char *given = getenv("STRATA_SEED");
  uint64_t first = given ? strtoull(given, NULL, 10) : 1, seeds = given ? 1 : 4;
  for (uint64_t seed = first; seed < first + seeds; seed++) {
    model *m = calloc(1, sizeof *m);
    assert_non_null(m);
    print_message("  seed %llu\n", (unsigned long long)seed);
    m->dice = seed;
    m->now_ms = NOON_MS;
    m->has_ranks = seed % 2;
    scratch_make_fast(m->directory);
    m->f = open_with(m->directory, false);
    add_one(m);
    for (unsigned i = 0; i < STEPS; i++)
      step(m);
    drain(m);
    good(m->f, frontier_close(m->f));
    check_directory(m->directory);
    scratch_remove(m->directory);
    free(m);
  }
}

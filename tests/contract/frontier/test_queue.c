/* frontier/core/queue.c: URLs of all classes, for hosts that are blocked, unblocked and given budgets at random, with
 * the frontier closed and opened again in between. Each is handed out exactly once, what is held is counted exactly,
 * and the frontier is finished when nothing but that is left. Built a second time with room for 64 URLs in memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontier/host.h"
#include "tests/support/must.h"
#include "tests/support/scratch.h"
#include "tests/support/second_reader.h"
#include "tests/site/random.h"
#include "tests/support/test.h"

enum { HOSTS = 12, URLS = 4000, STEPS = 3000 };

typedef struct model_host {
  unsigned queued, taken; /* taken: ended or in flight */
  unsigned budget;        /* 0: none */
  bool is_blocked;
} model_host;

typedef struct model {
  uint64_t dice, now_ms;
  bool has_deep; /* every seventh URL is deeper than the cap, until the end */
  char directory[SCRATCH_PATH];
  frontier *f;
  model_host hosts[HOSTS];
  uint8_t leased[URLS], ended[URLS];
  unsigned added;
  frontier_lease leases[64];
  size_t lease_count;
} model;

static url u;

static uint64_t roll(model *m, uint64_t sides)
{
  return random_next(&m->dice) % sides;
}

static void good(const model *m, frontier_status status)
{
  if (status != FRONTIER_OK)
    fail_msg("%s", frontier_message(m->f));
}

static unsigned number_of(const char *text)
{
  return (unsigned)strtoul(strrchr(text, '/') + 1, NULL, 10);
}

static frontier_class classify(void *context, const frontier_link *link, frontier_verdict verdict,
                               frontier_class by_rule)
{
  (void)context;
  (void)verdict;
  (void)by_rule;
  return (frontier_class)(number_of(link->target->fetch) / HOSTS % FRONTIER_CLASSES);
}

static void open_it(model *m, uint16_t depth_cap)
{
  char why[FRONTIER_MESSAGE_SIZE] = "";
  frontier_options options = {
    .filter = MLBF_KIND_MLBF, .expected_urls = 10000, .rate = 1e-9, .per_host = 3, .depth_cap = depth_cap};
  if (frontier_open(m->directory, &options, &m->f, why) != FRONTIER_OK)
    fail_msg("%s", why);
  frontier_classify(m->f, classify, NULL);
}

static void add_some(model *m, unsigned count)
{
  for (; count && m->added < URLS; count--, m->added++) {
    frontier_verdict verdict;
    unsigned host = m->added % HOSTS;
    must_parse(&u, "http://h%u.test/%u", host, m->added);
    frontier_origin origin = {.depth = m->has_deep && m->added % 7 == 3 ? 9 : 0};
    good(m, frontier_add(m->f, &u, origin, m->now_ms, &verdict));
    m->hosts[host].queued++;
  }
}

static bool is_held(const model_host *h)
{
  return h->is_blocked || (h->budget && h->taken >= h->budget);
}

static uint64_t held(const model *m)
{
  uint64_t held = 0;
  for (unsigned i = 0; i < HOSTS; i++)
    held += is_held(&m->hosts[i]) ? m->hosts[i].queued : 0;
  return held;
}

static void take(model *m)
{
  size_t count;
  int64_t wait_ms;
  frontier_lease *new = m->leases + m->lease_count;
  good(m, frontier_next(m->f, m->now_ms, new, 1 + roll(m, 64 - m->lease_count), &count, &wait_ms));
  for (size_t i = 0; i < count; i++) {
    unsigned number = number_of(new[i].url);
    model_host *h = &m->hosts[number % HOSTS];
    assert_false(is_held(h));
    assert_int_equal(m->leased[number] + m->ended[number], 0);
    m->leased[number] = 1;
    h->queued--;
    h->taken++;
  }
  m->lease_count += count;
}

static void end_some(model *m)
{
  for (uint64_t ends = roll(m, 20); ends && m->lease_count; ends--) {
    frontier_lease *l = &m->leases[roll(m, m->lease_count)];
    unsigned number = number_of(l->url);
    model_host *h = &m->hosts[number % HOSTS];
    if (roll(m, 8)) {
      good(m, frontier_done(m->f, l->id, FRONTIER_DONE, 200, NULL, 0, m->now_ms));
      m->ended[number] = 1;
    } else {
      good(m, frontier_release(m->f, l->id, m->now_ms));
      h->queued++;
      h->taken--;
    }
    m->leased[number] = 0;
    *l = m->leases[--m->lease_count];
  }
}

static void control_one(model *m)
{
  unsigned number = (unsigned)roll(m, HOSTS);
  model_host *h = &m->hosts[number];
  char name[16];
  snprintf(name, sizeof name, "h%u.test", number);
  h->is_blocked = roll(m, 2);
  h->budget = roll(m, 3) ? 0 : h->taken + (unsigned)roll(m, 50);
  frontier_host_control control = {.is_blocked = h->is_blocked, .budget = h->budget, .per_host = (uint32_t)roll(m, 5)};
  good(m, frontier_host_set(m->f, name, &control));
}

/* What was in flight waits again. */
static void reopen(model *m, uint16_t depth_cap)
{
  second_view view;
  good(m, frontier_close(m->f));
  m->lease_count = 0;
  for (unsigned i = 0; i < URLS; i++)
    if (m->leased[i]) {
      m->leased[i] = 0;
      m->hosts[i % HOSTS].queued++;
      m->hosts[i % HOSTS].taken--;
    }
  second_read(m->directory, false, &view);
  assert_int_equal(view.faults, 0);
  second_free(&view);
  open_it(m, depth_cap);
}

static void step(model *m)
{
  uint64_t what = roll(m, 1000);
  m->now_ms += roll(m, 40);
  if (what < 300)
    add_some(m, (unsigned)roll(m, 30));
  else if (what < 600)
    take(m);
  else if (what < 900)
    end_some(m);
  else if (what < 985)
    control_one(m);
  else
    reopen(m, 5);
  if (m->has_deep) /* what was read and is too deep is not held but deferred */
    assert_in_range(frontier_held(m->f), 0, held(m));
  else
    assert_int_equal(frontier_held(m->f), held(m));
}

/* Until nothing but what is held or too deep is left. */
static void drain(model *m)
{
  while (!frontier_is_finished(m->f)) {
    m->now_ms += 10;
    take(m);
    while (m->lease_count)
      end_some(m);
  }
  frontier_stats stats;
  unsigned left = 0;
  for (unsigned i = 0; i < HOSTS; i++)
    left += m->hosts[i].queued;
  good(m, frontier_stats_read(m->f, &stats));
  assert_int_equal(left, frontier_held(m->f) + stats.deferred);
  assert_int_equal(stats.queued, left);
}

CASE(each_is_handed_out_once)
{
  const char *given = getenv("STRATA_SEED");
  uint64_t first = given ? strtoull(given, NULL, 10) : 1, seeds = given ? 1 : 3;
  for (uint64_t seed = first; seed < first + seeds; seed++) {
    model *m = calloc(1, sizeof *m);
    assert_non_null(m);
    print_message("  seed %llu\n", (unsigned long long)seed);
    m->dice = seed;
    m->has_deep = seed % 2 == 0;
    scratch_make_fast(m->directory);
    open_it(m, 5);
    for (unsigned i = 0; i < STEPS; i++)
      step(m);
    drain(m);
    for (unsigned i = 0; i < HOSTS; i++) {
      char name[16];
      snprintf(name, sizeof name, "h%u.test", i);
      m->hosts[i].is_blocked = false;
      m->hosts[i].budget = 0;
      good(m, frontier_host_set(m->f, name, &(frontier_host_control){0}));
    }
    drain(m);
    reopen(m, UINT16_MAX);
    drain(m);
    for (unsigned i = 0; i < m->added; i++)
      assert_int_equal(m->ended[i], 1);
    good(m, frontier_close(m->f));
    scratch_remove(m->directory);
    free(m);
  }
}

/* Of a host's turns, while URLs of each class wait, each class gets its share of 64, and its URLs are in their order.
 * */
CASE(no_class_starves_and_each_is_in_its_order)
{
  enum { OF_CLASS = 400, ALL = OF_CLASS * FRONTIER_CLASSES, ROUNDS = 4, TURNS = 64 };
  static const unsigned shares[FRONTIER_CLASSES] = {12, 48, 3, 1}; /* the 64th is not the 16th, nor that the 4th */
  unsigned came[FRONTIER_CLASSES] = {0};
  model *m = calloc(1, sizeof *m);
  assert_non_null(m);
  scratch_make_fast(m->directory);
  open_it(m, UINT16_MAX);
  for (unsigned i = 0; i < ALL; i++) {
    frontier_verdict verdict;
    must_parse(&u, "http://one.test/%u", i * HOSTS);
    good(m, frontier_add(m->f, &u, (frontier_origin){0}, 0, &verdict));
  }
  for (unsigned turn = 1; turn <= ALL; turn++) {
    size_t count = 0;
    for (int64_t wait_ms = 0; !count && wait_ms == 0;)
      good(m, frontier_next(m->f, 0, m->leases, 1, &count, &wait_ms));
    assert_int_equal(count, 1);
    unsigned number = number_of(m->leases[0].url) / HOSTS, class = number % FRONTIER_CLASSES;
    assert_int_equal(number, class + FRONTIER_CLASSES * came[class]++);
    good(m, frontier_done(m->f, m->leases[0].id, FRONTIER_DONE, 200, NULL, 0, 0));
    for (unsigned c = 0; c < FRONTIER_CLASSES && turn == ROUNDS * TURNS; c++)
      assert_in_range(came[c] + 1, ROUNDS * shares[c], ROUNDS * shares[c] + 2);
  }
  good(m, frontier_close(m->f));
  scratch_remove(m->directory);
  free(m);
}

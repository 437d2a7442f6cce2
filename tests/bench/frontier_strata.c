/* bench_frontier: ours. The time to parse a URL is in it. */
#include "tests/bench/frontier_contender.h"

#include "frontier/care.h"
#include "frontier/frontier.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { LEASES = 1024, TOGETHER = 64 /* links in a call: those of a page */ };

typedef struct ours {
  frontier *frontier;
  url urls[TOGETHER];
} ours;

static uint64_t now_ms(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static void demand(const ours *o, frontier_status status)
{
  if (status != FRONTIER_OK)
    contender_fail("strata", frontier_message(o->frontier));
}

static void *open_as(const char *directory, uint64_t expected_urls, bool exact)
{
  char message[FRONTIER_MESSAGE_SIZE] = "out of memory";
  frontier_options options = {.filter = MLBF_KIND_MLBF, .expected_urls = expected_urls, .rate = 1e-6, .per_host = 8,
                              .depth_cap = UINT16_MAX, .keep_identity = true, .exact = exact};
  ours *o = calloc(1, sizeof *o);
  if (!o || frontier_open(directory, &options, &o->frontier, message) != FRONTIER_OK)
    contender_fail("strata", message);
  return o;
}

static void *open_ours(const char *directory, uint64_t expected_urls)
{
  return open_as(directory, expected_urls, false);
}

static void *open_exact(const char *directory, uint64_t expected_urls)
{
  return open_as(directory, expected_urls, true);
}

static bool add(void *self, const char *text, size_t size)
{
  ours *o = self;
  frontier_verdict verdict;
  if (url_parse(text, size, URL_STRICT, &o->urls[0]) != URL_OK)
    contender_fail("strata", text);
  demand(o, frontier_add(o->frontier, &o->urls[0], (frontier_origin){0}, now_ms(), &verdict));
  return verdict.outcome != FRONTIER_SEEN;
}

static size_t add_lot(void *self, const contender_text *texts, size_t count)
{
  ours *o = self;
  frontier_link links[TOGETHER] = {0};
  frontier_verdict verdicts[TOGETHER];
  size_t accepted = 0;
  for (size_t begin = 0, size, settled; begin < count; begin += size) {
    size = count - begin < TOGETHER ? count - begin : TOGETHER;
    for (size_t i = 0; i < size; i++) {
      links[i].target = &o->urls[i];
      if (url_parse(texts[begin + i].text, texts[begin + i].size, URL_STRICT, &o->urls[i]) != URL_OK)
        contender_fail("strata", texts[begin + i].text);
    }
    demand(o, frontier_add_batch(o->frontier, links, size, now_ms(), verdicts, &settled));
    for (size_t i = 0; i < size; i++)
      accepted += verdicts[i].outcome != FRONTIER_SEEN;
  }
  return accepted;
}

static size_t next(void *self, uint64_t *ids, size_t max)
{
  ours *o = self;
  frontier_lease leases[LEASES];
  size_t count;
  int64_t wait_ms;
  demand(o, frontier_next(o->frontier, now_ms(), leases, max < LEASES ? max : LEASES, &count, &wait_ms));
  for (size_t i = 0; i < count; i++)
    ids[i] = leases[i].id;
  return count;
}

static void done(void *self, uint64_t id)
{
  ours *o = self;
  demand(o, frontier_done(o->frontier, id, FRONTIER_DONE, 200, NULL, 0, now_ms()));
}

static void close_ours(void *self)
{
  ours *o = self;
  if (frontier_close(o->frontier) != FRONTIER_OK)
    contender_fail("strata", "closing failed");
  free(o);
}

/* frontier_next does it, and gives nothing when nothing is wanted. */
static void commit(void *self)
{
  uint64_t none;
  next(self, &none, 0);
}

/* Bits and rates, and how many of 10^7 URLs that were never added it calls seen. */
static void report(void *self)
{
  enum { PROBES = 10000000 };
  ours *o = self;
  frontier_stats stats;
  unsigned wrong = 0;
  demand(o, frontier_stats_read(o->frontier, &stats));
  for (unsigned i = 0; i < PROBES; i++) {
    char text[64];
    frontier_verdict verdict;
    int size = snprintf(text, sizeof text, "https://www.host-%06u.example/never/%u", i % 100000, i);
    if (url_parse(text, (size_t)size, URL_STRICT, &o->urls[0]) != URL_OK)
      contender_fail("strata", text);
    demand(o, frontier_lookup(o->frontier, &o->urls[0], &verdict));
    wrong += verdict.outcome == FRONTIER_SEEN;
  }
  printf("filter: %.2f bits a URL, made for %.2f times as many as it has; promised %.1e, expected lost %.3f; %u of %d "
         "others called seen\n", (double)stats.filter.bits / (double)stats.filter.keys,
         (double)stats.filter.design_keys / (double)stats.filter.keys, stats.filter.promised_rate, stats.expected_lost,
         wrong, PROBES);
  fflush(stdout);
}

static void compact(const char *directory)
{
  char message[FRONTIER_MESSAGE_SIZE];
  frontier_sizes sizes;
  if (frontier_compact(directory, &sizes, message) != FRONTIER_OK)
    contender_fail("strata", message);
}

const contender contender_strata = {"strata", open_ours, add, add_lot, next, done, close_ours, commit, report, compact};
const contender contender_exact = {"exact", open_exact, add, add_lot, next, done, close_ours, commit, report, compact};

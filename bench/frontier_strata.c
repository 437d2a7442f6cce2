/* bench_frontier: ours. The time to parse a URL is in it. */
#include "bench/frontier_contender.h"

#include "frontier/admin.h"
#include "frontier/frontier.h"
#include "frontier/host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEASES = 1024, TOGETHER = CONTENDER_PAGE };

typedef struct variant {
  double rate;
  mlbf_kind filter;
  bool exact, commit_thread;
} variant;

typedef struct ours {
  frontier *frontier;
  url urls[TOGETHER];
} ours;

static void demand(const ours *o, frontier_status status)
{
  if (status != FRONTIER_OK)
    contender_fail("strata", frontier_message(o->frontier));
}

static void *open_as(const char *directory, uint64_t expected_urls, variant as)
{
  char message[FRONTIER_MESSAGE_SIZE] = "out of memory";
  frontier_options options = {.filter = as.filter,
                              .expected_urls = expected_urls,
                              .rate = as.rate,
                              .per_host = CONTENDER_PER_HOST,
                              .depth_cap = UINT16_MAX,
                              .keep_identity = true,
                              .exact = as.exact,
                              .commit_thread = as.commit_thread};
  ours *o = calloc(1, sizeof *o);
  if (!o || frontier_open(directory, &options, &o->frontier, message) != FRONTIER_OK)
    contender_fail("strata", message);
  return o;
}

#define OPENING(name, ...)                                           \
  static void *open_##name(const char *directory, uint64_t expected) \
  {                                                                  \
    return open_as(directory, expected, (variant){__VA_ARGS__});     \
  }

OPENING(plain, 1e-6, MLBF_KIND_MLBF, false, false)
OPENING(thread, 1e-6, MLBF_KIND_MLBF, false, true)
OPENING(exact, 1e-2, MLBF_KIND_MLBF, true, false)
OPENING(exact_thread, 1e-2, MLBF_KIND_MLBF, true, true)
OPENING(exact_line, 1e-2, MLBF_KIND_LINE, true, false)
OPENING(exact_sure, 1e-6, MLBF_KIND_MLBF, true, false)
OPENING(front, 1e-2, MLBF_KIND_MLBF, false, false)

/* An unconfirmed one is queued later, or never. */
static bool is_new(frontier_outcome outcome)
{
  return outcome != FRONTIER_SEEN && outcome != FRONTIER_UNCONFIRMED;
}

static bool add(void *self, const char *text, size_t size)
{
  ours *o = self;
  frontier_verdict verdict;
  if (url_parse(text, size, URL_STRICT, &o->urls[0]) != URL_OK)
    contender_fail("strata", text);
  demand(o, frontier_add(o->frontier, &o->urls[0], (frontier_origin){0}, contender_now_ms(), &verdict));
  return is_new(verdict.outcome);
}

static size_t add_page(void *self, const contender_text *texts, size_t count)
{
  ours *o = self;
  frontier_link links[TOGETHER] = {0};
  frontier_verdict verdicts[TOGETHER];
  size_t accepted = 0, settled;
  for (size_t i = 0; i < count; i++) {
    links[i].target = &o->urls[i];
    if (url_parse(texts[i].text, texts[i].size, URL_STRICT, &o->urls[i]) != URL_OK)
      contender_fail("strata", texts[i].text);
  }
  demand(o, frontier_add_batch(o->frontier, links, count, contender_now_ms(), verdicts, &settled));
  for (size_t i = 0; i < count; i++)
    accepted += is_new(verdicts[i].outcome);
  return accepted;
}

static size_t next(void *self, contender_lease *leased, size_t max)
{
  ours *o = self;
  frontier_lease leases[LEASES];
  size_t count;
  int64_t wait_ms;
  demand(o, frontier_next(o->frontier, contender_now_ms(), leases, max < LEASES ? max : LEASES, &count, &wait_ms));
  for (size_t i = 0; i < count; i++) {
    leased[i].id = leases[i].id;
    leased[i].url.size = leases[i].url_size;
    memcpy(leased[i].url.text, leases[i].url, leases[i].url_size);
  }
  return count;
}

static bool is_finished(void *self)
{
  ours *o = self;
  return frontier_is_finished(o->frontier);
}

static void done(void *self, uint64_t id, contender_state state, unsigned code)
{
  ours *o = self;
  frontier_state ended = state == CONTENDER_DONE ? FRONTIER_DONE : FRONTIER_FAILED;
  demand(o, frontier_done(o->frontier, id, ended, (uint16_t)code, NULL, 0, contender_now_ms()));
}

static void delay(void *self, uint64_t id, uint64_t delay_ms)
{
  ours *o = self;
  frontier_host_control control = {.delay_ms = delay_ms};
  demand(o, frontier_host_set(o->frontier, frontier_host_of(o->frontier, id), &control));
}

typedef struct visit {
  contender_visitor *visit;
  contender_host_visitor *visit_host;
  void *context;
} visit;

static bool visit_record(void *context, const frontier_record *record)
{
  const visit *v = context;
  if (!record->is_queued)
    v->visit(v->context, record->url, record->url_size,
             record->state == FRONTIER_DONE ? CONTENDER_DONE : CONTENDER_FAILED, record->code);
  return true;
}

static void each_ended(void *self, contender_visitor *visitor, void *context)
{
  ours *o = self;
  demand(o, frontier_sync(o->frontier));
  demand(o, frontier_each(o->frontier, visit_record, &(visit){.visit = visitor, .context = context}));
}

static bool visit_host(void *context, const frontier_host_info *host)
{
  const visit *v = context;
  v->visit_host(v->context,
                &(contender_host){host->name, strlen(host->name), host->control->delay_ms, host->done, host->failed});
  return true;
}

static void each_host(void *self, contender_host_visitor *visitor, void *context)
{
  ours *o = self;
  demand(o, frontier_each_host(o->frontier, contender_now_ms(), visit_host,
                               &(visit){.visit_host = visitor, .context = context}));
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
  contender_lease none;
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
         "others called seen\n",
         (double)stats.filter.bits / (double)stats.filter.keys,
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

#define OURS(identifier, of, ...)                           \
  const contender identifier = {.open = open_##of,          \
                                .add = add,                 \
                                .add_page = add_page,       \
                                .next = next,               \
                                .done = done,               \
                                .is_finished = is_finished, \
                                .delay = delay,             \
                                .each_ended = each_ended,   \
                                .each_host = each_host,     \
                                .close = close_ours,        \
                                .commit = commit,           \
                                .report = report,           \
                                .compact = compact,         \
                                .keeps_contract = true,     \
                                __VA_ARGS__}

OURS(contender_strata, plain, .name = "strata", .known_rate = 1e-6);
OURS(contender_thread, thread, .name = "thread", .known_rate = 1e-6);
OURS(contender_exact, exact, .name = "exact", .known_rate = 1e-2, .is_exact = true);
OURS(contender_exact_thread, exact_thread, .name = "exact-thread", .known_rate = 1e-2, .is_exact = true);
OURS(contender_exact_line, exact_line, .name = "exact-line");
OURS(contender_exact_sure, exact_sure, .name = "exact");
OURS(contender_front, front, .name = "front", .known_rate = 1e-2);

/* Each of so many hosts has had a URL, which is done, and rests for an hour from then on, as all hosts do.
 *
 *     known      no URL waits
 *     waiting    each of them has one URL that waits
 *     clogged    no URL of theirs waits, but 100 of each of 1,000 further hosts do, more than memory has room for
 *
 * A crawl's loop asks once for each page that arrives, so it may ask thousands of times a second. The time that is
 * passed grows by a millisecond a call, and nothing becomes due. */
#include "bench/frontier_idle.h"
#include "bench/frontier_contender.h"
#include "bench/frontier_cost.h"

#include "frontier/frontier.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { HOUR_MS = 3600000, LEASES = 1024, CALLS_MOST = 20000, RESTING = 1000, RESTING_URLS = 100, ROUNDS_MOST = 99 };

typedef enum resting { KNOWN, WAITING, CLOGGED, STATES } resting;
static const char *const names[STATES] = {"known", "waiting", "clogged"};

typedef struct idle {
  frontier *frontier;
  uint64_t now_ms;
} idle;

static void demand(const idle *i, frontier_status status)
{
  if (status != FRONTIER_OK)
    contender_fail("idle", frontier_message(i->frontier));
}

static void add(idle *i, uint64_t host, unsigned page)
{
  static url u;
  char text[96];
  frontier_verdict verdict;
  int size = snprintf(text, sizeof text, "https://www.host-%" PRIu64 ".example/page-%u", host, page);
  if (url_parse(text, (size_t)size, URL_STRICT, &u) != URL_OK)
    contender_fail("idle", text);
  demand(i, frontier_add(i->frontier, &u, (frontier_origin){0}, i->now_ms, &verdict));
}

static size_t take(idle *i)
{
  frontier_lease leases[LEASES];
  size_t count;
  int64_t wait_ms;
  demand(i, frontier_next(i->frontier, i->now_ms, leases, LEASES, &count, &wait_ms));
  for (size_t k = 0; k < count; k++)
    demand(i, frontier_done(i->frontier, leases[k].id, FRONTIER_DONE, 200, NULL, 0, i->now_ms));
  return count;
}

/* Each host gets one URL, and it is done. */
static void visit_hosts(idle *i, uint64_t first, uint64_t count)
{
  for (uint64_t host = first; host < first + count; host++) {
    add(i, host, 0);
    if (host % LEASES == 0)
      take(i);
  }
  while (take(i) > 0)
    continue;
}

static void prepare(idle *i, uint64_t hosts, resting what)
{
  visit_hosts(i, 0, hosts);
  for (uint64_t host = 0; what == WAITING && host < hosts; host++)
    add(i, host, 1);
  if (what == CLOGGED)
    visit_hosts(i, hosts, RESTING);
  for (unsigned k = 0; what == CLOGGED && k < RESTING * RESTING_URLS; k++)
    add(i, hosts + k / RESTING_URLS, 1 + k % RESTING_URLS);
  demand(i, frontier_sync(i->frontier));
}

/* Half a second of calls, but no fewer than ten; the first ones may still read what waits on disk. */
static void ask(idle *i, cost_calls *calls)
{
  for (int k = 0; k < 100; k++)
    take(i);
  for (double began = cost_now(), last = began, at;
       (last - began < 0.5 || calls->count < 10) && calls->count < CALLS_MOST; last = at) {
    i->now_ms++;
    if (take(i) > 0)
      contender_fail("idle", "something was due");
    at = cost_now();
    cost_note(calls, at - last);
  }
}

static void measure(const char *parent, uint64_t hosts, resting what, cost_calls *calls)
{
  char directory[4096], message[FRONTIER_MESSAGE_SIZE], command[4200];
  snprintf(directory, sizeof directory, "%s/bench-idle-XXXXXX", parent);
  frontier_options options = {.filter = MLBF_KIND_MLBF,
                              .expected_urls = 2 * hosts + RESTING * RESTING_URLS,
                              .rate = 1e-6,
                              .delay_ms = HOUR_MS,
                              .per_host = 1,
                              .depth_cap = UINT16_MAX};
  idle i = {.now_ms = HOUR_MS};
  if (!mkdtemp(directory) || frontier_open(directory, &options, &i.frontier, message) != FRONTIER_OK)
    contender_fail(directory, "cannot be made");
  prepare(&i, hosts, what);
  ask(&i, calls);
  frontier_close(i.frontier);
  snprintf(command, sizeof command, "rm -rf '%s'", directory);
  if (system(command) != 0)
    contender_fail(directory, "cannot be removed");
}

static int by_size(const void *left, const void *right)
{
  double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

static void print_row(const char *directory, uint64_t hosts, resting what, unsigned rounds)
{
  double mean[ROUNDS_MOST] = {0}, nearly_all[ROUNDS_MOST] = {0}, longest[ROUNDS_MOST] = {0};
  for (unsigned round = 0; round < rounds; round++) {
    cost_calls calls = {0};
    measure(directory, hosts, what, &calls);
    mean[round] = calls.sum / (double)calls.count * 1e6;
    nearly_all[round] = cost_quantile(&calls, 0.999) * 1e6;
    longest[round] = calls.longest * 1e6;
  }
  qsort(mean, rounds, sizeof *mean, by_size);
  qsort(nearly_all, rounds, sizeof *nearly_all, by_size);
  qsort(longest, rounds, sizeof *longest, by_size);
  printf("%10" PRIu64 " %-10s %12.1f %12.1f %12.1f\n", hosts, names[what], mean[rounds / 2], nearly_all[rounds / 2],
         longest[rounds / 2]);
  fflush(stdout);
}

void measure_idle(const char *directory, uint64_t most_hosts, unsigned rounds)
{
  printf("%10s %-10s %12s %12s %12s\n", "hosts", "", "mean us", "p99.9 us", "longest us");
  for (uint64_t hosts = 1000; hosts <= most_hosts; hosts *= 10)
    for (resting what = 0; what < STATES; what++)
      print_row(directory, hosts, what, rounds < ROUNDS_MOST ? rounds : ROUNDS_MOST);
}

/* Hosts that may not be asked now: what a call of frontier_next costs where nothing is due, and how long healthy hosts
 * wait behind resting ones. On a directory in DIR.
 *
 *     bench_resting DIR [HOSTS]      up to so many hosts, default 10^6; 10^7 take some ten minutes and 5 GB */
#include "frontier/host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { HOUR_MS = 3600000, RESTING_URLS = 100, HEALTHY = 20, HEALTHY_URLS = 10, TAKEN = 64, CALLS = 20000 };

static url parsed;
static frontier_lease leases[TAKEN];

typedef struct bench {
  frontier *f;
  uint64_t now_ms;
  double longest_s; /* of a call of frontier_next */
} bench;

static double seconds(clockid_t of)
{
  struct timespec now;
  clock_gettime(of, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void must(const bench *b, frontier_status status)
{
  if (status == FRONTIER_OK)
    return;
  fprintf(stderr, "%s\n", frontier_message(b->f));
  exit(1);
}

static bench open_new(const char *root, uint64_t urls, uint64_t delay_ms)
{
  char path[4096], message[FRONTIER_MESSAGE_SIZE] = "", command[4200];
  bench b = {0};
  frontier_options options = {.filter = MLBF_KIND_MLBF,
                              .expected_urls = urls,
                              .rate = 1e-6,
                              .per_host = 1,
                              .delay_ms = delay_ms,
                              .depth_cap = UINT16_MAX};
  snprintf(path, sizeof path, "%s/resting", root);
  snprintf(command, sizeof command, "rm -rf '%s'", path);
  if (system(command) != 0 || frontier_open(path, &options, &b.f, message) != FRONTIER_OK) {
    fprintf(stderr, "%s: %s\n", path, message);
    exit(1);
  }
  return b;
}

static void add(const bench *b, const char *name, uint64_t host, uint64_t number)
{
  char text[64];
  frontier_verdict verdict;
  int size = snprintf(text, sizeof text, "http://%s%llu.test/%llu", name, (unsigned long long)host,
                      (unsigned long long)number);
  if (url_parse(text, (size_t)size, URL_STRICT, &parsed) != URL_OK)
    abort();
  must(b, frontier_add(b->f, &parsed, (frontier_origin){0}, b->now_ms, &verdict));
}

static size_t next(bench *b, int64_t *wait_ms)
{
  size_t count;
  double begin_s = seconds(CLOCK_THREAD_CPUTIME_ID);
  must(b, frontier_next(b->f, b->now_ms, leases, TAKEN, &count, wait_ms));
  double took_s = seconds(CLOCK_THREAD_CPUTIME_ID) - begin_s;
  b->longest_s = took_s > b->longest_s ? took_s : b->longest_s;
  return count;
}

/* Each host has been asked for one URL, and rests with the other. */
static void nothing_due(const char *root, uint64_t hosts)
{
  int64_t wait_ms = 0;
  bench b = open_new(root, 2 * hosts, HOUR_MS);
  for (uint64_t i = 0; i < 2 * hosts; i++)
    add(&b, "h", i % hosts, i / hosts);
  for (size_t count = 1; count || wait_ms == 0;) {
    count = next(&b, &wait_ms);
    for (size_t i = 0; i < count; i++)
      must(&b, frontier_done(b.f, leases[i].id, FRONTIER_DONE, 200, NULL, 0, b.now_ms));
  }
  double begin_s = seconds(CLOCK_THREAD_CPUTIME_ID);
  for (int i = 0; i < CALLS; i++)
    if (next(&b, &wait_ms) || wait_ms <= 0)
      abort();
  double took_s = seconds(CLOCK_THREAD_CPUTIME_ID) - begin_s;
  printf("%9llu hosts known, nothing due: %6.2f us a call\n", (unsigned long long)hosts, took_s / CALLS * 1e6);
  frontier_close(b.f);
}

static void behind(const char *root, uint64_t resting)
{
  int64_t wait_ms;
  unsigned healthy = 0, calls = 0;
  bench b = open_new(root, (resting + 1) * RESTING_URLS, 1000);
  for (uint64_t i = 0; i < resting * RESTING_URLS; i++)
    add(&b, "r", i % resting, i / resting);
  for (uint64_t i = 0; i < (uint64_t)HEALTHY * HEALTHY_URLS; i++)
    add(&b, "h", i % HEALTHY, i / HEALTHY);
  must(&b, frontier_sync(b.f));
  uint64_t begin_ms = b.now_ms;
  double begin_s = seconds(CLOCK_MONOTONIC);
  for (; healthy < HEALTHY * HEALTHY_URLS; calls++) {
    size_t count = next(&b, &wait_ms);
    for (size_t i = 0; i < count; i++) {
      bool rests = strncmp(leases[i].url, "http://r", 8) == 0;
      healthy += !rests;
      if (rests)
        must(&b, frontier_host_back_off(b.f, leases[i].id, b.now_ms, HOUR_MS));
      must(&b, frontier_done(b.f, leases[i].id, FRONTIER_DONE, 200, NULL, 0, b.now_ms));
    }
    b.now_ms += !count && wait_ms > 0 ? (uint64_t)wait_ms : 0;
  }
  printf("%9llu hosts rest before 200 healthy URLs: all in %.1f s, beside %.1f s of waiting for delays; %u calls, the "
         "longest %.2f ms\n",
         (unsigned long long)resting, seconds(CLOCK_MONOTONIC) - begin_s, (double)(b.now_ms - begin_ms) / 1e3, calls,
         b.longest_s * 1e3);
  frontier_close(b.f);
}

int main(int argc, char **argv)
{
  static const uint64_t resting[] = {700, 5000, 20000};
  uint64_t most = argc > 2 ? strtoull(argv[2], NULL, 10) : 1000000;
  if (argc < 2)
    return 2;
  for (size_t i = 0; i < sizeof resting / sizeof *resting; i++)
    behind(argv[1], resting[i]);
  for (uint64_t hosts = 1000; hosts <= most; hosts *= 10)
    nothing_due(argv[1], hosts);
  return 0;
}

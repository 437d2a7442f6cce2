/* frontier_lookup one by one against frontier_lookup_batch, 32 at a time, on a filter larger than the caches: what the
 * batch calls save of a link's way in before anything is written. Parsing is not timed. Medians of interleaved rounds.
 *   bench_frontier_batch [URLS]      default 1,000,000, in a filter made for 64 times as many */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "frontier/frontier.h"

enum { TOGETHER = 32, ROUNDS = 7 };

static double now_ns(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void must(bool holds, const char *what)
{
  if (holds)
    return;
  fprintf(stderr, "bench_frontier_batch: %s\n", what);
  exit(1);
}

static void parse(size_t number, url *u)
{
  char text[96];
  uint64_t mixed = number * 0x9e3779b97f4a7c15;
  int size = snprintf(text, sizeof text, "http://h%llu.test/section/%llu/%zu", (unsigned long long)(mixed >> 50),
                      (unsigned long long)(mixed >> 40 & 15), number);
  must(url_parse(text, (size_t)size, URL_STRICT, u) == URL_OK, "url_parse");
}

/* Nanoseconds a URL, of `count` URLs in an order of no locality. */
static double time_lookups(frontier *f, url urls[TOGETHER], size_t count, bool together)
{
  double sum = 0;
  for (size_t begin = 0; begin + TOGETHER <= count; begin += TOGETHER) {
    frontier_link links[TOGETHER];
    frontier_verdict verdicts[TOGETHER];
    for (size_t i = 0; i < TOGETHER; i++) {
      parse((begin + i) * 7919 % count, &urls[i]);
      links[i] = (frontier_link){.target = &urls[i]};
    }
    double start = now_ns();
    if (together)
      must(frontier_lookup_batch(f, links, TOGETHER, verdicts) == FRONTIER_OK, "lookup_batch");
    for (size_t i = 0; i < TOGETHER && !together; i++)
      must(frontier_lookup(f, &urls[i], &verdicts[i]) == FRONTIER_OK, "lookup");
    sum += now_ns() - start;
    for (size_t i = 0; i < TOGETHER; i++)
      must(verdicts[i].outcome == FRONTIER_SEEN, "a URL is lost");
  }
  count -= count % TOGETHER;
  return sum / (double)count;
}

static int by_size(const void *a, const void *b)
{
  const double *x = a, *y = b;
  return *x < *y ? -1 : *x > *y;
}

int main(int argc, char **argv)
{
  static url urls[TOGETHER];
  size_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000;
  char message[FRONTIER_MESSAGE_SIZE];
  frontier_options options = {.filter = MLBF_KIND_MLBF, .expected_urls = 64 * count, .rate = 1e-6, .per_host = 1};
  frontier *f;
  must(count >= TOGETHER && frontier_open(NULL, &options, &f, message) == FRONTIER_OK, "open");
  for (size_t i = 0; i < count; i++) {
    frontier_verdict verdict;
    parse(i, urls);
    must(frontier_note(f, &(frontier_link){.target = urls}, 0, &verdict) == FRONTIER_OK, "note");
  }
  must(frontier_sync(f) == FRONTIER_OK, "sync");
  double one[ROUNDS], many[ROUNDS];
  for (size_t i = 0; i < ROUNDS; i++) {
    one[i] = time_lookups(f, urls, count, false);
    many[i] = time_lookups(f, urls, count, true);
  }
  qsort(one, ROUNDS, sizeof *one, by_size);
  qsort(many, ROUNDS, sizeof *many, by_size);
  frontier_stats stats;
  must(frontier_stats_read(f, &stats) == FRONTIER_OK, "stats");
  printf("filter %.0f MB: one by one %.0f ns a URL, in batches of %d %.0f ns: %.2f times as fast\n",
         (double)stats.filter.memory_bytes / 1e6, one[ROUNDS / 2], TOGETHER, many[ROUNDS / 2],
         one[ROUNDS / 2] / many[ROUNDS / 2]);
  frontier_close(f);
}

/* What priorities cost: URLs of 16 groups are added to a directory, all of one priority, of 64, and of any that 32 bits
 * have; then all are leased and ended, with the directory closed and opened again half way. Each lease must be the
 * first of its group: of the largest priority that is left there, and of those the oldest.
 *   bench_ordered DIRECTORY [URLS]      default 1,000,000; DIRECTORY is made */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

#include "frontier/text.h"

enum { GROUPS = 16, TOGETHER = 512 };

static const uint64_t START_MS = 1700000000000;

typedef struct last {
  int32_t priority;
  uint64_t id; /* 0: none yet */
} last;

static double now_s(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void must(bool holds, const char *what)
{
  if (holds)
    return;
  fprintf(stderr, "bench_ordered: %s\n", what);
  exit(1);
}

static frontier *open_it(const char *directory, size_t urls)
{
  char message[FRONTIER_MESSAGE_SIZE] = "";
  frontier *f = NULL;
  frontier_options options = {
    .filter = MLBF_KIND_MLBF, .expected_urls = urls, .rate = 1e-6, .per_host = 1000, .depth_cap = 9};
  must(frontier_open(directory, &options, &f, message) == FRONTIER_OK, message);
  return f;
}

static int32_t priority_of(uint64_t number, uint64_t ranks)
{
  uint64_t mixed = (number + 1) * 0x9e3779b97f4a7c15;
  mixed = (mixed ^ mixed >> 31) * 0xbf58476d1ce4e5b9 >> 32;
  return ranks ? (int32_t)(uint32_t)(mixed % ranks - ranks / 2) : 0;
}

static void add_all(frontier *f, size_t urls, uint64_t ranks)
{
  static char hrefs[TOGETHER][64];
  static frontier_text texts[TOGETHER];
  static frontier_answer answers[TOGETHER];
  static const char groups[] = "abcdefghijklmnop";
  size_t settled;
  for (size_t begin = 0; begin < urls; begin += TOGETHER) {
    size_t count = urls - begin < TOGETHER ? urls - begin : TOGETHER;
    for (size_t i = 0; i < count; i++) {
      size_t number = begin + i, size = (size_t)snprintf(hrefs[i], sizeof hrefs[i], "http://a.test/x/%zu", number);
      texts[i] = (frontier_text){.href = hrefs[i],
                                 .href_size = size,
                                 .group = &groups[number % GROUPS],
                                 .group_size = 1,
                                 .priority = priority_of(number, ranks)};
    }
    must(frontier_add_texts(f, NULL, texts, count, START_MS, answers, &settled) == FRONTIER_OK, frontier_message(f));
  }
  must(frontier_sync(f) == FRONTIER_OK, frontier_message(f));
}

static void check_order(const frontier_lease *l, last lasts[GROUPS])
{
  last *before = &lasts[*l->group - 'a'];
  bool is_next = !before->id || l->priority < before->priority ||
                 (l->priority == before->priority && l->id > before->id);
  must(is_next, "a URL came out of its order");
  *before = (last){l->priority, l->id};
}

static size_t lease_some(frontier *f, size_t wanted, last lasts[GROUPS], uint64_t *now_ms)
{
  static frontier_lease leases[TOGETHER];
  size_t leased = 0, count;
  int64_t wait_ms;
  for (; leased < wanted && !frontier_is_finished(f); leased += count, ++*now_ms) {
    must(frontier_next(f, *now_ms, leases, TOGETHER, &count, &wait_ms) == FRONTIER_OK, frontier_message(f));
    for (size_t i = 0; i < count; i++) {
      check_order(&leases[i], lasts);
      must(frontier_done(f, leases[i].id, FRONTIER_DONE, 200, NULL, 0, *now_ms) == FRONTIER_OK, "done");
    }
  }
  return leased;
}

static double peak_mb(void)
{
  struct rusage use;
  getrusage(RUSAGE_SELF, &use);
  return (double)use.ru_maxrss / 1024;
}

static double measure(const char *root, const char *name, size_t urls, uint64_t ranks)
{
  char directory[4096];
  last lasts[GROUPS] = {{0}};
  uint64_t now_ms = START_MS;
  snprintf(directory, sizeof directory, "%s/%s", root, name);
  frontier *f = open_it(directory, urls);
  double start = now_s();
  add_all(f, urls, ranks);
  double added = now_s();
  size_t leased = lease_some(f, urls / 2, lasts, &now_ms);
  double half = now_s();
  must(frontier_close(f) == FRONTIER_OK, "close");
  f = open_it(directory, urls);
  double opened = now_s();
  size_t first = lease_some(f, 1, lasts, &now_ms);
  double begun = now_s();
  size_t rest = lease_some(f, urls, lasts, &now_ms);
  double end = now_s();
  must(leased + first + rest == urls, "URLs are lost");
  must(frontier_close(f) == FRONTIER_OK, "close");
  double n = (double)urls, add_us = (added - start) * 1e6 / n,
         lease_us = (half - added + end - begun) * 1e6 / (n - (double)first);
  printf("%-8s add %.2f us, lease and end %.2f us a URL; first lease %.2f s after opening; peak %.0f MB so far\n", name,
         add_us, lease_us, begun - opened, peak_mb());
  fflush(stdout);
  return add_us + lease_us;
}

int main(int argc, char **argv)
{
  size_t urls = argc > 2 ? strtoull(argv[2], NULL, 10) : 1000000;
  must(argc > 1 && urls && mkdir(argv[1], 0777) == 0, "bench_ordered DIRECTORY [URLS]");
  double plain = measure(argv[1], "plain", urls, 0);
  double few = measure(argv[1], "64", urls, 64);
  double many = measure(argv[1], "any", urls, (uint64_t)1 << 32);
  printf("%zu URLs, all in their order; 64 priorities cost %.2f times as much as none, any %.2f\n", urls, few / plain,
         many / plain);
  return 0;
}

/* The links of a page, from hrefs to verdicts, in three ways: url_resolve and frontier_add one by one; url_resolve
 * into 32 `url`s and frontier_add_batch; frontier_add_texts. Nanoseconds of processor time a link, for pages of 50,
 * 1,000 and 10,000 links: four of five are of the page's host, one of 16 is new. Medians of interleaved rounds.
 *   bench_frontier_texts [URLS [LARGER]]   default 1,000,000 known, in a filter made for 64 times as many */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "frontier/text.h"

enum { TOGETHER = 32, ROUNDS = 9, LINKS = 200000, HREF_MAX = 120, URLS_OF_HOST = 512, WAYS = 3, PAGE_MAX = 10000 };

static char hrefs[PAGE_MAX][HREF_MAX];
static frontier_text texts[PAGE_MAX];

static void must(bool holds, const char *what)
{
  if (holds)
    return;
  fprintf(stderr, "bench_frontier_texts: %s\n", what);
  exit(1);
}

static double now_ns(void)
{
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static uint64_t mix(uint64_t number)
{
  number = (number ^ number >> 31) * 0x9e3779b97f4a7c15;
  return (number ^ number >> 29) * 0xbf58476d1ce4e5b9 >> 11;
}

static int write_href(char *href, size_t number, bool is_relative)
{
  char host[40] = "";
  if (!is_relative)
    snprintf(host, sizeof host, "http://h%zu.test", number / URLS_OF_HOST);
  return snprintf(href, HREF_MAX, "%s/section/%zu/%zu", host, number % 16, number);
}

static void make_page(url_base *base, uint64_t page, size_t links, size_t known)
{
  static uint64_t fresh;
  char address[HREF_MAX];
  size_t host = mix(page) % (known / URLS_OF_HOST) * URLS_OF_HOST;
  int size = write_href(address, host, false);
  must(url_base_set(base, address, (size_t)size) == URL_OK, "url_base_set");
  for (size_t i = 0; i < links; i++) {
    uint64_t dice = mix(page * PAGE_MAX + i + 1);
    bool is_relative = dice % 5 != 0;
    size_t number = is_relative ? host + dice / 80 % URLS_OF_HOST : dice / 80 % known;
    size = dice / 5 % 16 == 0 ? snprintf(hrefs[i], HREF_MAX, "/new/%llu", (unsigned long long)fresh++)
                              : write_href(hrefs[i], number, is_relative);
    texts[i] = (frontier_text){.href = hrefs[i], .href_size = (size_t)size};
  }
}

static void add_one_by_one(frontier *f, const url_base *base, size_t links)
{
  static url u;
  frontier_verdict verdict;
  for (size_t i = 0; i < links; i++) {
    must(url_resolve(base, texts[i].href, texts[i].href_size, URL_STRICT, &u) == URL_OK, "url_resolve");
    must(frontier_add(f, &u, texts[i].origin, 0, &verdict) == FRONTIER_OK, "add");
  }
}

static void add_in_batches(frontier *f, const url_base *base, size_t links)
{
  static url urls[TOGETHER];
  frontier_link batch[TOGETHER];
  frontier_verdict verdicts[TOGETHER];
  for (size_t begin = 0, count, settled; begin < links; begin += count) {
    for (count = 0; count < TOGETHER && begin + count < links; count++) {
      const frontier_text *t = &texts[begin + count];
      must(url_resolve(base, t->href, t->href_size, URL_STRICT, &urls[count]) == URL_OK, "url_resolve");
      batch[count] = (frontier_link){.target = &urls[count], .origin = t->origin};
    }
    must(frontier_add_batch(f, batch, count, 0, verdicts, &settled) == FRONTIER_OK, "add_batch");
  }
}

static void add_texts(frontier *f, const url_base *base, size_t links)
{
  static frontier_answer answers[PAGE_MAX];
  size_t settled;
  const frontier_text_rules rules = {.base = base};
  must(frontier_add_texts(f, &rules, texts, links, 0, answers, &settled) == FRONTIER_OK, "add_texts");
}

static int by_size(const void *a, const void *b)
{
  const double *x = a, *y = b;
  return *x < *y ? -1 : *x > *y;
}

static void measure(frontier *f, size_t links, size_t known)
{
  static void (*const ways[WAYS])(frontier *, const url_base *, size_t) = {add_one_by_one, add_in_batches, add_texts};
  static uint64_t page;
  double ns[WAYS][ROUNDS] = {{0}};
  url_base *base = url_base_create();
  must(base, "no memory");
  for (size_t round = 0; round < ROUNDS; round++)
    for (size_t done = 0; done < LINKS; done += links)
      for (size_t turn = 0; turn < WAYS; turn++) {
        size_t way = (done / links + turn) % WAYS; /* none is always the first */
        make_page(base, page++, links, known);
        double start = now_ns();
        ways[way](f, base, links);
        ns[way][round] += (now_ns() - start) / LINKS;
      }
  for (size_t way = 0; way < WAYS; way++)
    qsort(ns[way], ROUNDS, sizeof ns[way][0], by_size);
  double one = ns[0][ROUNDS / 2], batch = ns[1][ROUNDS / 2], text = ns[2][ROUNDS / 2];
  printf("pages of %5zu links: one by one %4.0f ns a link, add_batch %4.0f, add_texts %4.0f: %.2f and %.2f times as "
         "fast as those\n",
         links, one, batch, text, one / text, batch / text);
  url_base_free(base);
}

int main(int argc, char **argv)
{
  static url u;
  size_t known = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000, larger = argc > 2 ? strtoull(argv[2], NULL, 10) : 64;
  char message[FRONTIER_MESSAGE_SIZE], text[HREF_MAX];
  frontier_options options = {
    .filter = MLBF_KIND_MLBF, .expected_urls = larger * known, .rate = 1e-6, .per_host = 1, .depth_cap = UINT16_MAX};
  frontier *f;
  must(known >= URLS_OF_HOST && larger && frontier_open(NULL, &options, &f, message) == FRONTIER_OK, "open");
  for (size_t i = 0; i < known; i++) {
    frontier_verdict verdict;
    int size = write_href(text, i, false);
    must(url_parse(text, (size_t)size, URL_STRICT, &u) == URL_OK, "url_parse");
    must(frontier_note(f, &(frontier_link){.target = &u}, 0, &verdict) == FRONTIER_OK, "note");
  }
  frontier_stats stats;
  must(frontier_sync(f) == FRONTIER_OK && frontier_stats_read(f, &stats) == FRONTIER_OK, "sync");
  printf("filter of %.0f MB\n", (double)stats.filter.memory_bytes / 1e6);
  for (size_t links = 50; links <= PAGE_MAX; links = links == 50 ? 1000 : 10 * links)
    measure(f, links, known);
  frontier_close(f);
}

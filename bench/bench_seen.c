/* What a crawl's look-up of links costs, by the calls that frontier_add_batch makes: a page's 50 links are hashed, the
 * filters are asked, what they call new is judged with the batches, and what is new is added; every 64 pages the batch
 * is committed, and its bits are set.
 *
 *     bench_seen [KEYS [RATE [FILE]]]     default: 1,000,000 keys at 1e-6, made up; or those of FILE, shuffled
 *
 * The main filter holds KEYS keys, and of the links 1 in 50 is new. The kinds take turns, 51 rounds; a row has the
 * median round. `bloom` has as many bits as `mlbf` with signals, `line` the same rate. */
#include "bench/url_list.h"
#include "frontier/core/state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LINKS = 50, PAGES_A_COMMIT = 64, ROUNDS = 51, ROUND_PAGES = 2000, URL_BYTES = 1024 };

typedef struct contender {
  const char *name;
  mlbf_options options;
  seen *keys;
  uint64_t pages, new_links;
  double nanoseconds[ROUNDS]; /* a link */
} contender;

/* Links as they are when the frontier gets them: parsed just now, so in the cache. */
typedef struct page {
  url links[LINKS];
  char texts[LINKS][URL_BYTES];
} page;

static url_list list;  /* of the keys that lie in memory */
static uint64_t count; /* of all keys; those behind the list's are made up */
static page links;

static void must(bool is_fine, const char *what)
{
  if (is_fine)
    return;
  fprintf(stderr, "bench_seen: %s failed\n", what);
  exit(1);
}

static uint64_t next_random(uint64_t *state)
{
  uint64_t x = *state += 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

static size_t key_text(uint64_t number, char text[URL_BYTES])
{
  if (number >= list.count)
    return url_make_up(number, text);
  mlbf_span known = list.texts[number];
  size_t size = known.size < URL_BYTES / 2 ? known.size : URL_BYTES / 2;
  memcpy(text, known.bytes, size);
  return size;
}

static void parse(url *u, const char *text, size_t size)
{
  mlbf_span segments[MLBF_LAYERS_MAX];
  u->segment_count = (uint32_t)url_cut(text, size, segments);
  u->key = text;
  for (uint32_t i = 0; i < u->segment_count; i++)
    u->segment_begin[i] = (uint32_t)((const char *)segments[i].bytes - text);
  u->segment_begin[u->segment_count] = (uint32_t)size;
}

static void make_page(uint64_t *random, uint64_t number)
{
  for (size_t i = 0; i < LINKS; i++) {
    char *text = links.texts[i];
    size_t size = key_text(next_random(random) % count, text);
    if (i == number % LINKS)
      size += (size_t)sprintf(text + size, "/new-%llu", (unsigned long long)number);
    parse(&links.links[i], text, size);
  }
}

/* As frontier/core/add.c does it. */
static void add_links(contender *c, const url *urls, size_t size)
{
  static seen_lot lot;
  static mlbf_verdict verdicts[SEEN_LOT];
  static mlbf_span rooms[SEEN_LOT][URL_SEGMENTS_MAX];
  mlbf_key keys[SEEN_LOT];
  mlbf_hashes hashes = seen_lot_hashes(&lot);
  key_hashes key;
  for (size_t i = 0; i < size; i++)
    keys[i] = (mlbf_key){rooms[i], seen_segments(&urls[i], rooms[i])};
  mlbf_hash(seen_filter(c->keys), keys, size, &hashes);
  seen_ask(c->keys, &hashes, size, verdicts);
  for (size_t i = 0; i < size; i++)
    if (verdicts[i].outcome != MLBF_SEEN) {
      seen_lot_key(&lot, i, &key);
      seen_fetch(c->keys, &key);
    }
  for (size_t i = 0; i < size; i++) {
    if (verdicts[i].outcome == MLBF_SEEN)
      continue;
    seen_lot_key(&lot, i, &key);
    if (seen_judge(c->keys, &key, verdicts[i]).outcome != FRONTIER_SEEN) {
      must(seen_add(c->keys, &key), "seen_add");
      c->new_links++;
    }
  }
}

static double seconds(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void run_round(contender *c, unsigned round)
{
  double sum = 0;
  uint64_t random = 1000 + round;
  for (unsigned i = 0; i < ROUND_PAGES; i++) {
    make_page(&random, c->pages++);
    double began = seconds();
    for (size_t begin = 0; begin < LINKS; begin += SEEN_LOT)
      add_links(c, links.links + begin, LINKS - begin < SEEN_LOT ? LINKS - begin : SEEN_LOT);
    if (c->pages % PAGES_A_COMMIT == 0) {
      seen_seal(c->keys);
      seen_settle(c->keys);
    }
    sum += seconds() - began;
  }
  c->nanoseconds[round] = 1e9 * sum / (ROUND_PAGES * LINKS);
}

static void fill(mlbf_filter *filter)
{
  enum { LOT = 64 };
  static char texts[LOT][URL_BYTES];
  static mlbf_span segments[LOT][MLBF_LAYERS_MAX];
  static mlbf_key keys[LOT];
  for (uint64_t number = 0; number < count;) {
    size_t size = 0;
    for (; size < LOT && number < count; size++, number++) {
      size_t bytes = key_text(number, texts[size]);
      keys[size] = (mlbf_key){segments[size], url_cut(texts[size], bytes, segments[size])};
    }
    mlbf_insert(filter, keys, size, NULL);
  }
}

static void begin(contender *c)
{
  mlbf_filter *main, *young;
  mlbf_options small = c->options;
  must(mlbf_create(&c->options, &main) == MLBF_OK, "mlbf_create");
  fill(main);
  small.keys = count / 8;
  small.rate = c->options.rate ? seen_young_rate(c->options.rate) : 1e-6;
  small.bits = 0;
  must(mlbf_create(&small, &young) == MLBF_OK, "mlbf_create");
  must((c->keys = seen_adopt(young)), "seen_adopt");
  seen_renew(c->keys, main, count);
}

static int compare(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void print_row(contender *c)
{
  qsort(c->nanoseconds, ROUNDS, sizeof *c->nanoseconds, compare);
  printf("%-14s %8.1f %8.1f %8.1f %10llu %10llu\n", c->name, c->nanoseconds[ROUNDS / 2], c->nanoseconds[0],
         c->nanoseconds[ROUNDS - 1], (unsigned long long)(mlbf_promise_of(seen_main(c->keys)).bits >> 20),
         (unsigned long long)c->new_links);
}

int main(int argc, char **argv)
{
  count = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000;
  double rate = argc > 2 ? strtod(argv[2], NULL) : 1e-6;
  if (argc > 3)
    list = url_list_read(argv[3], count, 1);
  mlbf_options base = {.size = sizeof(mlbf_options), .keys = count, .rate = rate, .seed = 1};
  contender all[] = {{.name = "mlbf, signals"}, {.name = "mlbf"}, {.name = "line"}, {.name = "bloom"}};
  enum { CONTENDERS = sizeof all / sizeof *all };
  for (size_t i = 0; i < CONTENDERS; i++)
    all[i].options = base;
  all[0].options.kind = all[1].options.kind = MLBF_KIND_MLBF;
  all[0].options.signals = true;
  all[2].options.kind = MLBF_KIND_LINE;
  all[3].options.kind = MLBF_KIND_BLOOM;
  for (size_t i = 0; i < CONTENDERS; i++) {
    if (i == 3) {
      all[i].options.bits = mlbf_promise_of(seen_main(all[0].keys)).bits;
      all[i].options.rate = 0;
    }
    begin(&all[i]);
  }
  for (unsigned round = 0; round < ROUNDS; round++)
    for (size_t i = 0; i < CONTENDERS; i++)
      run_round(&all[i], round);
  printf("%llu keys, rate %g; ns a link\n%-14s %8s %8s %8s %10s %10s\n", (unsigned long long)count, rate, "kind",
         "median", "least", "most", "Mbit", "new");
  for (size_t i = 0; i < CONTENDERS; i++) {
    print_row(&all[i]);
    seen_free(all[i].keys);
  }
  url_list_free(&list);
}

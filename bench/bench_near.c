/* What asking for a near-duplicate costs as a crawl grows, and how many it finds.
 *
 *     bench_near [PAGES [DIRECTORY]]      default 1000000, in a new directory below TMPDIR; 10000000 takes 14 GB there
 *     bench_near --trees DIRECTORY ...    real pages: all .html files below each, and an edited copy of each
 *
 * Made pages have 40 to 200 shingles, 15 % of them of the site they are on, of a hundred; each tenth is a copy of an
 * earlier page with up to 8 % of it changed. Printed, at each step, is the CPU time a page of the last 100,000, full
 * volumes with it: the program's and the kernel's, which writes and reads files; the longest that a hundred pages took;
 * memory a page; copies found. In the end both take turns, the corpus of so many pages and one of 100,000: what else
 * the machine does then costs both the same. Medians.
 *
 * Of real pages each is compared with all before it, and recall is how many of those that have a near one got one. */
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

#include "crawler/html/links.h"
#include "crawler/html/page_text.h"
#include "mlbf/similar/corpus_inside.h"

enum { SITES = 100, BATCH = 100, WINDOW = 100000, LEAST = 40, SPREAD = 160, ROOM = LEAST + SPREAD };
enum { ROUNDS = 10, ROUND = 10000 };

static uint64_t state;

static uint64_t throw_dice(uint64_t sides)
{
  state += 0x9e3779b97f4a7c15;
  uint64_t x = state;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return (x ^ x >> 31) % sides;
}

static double seconds_of(clockid_t clock)
{
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void give_up(const char *why)
{
  fprintf(stderr, "bench_near: %s\n", why);
  exit(1);
}

static int ascending(const void *a, const void *b)
{
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

/* ---- made pages ------------------------------------------------------------------------------------------ */

typedef struct page {
  uint64_t at[ROOM];
  size_t count;
  char name[64];
  bool is_copy;
} page;

static bool is_copy(uint64_t number)
{
  return number % 10 == 9;
}

/* The same number, the same page. */
static void make_original(page *p, uint64_t number)
{
  uint64_t site = number % SITES;
  state = number * 0xd1342543de82ef95;
  p->count = LEAST + throw_dice(SPREAD);
  for (size_t i = 0; i < p->count; i++)
    p->at[i] = i * 100 < p->count * 15 ? (site * ROOM + i + 1) * 0xd6e8feb86659fd93 : throw_dice(UINT64_MAX);
}

static void make_page(page *p, uint64_t number)
{
  p->is_copy = is_copy(number);
  state = ~number;
  uint64_t of = p->is_copy ? throw_dice(number) : number;
  make_original(p, of - (p->is_copy && is_copy(of)));
  state = ~number * 3;
  for (size_t left = p->is_copy ? throw_dice(p->count * 8 / 100 + 1) : 0; left > 0; left--)
    p->at[throw_dice(p->count)] = throw_dice(UINT64_MAX);
  qsort(p->at, p->count, sizeof *p->at, ascending);
  snprintf(p->name, sizeof p->name, "https://site-%u.example/pages/%llu.html", (unsigned)(number % SITES),
           (unsigned long long)number);
}

static bool add(mlbf_corpus *c, page *p)
{
  const mlbf_shingles s = {.at = p->at, .count = p->count, .text = 1};
  char *near = NULL;
  double share;
  if (mlbf_corpus_add(c, (mlbf_span){p->name, strlen(p->name)}, &s, &near, &share) != MLBF_OK)
    give_up(mlbf_corpus_message(c));
  bool was_near = near;
  free(near);
  return was_near;
}

static mlbf_corpus *open_corpus(const char *where)
{
  char message[MLBF_CORPUS_MESSAGE_SIZE];
  mlbf_corpus *c = NULL;
  if (mlbf_corpus_open(where, false, &c, message) != MLBF_OK)
    give_up(message);
  if (mlbf_corpus_near_open(c) != MLBF_OK)
    give_up(mlbf_corpus_message(c));
  return c;
}

static double seconds_between(struct timeval a, struct timeval b)
{
  return (double)(b.tv_sec - a.tv_sec) + (double)(b.tv_usec - a.tv_usec) * 1e-6;
}

typedef struct window {
  double user, kernel, longest;
  uint64_t copies, found, false_alarms;
} window;

static void add_batch(mlbf_corpus *c, uint64_t first, window *w)
{
  static page pages[BATCH];
  bool near[BATCH];
  for (size_t i = 0; i < BATCH; i++)
    make_page(&pages[i], first + i);
  struct rusage before, after;
  getrusage(RUSAGE_SELF, &before);
  double real = seconds_of(CLOCK_MONOTONIC);
  for (size_t i = 0; i < BATCH; i++)
    near[i] = add(c, &pages[i]);
  real = seconds_of(CLOCK_MONOTONIC) - real;
  getrusage(RUSAGE_SELF, &after);
  w->user += seconds_between(before.ru_utime, after.ru_utime);
  w->kernel += seconds_between(before.ru_stime, after.ru_stime);
  w->longest = real > w->longest ? real : w->longest;
  for (size_t i = 0; i < BATCH; i++) {
    w->copies += pages[i].is_copy;
    w->found += pages[i].is_copy && near[i];
    w->false_alarms += !pages[i].is_copy && near[i];
  }
}

static void print_window(const mlbf_corpus *c, uint64_t pages, const window *w)
{
  mlbf_corpus_stats stats;
  mlbf_corpus_stats_read(c, &stats);
  printf("%10llu %8.2f us %8.2f us %10.1f ms %8.1f B %8.4f %8llu\n", (unsigned long long)pages, 1e6 * w->user / WINDOW,
         1e6 * w->kernel / WINDOW, 1e3 * w->longest, (double)stats.near_bytes / (double)pages,
         (double)w->found / (double)w->copies, (unsigned long long)w->false_alarms);
  fflush(stdout);
}

static int lesser_first(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Own and kernel's CPU time. */
static double add_round(mlbf_corpus *c, uint64_t first, double *own)
{
  window w = {.user = 0};
  for (uint64_t i = 0; i < ROUND; i += BATCH)
    add_batch(c, first + i, &w);
  *own = 1e6 * w.user / ROUND;
  return 1e6 * (w.user + w.kernel) / ROUND;
}

static void take_turns(mlbf_corpus *large, uint64_t pages, const char *where)
{
  char directory[4096];
  double own[2][ROUNDS], all[2][ROUNDS];
  window w = {.user = 0};
  snprintf(directory, sizeof directory, "%s/small", where);
  mlbf_corpus *small = open_corpus(directory);
  for (uint64_t i = 0; i < WINDOW; i += BATCH)
    add_batch(small, i, &w);
  for (uint64_t i = 0; i < ROUNDS; i++) {
    all[0][i] = add_round(small, WINDOW + i * ROUND, &own[0][i]);
    all[1][i] = add_round(large, pages + i * ROUND, &own[1][i]);
  }
  for (int i = 0; i < 2; i++) {
    qsort(own[i], ROUNDS, sizeof **own, lesser_first);
    qsort(all[i], ROUNDS, sizeof **all, lesser_first);
    printf("in turns, from %10llu on: own %.2f us, with the kernel's %.2f us\n", i ? (unsigned long long)pages : WINDOW,
           own[i][ROUNDS / 2], all[i][ROUNDS / 2]);
  }
  mlbf_corpus_close(small);
}

static void measure(const char *where, uint64_t pages)
{
  mlbf_corpus *c = open_corpus(where);
  printf("%10s %11s %11s %13s %10s %8s %8s\n", "pages", "own CPU", "kernel", "longest, 100", "memory", "found",
         "false");
  uint64_t step = WINDOW;
  window w = {.user = 0};
  for (uint64_t i = 0; i < pages; i += BATCH) {
    if (i % WINDOW == 0)
      w = (window){.user = 0};
    add_batch(c, i, &w);
    if (i + BATCH == step) {
      print_window(c, step, &w);
      step += step < 1000000 ? WINDOW : 1000000;
    }
  }
  take_turns(c, pages, where);
  double before = seconds_of(CLOCK_MONOTONIC);
  mlbf_corpus_close(c);
  double between = seconds_of(CLOCK_MONOTONIC);
  c = open_corpus(where);
  printf("closed in %.2f s, opened in %.2f s\n", between - before, seconds_of(CLOCK_MONOTONIC) - between);
  mlbf_corpus_close(c);
}

/* ---- real pages ------------------------------------------------------------------------------------------ */

enum { TREE_MAX = 100000 };

static mlbf_shingles tree[TREE_MAX];
static size_t tree_count;
static page_text *text;
static links_scanner *scanner;

static void ignore_link(void *context, const link_found *link)
{
  (void)context, (void)link;
}

static void take_text(void *context, const char *bytes, size_t size)
{
  page_text_feed_html(context, bytes, size);
}

static void keep(const uint64_t *at, size_t count, uint64_t hash)
{
  mlbf_shingles *s = &tree[tree_count];
  if (count == 0 || tree_count == TREE_MAX)
    return;
  *s = (mlbf_shingles){.at = malloc(count * sizeof *at), .count = count, .text = hash};
  if (!s->at)
    give_up("out of memory");
  memcpy(s->at, at, count * sizeof *at);
  tree_count++;
}

static int read_page(const char *path, const struct stat *info, int kind, struct FTW *place)
{
  static char piece[1 << 16];
  const char *dot = strrchr(path, '.');
  FILE *file = kind == FTW_F && dot && strcmp(dot, ".html") == 0 ? fopen(path, "r") : NULL;
  (void)info, (void)place;
  if (!file)
    return 0;
  page_text_begin(text);
  for (size_t size; (size = fread(piece, 1, sizeof piece, file)) > 0;)
    links_feed(scanner, piece, size);
  links_finish(scanner);
  fclose(file);
  mlbf_shingles s = page_text_finish(text);
  keep(s.at, s.count, s.text);
  return 0;
}

/* Up to a tenth of each page is changed: of one at the limit, a bit more than a tenth of either is not in the other. */
static void make_copies(void)
{
  for (size_t i = 0, count = tree_count; i < count; i++) {
    keep(tree[i].at, tree[i].count, throw_dice(UINT64_MAX));
    mlbf_shingles *copy = &tree[tree_count - 1];
    for (uint64_t left = copy->count * throw_dice(1001) / 10000; left > 0; left--)
      copy->at[throw_dice(copy->count)] = throw_dice(UINT64_MAX);
    qsort(copy->at, copy->count, sizeof *copy->at, ascending);
  }
}

static bool is_near(const mlbf_shingles *a, const mlbf_shingles *b)
{
  double share, back;
  if (a->count < MLBF_CORPUS_NEAR_SHINGLES || b->count < MLBF_CORPUS_NEAR_SHINGLES)
    return a->text == b->text;
  if ((double)a->count < 0.9 * (double)b->count || (double)b->count < 0.9 * (double)a->count)
    return false;
  corpus_compare(a->at, a->count, b->at, b->count, &share, &back);
  return share >= MLBF_CORPUS_NEAR && back >= MLBF_CORPUS_NEAR;
}

static bool has_near(size_t number)
{
  for (size_t i = 0; i < number; i++)
    if (is_near(&tree[i], &tree[number]))
      return true;
  return false;
}

static void measure_tree(const char *directory, const char *where)
{
  size_t near = 0, found = 0, wrong = 0, long_enough = 0;
  char name[32];
  tree_count = 0;
  state = 19;
  if (nftw(directory, read_page, 16, FTW_PHYS) != 0)
    give_up(directory);
  size_t originals = tree_count;
  make_copies();
  mlbf_corpus *c = open_corpus(where);
  double cpu = 0;
  for (size_t i = 0; i < tree_count; i++) {
    bool wanted = has_near(i);
    snprintf(name, sizeof name, "%zu", i);
    const mlbf_span span = {name, strlen(name)};
    char *other = NULL;
    double share, before = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    if (mlbf_corpus_add(c, span, &tree[i], &other, &share) != MLBF_OK)
      give_up(mlbf_corpus_message(c));
    cpu += seconds_of(CLOCK_PROCESS_CPUTIME_ID) - before;
    near += wanted;
    found += wanted && other;
    wrong += !wanted && other;
    long_enough += tree[i].count >= MLBF_CORPUS_NEAR_SHINGLES;
    free(other);
  }
  printf("%s: %zu pages with text, %zu of all and their copies long enough; %zu near an earlier one, recall %.4f, "
         "%zu wrong; %.1f us a page\n",
         directory, originals, long_enough, near, near ? (double)found / (double)near : 1, wrong,
         1e6 * cpu / (double)tree_count);
  mlbf_corpus_close(c);
  while (tree_count > 0)
    mlbf_shingles_free(&tree[--tree_count]);
}

static void measure_trees(char **directories)
{
  char where[4096];
  const char *below = getenv("TMPDIR");
  text = page_text_create();
  scanner = links_create(ignore_link, NULL);
  if (!text || !scanner)
    give_up("out of memory");
  links_want_text(scanner, take_text, text);
  for (; *directories; directories++) {
    snprintf(where, sizeof where, "%s/bench_near.XXXXXX", below ? below : "/tmp");
    if (!mkdtemp(where))
      give_up("no directory");
    measure_tree(*directories, where);
  }
  links_free(scanner);
  page_text_free(text);
}

int main(int argc, char **argv)
{
  char directory[4096];
  const char *below = getenv("TMPDIR");
  if (argc > 2 && strcmp(argv[1], "--trees") == 0) {
    measure_trees(argv + 2);
    return 0;
  }
  snprintf(directory, sizeof directory, "%s/bench_near.XXXXXX", below ? below : "/tmp");
  const char *where = argc > 2 ? argv[2] : mkdtemp(directory);
  if (!where)
    give_up("no directory");
  printf("in %s\n", where);
  measure(where, argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000);
  return 0;
}

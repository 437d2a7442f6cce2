/* Which of so many pages resemble this one, as strata like asks: a corpus on disk against comparing it with every
 * sketch in memory. What a crawl asks is in bench_near.c.
 *
 *     bench_like [PAGES [DIRECTORY]]      default 100000, in a new directory below TMPDIR
 *
 * Pages are made: 200 to 1,000 words from a vocabulary of 20,000, some much more frequent than others, behind the 60
 * words that all pages of their site begin with; a hundred sites. Asked are pages with a tenth of their words new, and
 * pages that are like none but for their site's beginning. Both ways are asked in turns, and must give the same shares.
 * Times are the processor's, medians. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "mlbf/similar/corpus_inside.h"

enum { SITES = 100, TEMPLATE = 60, VOCABULARY = 20000, QUERIES = 40, TOP = 10, TEXT_MAX = 1 << 14 };

typedef struct page {
  char text[TEXT_MAX];
  size_t size;
} page;

static uint64_t state = 8;

static uint64_t throw_dice(uint64_t sides)
{
  state += 0x9e3779b97f4a7c15;
  uint64_t x = state;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return (x ^ x >> 31) % sides;
}

static double seconds_now(void)
{
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void give_up(const char *why)
{
  fprintf(stderr, "bench_like: %s\n", why);
  exit(1);
}

/* ---- pages ----------------------------------------------------------------------------------------------- */

static void add_words(page *p, uint64_t count, uint64_t site)
{
  for (uint64_t i = 0; i < count && p->size + 16 < TEXT_MAX; i++) {
    uint64_t word = throw_dice(VOCABULARY) * throw_dice(VOCABULARY) / VOCABULARY;
    p->size += (size_t)snprintf(p->text + p->size, 16, "%s%u ", i % 2 ? "w" : "word",
                                (unsigned)(site ? site * 7 + i : word));
  }
}

/* The same number, the same page. */
static void make_page(page *p, uint64_t number, uint64_t new_words)
{
  state = number * 1000003 + 1;
  p->size = 0;
  add_words(p, TEMPLATE, 1 + number % SITES * 1000);
  add_words(p, 200 + throw_dice(800), 0);
  size_t kept = p->size;
  state = ~number;
  add_words(p, new_words, 0);
  if (new_words == 0)
    p->size = kept;
}

static mlbf_shingles shingles_of(mlbf_shingler *s, const page *p)
{
  mlbf_shingles found;
  mlbf_shingler_begin(s);
  mlbf_shingler_feed(s, p->text, p->size);
  if (mlbf_shingler_finish(s, &found) != MLBF_OK)
    give_up("out of memory");
  return found;
}

/* ---- the opponent: all sketches in memory ---------------------------------------------------------------- */

typedef struct sketches {
  uint64_t *all;
  size_t *ends;
  size_t count, size, room;
} sketches;

static void keep(sketches *s, const mlbf_shingles *one)
{
  if (s->size + one->count > s->room) {
    s->room = 2 * s->room + one->count;
    s->all = realloc(s->all, s->room * sizeof *s->all);
    if (!s->all)
      give_up("out of memory");
  }
  memcpy(s->all + s->size, one->at, one->count * sizeof *one->at);
  s->size += one->count;
  s->ends[s->count++] = s->size;
}

/* The shares of the best, in order; how many. */
static size_t compare_all(const sketches *s, const mlbf_shingles *query, double least, double best[TOP])
{
  size_t count = 0;
  for (size_t i = 0, begin = 0; i < s->count; begin = s->ends[i++]) {
    double share, back;
    corpus_compare(query->at, query->count, s->all + begin, s->ends[i] - begin, &share, &back);
    if (share < least || (count == TOP && share <= best[TOP - 1]))
      continue;
    size_t at = count < TOP ? count++ : TOP - 1;
    for (; at > 0 && best[at - 1] < share; at--)
      best[at] = best[at - 1];
    best[at] = share;
  }
  return count;
}

/* ---- the bench ------------------------------------------------------------------------------------------- */

static int ascending(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *values, size_t count)
{
  qsort(values, count, sizeof *values, ascending);
  return values[count / 2];
}

static void build(mlbf_corpus *c, sketches *s, uint64_t pages)
{
  static page p;
  mlbf_shingler *shingler = mlbf_shingler_create(MLBF_CORPUS_SHINGLES_MAX);
  double adding = 0, shingling = 0;
  uint64_t bytes = 0;
  if (!shingler)
    give_up("out of memory");
  for (uint64_t i = 0; i < pages; i++) {
    char name[64];
    make_page(&p, i, 0);
    int size = snprintf(name, sizeof name, "https://site-%u.example/pages/%u.html", (unsigned)(i % SITES), (unsigned)i);
    double before = seconds_now();
    mlbf_shingles one = shingles_of(shingler, &p);
    double between = seconds_now();
    if (mlbf_corpus_add(c, (mlbf_span){name, (size_t)size}, &one, NULL, NULL) != MLBF_OK)
      give_up(mlbf_corpus_message(c));
    adding += seconds_now() - between;
    shingling += between - before;
    bytes += p.size;
    keep(s, &one);
  }
  mlbf_shingler_free(shingler);
  printf("%-42s %8.1f us a page, %.0f MB/s of text\n", "shingling", 1e6 * shingling / (double)pages,
         (double)bytes / 1e6 / shingling);
  printf("%-42s %8.1f us a page\n", "adding", 1e6 * adding / (double)pages);
}

/* `new_words`: in front of a page that is in it; 0: a page that is not. */
static void ask(mlbf_corpus *c, const sketches *s, const char *what, const mlbf_corpus_question *question,
                uint64_t new_words)
{
  static page p;
  static double ours[QUERIES], theirs[QUERIES];
  mlbf_shingler *shingler = mlbf_shingler_create(MLBF_CORPUS_SHINGLES_MAX);
  size_t unlike = 0;
  for (size_t i = 0; shingler && i < QUERIES; i++) {
    mlbf_corpus_match matches[TOP];
    double best[TOP];
    size_t count = TOP;
    make_page(&p, new_words ? i * s->count / QUERIES : s->count + i, new_words);
    mlbf_shingles query = shingles_of(shingler, &p);
    double begin = seconds_now();
    if (mlbf_corpus_query(c, &query, question, matches, &count) != MLBF_OK)
      give_up(mlbf_corpus_message(c));
    double middle = seconds_now();
    size_t expected = compare_all(s, &query, question->least, best);
    ours[i] = middle - begin;
    theirs[i] = seconds_now() - middle;
    for (size_t k = 0; k < count || k < expected; k++)
      unlike += k >= count || k >= expected || matches[k].share != best[k];
    mlbf_corpus_matches_free(matches, count);
  }
  mlbf_shingler_free(shingler);
  double us = 1e6 * median(ours, QUERIES), them = 1e6 * median(theirs, QUERIES);
  printf("%-42s %8.0f us, at worst %.0f; all compared %.0f us: %.0f x; %zu of %d answers unlike\n", what, us,
         1e6 * ours[QUERIES - 1], them, them / us, unlike, QUERIES * TOP);
}

static void print_memory(const mlbf_corpus *c)
{
  mlbf_corpus_stats stats;
  mlbf_corpus_stats_read(c, &stats);
  double documents = (double)stats.documents;
  printf("%-42s %8.0f bytes on disk, %.0f of rows, mapped; %llu volumes\n", "a page",
         (double)stats.document_bytes / documents, (double)stats.row_bytes / documents,
         (unsigned long long)stats.volumes);
}

int main(int argc, char **argv)
{
  uint64_t pages = argc > 1 ? strtoull(argv[1], NULL, 10) : 100000;
  char message[MLBF_CORPUS_MESSAGE_SIZE], directory[4096];
  const char *below = getenv("TMPDIR");
  mlbf_corpus *c = NULL;
  sketches s = {.ends = calloc(pages + 1, sizeof *s.ends)};
  snprintf(directory, sizeof directory, "%s/bench_like.XXXXXX", below ? below : "/tmp");
  const char *where = argc > 2 ? argv[2] : mkdtemp(directory);
  if (!s.ends || !where || mlbf_corpus_open(where, false, &c, message) != MLBF_OK)
    give_up(where ? message : "no directory");
  printf("%llu pages in %s\n", (unsigned long long)pages, where);
  build(c, &s, pages);
  mlbf_corpus_close(c);
  double before = seconds_now();
  if (mlbf_corpus_open(where, true, &c, message) != MLBF_OK)
    give_up(message);
  printf("%-42s %8.1f ms\n", "opening", 1e3 * (seconds_now() - before));
  print_memory(c);
  const mlbf_corpus_question like = {.least = 0.1, .rows_most = 32 + TOP}, all = {.least = 0.1};
  ask(c, &s, "strata like, a tenth of it new", &like, 60);
  ask(c, &s, "strata like, a page like no other", &like, 0);
  ask(c, &s, "the same, all rows that may hold a match", &all, 60);
  mlbf_corpus_close(c);
  free(s.all);
  free(s.ends);
  return 0;
}

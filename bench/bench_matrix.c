/* "Which stored pages does this one resemble?": time to add, ask and remove, and memory, on generated pages.
 *
 *     bench_matrix [PAGES [ROUNDS]]      20000, 5; pages of 50 words and more, 500 on average
 *
 * A query is a stored page with a tenth of foreign words behind it; wanted are the pages that have half of it.
 * Opponents:
 *
 *     sketches     what needs no filter: the query's shingles against each page's in turn
 *     libbloom     the paper's rows with a plain library: one filter for as many shingles and of the same rate for each
 *                  row, asked one after another; the pages of rows that know enough one by one
 *
 * All three must give the same answers. Times are of the processor, as the machine may be busy; medians of the
 * rounds. */
#include <bloom.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "datasets/make/texts.h"
#include "mlbf/papers/matrix.h"

enum { CONTENDERS = 3, ROUNDS_MAX = 101, QUERIES = 20, ROW = 20000, REMOVED = 100, PAGE_WORDS = 500 };

static const char *const names[CONTENDERS] = {"matrix", "sketches", "libbloom rows"};
static const double LEAST = 0.5, RATE = 0.05;

typedef struct bench {
  mlbf_shingles *pages;
  size_t count;
  mlbf_shingles queries[QUERIES];
  mlbf_matrix *matrix;
  uint64_t **sketches;
  struct bloom *rows;
  size_t *row_ends; /* pages of row r: from row_ends[r - 1] on, below row_ends[r] */
  size_t row_count;
} bench;

static void *checked(void *memory)
{
  if (!memory) {
    fputs("bench_matrix: out of memory\n", stderr);
    exit(1);
  }
  return memory;
}

static double seconds_now(void)
{
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* ---- pages ----------------------------------------------------------------------------------- */

static mlbf_shingles shingles_of(const text_words *of, const text_words *behind)
{
  text_words both = {.count = 0};
  mlbf_shingles made = {.count = 0};
  size_t foreign = of->count / 10 < behind->count ? of->count / 10 : behind->count;
  if (!text_append(&both, of, 0, of->count) || (behind != of && !text_append(&both, behind, 0, foreign)) ||
      mlbf_shingles_of(both.bytes, text_size(&both), &made) != MLBF_OK)
    checked(NULL);
  text_free(&both);
  return made;
}

static void make_pages(bench *of, size_t count)
{
  texts made = {.count = 0};
  *of = (bench){.pages = checked(calloc(count, sizeof *of->pages)),
                .count = count,
                .sketches = checked(calloc(count, sizeof *of->sketches)),
                .rows = checked(calloc(count, sizeof *of->rows)),
                .row_ends = checked(calloc(count, sizeof *of->row_ends))};
  if (!texts_generate(&made, count, PAGE_WORDS, 1))
    checked(NULL);
  for (size_t i = 0; i < count; i++)
    of->pages[i] = shingles_of(&made.list[i], &made.list[i]);
  for (size_t i = 0; i < QUERIES; i++)
    of->queries[i] = shingles_of(&made.list[i * count / QUERIES], &made.list[i]);
  texts_free(&made);
}

/* ---- adding ---------------------------------------------------------------------------------- */

static void add_to_matrix(bench *of)
{
  mlbf_matrix_options options = {.row_shingles = ROW, .rate = RATE};
  mlbf_matrix_free(of->matrix);
  if (mlbf_matrix_create(&options, &of->matrix) != MLBF_OK)
    checked(NULL);
  for (size_t i = 0; i < of->count; i++)
    if (mlbf_matrix_add(of->matrix, i, &of->pages[i]) != MLBF_OK)
      checked(NULL);
}

static void add_to_sketches(bench *of)
{
  for (size_t i = 0; i < of->count; i++) {
    size_t bytes = of->pages[i].count * sizeof(uint64_t);
    free(of->sketches[i]);
    of->sketches[i] = memcpy(checked(malloc(bytes)), of->pages[i].at, bytes);
  }
}

static void add_to_rows(bench *of)
{
  size_t in_row = ROW;
  while (of->row_count > 0)
    bloom_free(&of->rows[--of->row_count]);
  for (size_t i = 0; i < of->count; i++) {
    if (in_row + of->pages[i].count > ROW) {
      if (bloom_init(&of->rows[of->row_count++], ROW, RATE) != 0)
        checked(NULL);
      in_row = 0;
    }
    in_row += of->pages[i].count;
    of->row_ends[of->row_count - 1] = i + 1;
    for (size_t s = 0; s < of->pages[i].count; s++)
      bloom_add(&of->rows[of->row_count - 1], &of->pages[i].at[s], sizeof(uint64_t));
  }
}

static void (*const adders[CONTENDERS])(bench *of) = {add_to_matrix, add_to_sketches, add_to_rows};

/* ---- asking ---------------------------------------------------------------------------------- */

static size_t ask_matrix(const bench *of, const mlbf_shingles *query)
{
  mlbf_matrix_match matches[64];
  size_t count = 64;
  if (mlbf_matrix_query(of->matrix, query, LEAST, matches, &count) != MLBF_OK)
    checked(NULL);
  return count;
}

static size_t ask_pages(const bench *of, size_t begin, size_t end, const mlbf_shingles *query)
{
  size_t found = 0;
  for (size_t i = begin; i < end; i++) {
    size_t common = mlbf_shingles_common(query->at, query->count, of->sketches[i], of->pages[i].count);
    found += (double)common >= LEAST * (double)query->count;
  }
  return found;
}

static size_t ask_sketches(const bench *of, const mlbf_shingles *query)
{
  return ask_pages(of, 0, of->count, query);
}

static size_t ask_rows(const bench *of, const mlbf_shingles *query)
{
  size_t found = 0;
  for (size_t r = 0; r < of->row_count; r++) {
    size_t known = 0;
    for (size_t s = 0; s < query->count; s++)
      known += bloom_check(&of->rows[r], &query->at[s], sizeof(uint64_t)) == 1;
    if ((double)known >= LEAST * (double)query->count)
      found += ask_pages(of, r > 0 ? of->row_ends[r - 1] : 0, of->row_ends[r], query);
  }
  return found;
}

static size_t (*const askers[CONTENDERS])(const bench *of, const mlbf_shingles *query) = {ask_matrix, ask_sketches,
                                                                                          ask_rows};

/* ---- the whole ------------------------------------------------------------------------------- */

typedef struct timings {
  double add[ROUNDS_MAX], ask[ROUNDS_MAX];
} timings;

/* Each contender's turn; another one is first every time. */
static void run_round(bench *of, size_t round, timings all[CONTENDERS])
{
  size_t found[CONTENDERS] = {0};
  for (size_t turn = 0; turn < CONTENDERS; turn++) {
    size_t c = (round + turn) % CONTENDERS;
    double began = seconds_now();
    adders[c](of);
    all[c].add[round] = (seconds_now() - began) / (double)of->count;
  }
  for (size_t turn = 0; turn < CONTENDERS; turn++) {
    size_t c = (round + turn) % CONTENDERS;
    double began = seconds_now();
    for (int q = 0; q < QUERIES; q++)
      found[c] += askers[c](of, &of->queries[q]);
    all[c].ask[round] = (seconds_now() - began) / QUERIES;
  }
  if (found[0] != found[1] || found[0] != found[2] || found[0] == 0) {
    fputs("bench_matrix: the contenders disagree\n", stderr);
    exit(1);
  }
}

static int compare_doubles(const void *left, const void *right)
{
  double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

static double median(double *values, size_t count)
{
  qsort(values, count, sizeof *values, compare_doubles);
  return values[count / 2];
}

static double bytes_a_page(const bench *of, int contender)
{
  mlbf_matrix_stats stats;
  mlbf_matrix_stats_read(of->matrix, &stats);
  double sketches = (double)stats.shingles * sizeof(uint64_t), rows = (double)of->row_count * of->rows[0].bytes;
  const double bytes[CONTENDERS] = {(double)stats.bytes, sketches, sketches + rows};
  return bytes[contender] / (double)of->count;
}

/* The first of them: they are in one row or two, which are built anew. */
static double removal_seconds(bench *of)
{
  uint64_t ids[REMOVED];
  for (size_t i = 0; i < REMOVED; i++)
    ids[i] = i;
  double began = seconds_now();
  if (mlbf_matrix_remove(of->matrix, ids, REMOVED) != MLBF_OK)
    exit(1);
  return (seconds_now() - began) / REMOVED;
}

static void print_all(bench *of, timings all[CONTENDERS], size_t rounds)
{
  double add = 1, ask = 1;
  mlbf_matrix_stats stats;
  mlbf_matrix_stats_read(of->matrix, &stats);
  printf("%zu pages of %.0f shingles, %llu rows of %d; %d queries\n%-14s %10s %7s %12s %7s %12s\n", of->count,
         (double)stats.shingles / (double)of->count, (unsigned long long)stats.rows, ROW, QUERIES, "", "add us",
         "ratio", "query us", "ratio", "bytes a page");
  for (int c = 0; c < CONTENDERS; c++) {
    double add_now = median(all[c].add, rounds), ask_now = median(all[c].ask, rounds);
    add = c == 0 ? add_now : add;
    ask = c == 0 ? ask_now : ask;
    printf("%-14s %10.2f %7.2f %12.1f %7.1f %12.0f\n", names[c], add_now * 1e6, add_now / add, ask_now * 1e6,
           ask_now / ask, bytes_a_page(of, c));
  }
  double remove_now = removal_seconds(of);
  printf("%d pages removed: %.1f us each, %.1f times an addition\n", REMOVED, remove_now * 1e6, remove_now / add);
}

static void free_all(bench *of)
{
  while (of->row_count > 0)
    bloom_free(&of->rows[--of->row_count]);
  for (size_t i = 0; i < of->count; i++) {
    mlbf_shingles_free(&of->pages[i]);
    free(of->sketches[i]);
  }
  for (int q = 0; q < QUERIES; q++)
    mlbf_shingles_free(&of->queries[q]);
  mlbf_matrix_free(of->matrix);
  free(of->pages);
  free(of->sketches);
  free(of->rows);
  free(of->row_ends);
}

int main(int argc, char **argv)
{
  static timings all[CONTENDERS];
  bench of;
  size_t pages = argc > 1 ? strtoull(argv[1], NULL, 10) : 20000, rounds = argc > 2 ? strtoull(argv[2], NULL, 10) : 5;
  if (pages < REMOVED || rounds < 1 || rounds > ROUNDS_MAX) {
    fprintf(stderr, "usage: bench_matrix [PAGES [ROUNDS]]      PAGES at least %d\n", REMOVED);
    return 2;
  }
  make_pages(&of, pages);
  for (size_t round = 0; round < rounds; round++)
    run_round(&of, round, all);
  print_all(&of, all, rounds);
  free_all(&of);
  return 0;
}

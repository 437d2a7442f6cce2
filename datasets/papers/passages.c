/* Butakov's experiment of passages.h: documents are made once, put into a matrix of either layout, and asked for.
 * Called by paper_matrix.c. */
#include "datasets/papers/passages.h"
#include "datasets/sort/rng.h"
#include "datasets/make/texts.h"

#include <stdlib.h>

enum { WORDS_MEAN = 1900 }; /* a twentieth of PAN-09's */

static const double RATE = 0.05; /* of a full row, as in the paper's Table 1 */

/* A full row matches 5 % of any query by chance, with a deviation of 1 % at mean length. LITERAL: nearly twice the 5 %;
 * CORRECTED: four deviations. */
const double passages_least[PASSAGES_SCORES] = {[PASSAGES_LITERAL] = 0.09, [PASSAGES_CORRECTED] = 0.04};

struct passages {
  texts documents;
  mlbf_shingles *shingles; /* of each */
  uint64_t row_shingles;
  matrix *layouts[MATRIX_LAYOUTS]; /* of the same documents */
};

/* ---- documents ------------------------------------------------------------------------------- */

static bool text_shingle(const text_words *of, mlbf_shingles *shingles)
{
  return mlbf_shingles_of(of->bytes, text_size(of), shingles) == MLBF_OK;
}

static bool make_documents(passages *of, uint32_t documents, uint64_t seed)
{
  of->shingles = calloc(documents, sizeof *of->shingles);
  bool is_made = of->shingles != NULL && texts_generate(&of->documents, documents, WORDS_MEAN, seed);
  for (uint32_t i = 0; is_made && i < documents; i++)
    is_made = text_shingle(&of->documents.list[i], &of->shingles[i]);
  return is_made;
}

static bool make_layouts(passages *of)
{
  bool is_made = true;
  for (int l = 0; is_made && l < MATRIX_LAYOUTS; l++) {
    of->layouts[l] = matrix_create(&(matrix_options){of->row_shingles, RATE, (matrix_layout)l});
    is_made = of->layouts[l] != NULL;
    for (uint32_t i = 0; is_made && i < of->documents.count; i++)
      is_made = matrix_add(of->layouts[l], i, &of->shingles[i]);
  }
  return is_made;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static int by_size(const void *a, const void *b)
{
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

/* n: 95 of 100 documents have at most so many shingles. */
static bool choose_row(passages *of)
{
  uint64_t *counts = malloc(of->documents.count * sizeof *counts);
  if (counts == NULL)
    return false;
  for (uint32_t i = 0; i < of->documents.count; i++)
    counts[i] = of->shingles[i].count;
  qsort(counts, of->documents.count, sizeof *counts, by_size);
  of->row_shingles = counts[(uint64_t)of->documents.count * 95 / 100];
  free(counts);
  return true;
}

passages *passages_create(uint32_t documents, uint64_t seed)
{
  passages *of = calloc(1, sizeof *of);
  if (of == NULL)
    return NULL;
  if (make_documents(of, documents, seed) && choose_row(of) && make_layouts(of))
    return of;
  passages_free(of);
  return NULL;
}

void passages_free(passages *of)
{
  if (of == NULL)
    return;
  for (uint32_t i = 0; of->shingles != NULL && i < of->documents.count; i++)
    mlbf_shingles_free(&of->shingles[i]);
  for (int l = 0; l < MATRIX_LAYOUTS; l++)
    matrix_free(of->layouts[l]);
  free(of->shingles);
  texts_free(&of->documents);
  free(of);
}

uint64_t passages_row_shingles(const passages *of)
{
  return of->row_shingles;
}

size_t passages_rows(const passages *of, matrix_layout layout)
{
  return matrix_stats_read(of->layouts[layout]).rows;
}

/* ---- questions ------------------------------------------------------------------------------- */

/* A document that has `words` words in a row to copy. */
static uint32_t choose_source(const passages *of, size_t words, uint64_t *rng)
{
  uint32_t source;
  do
    source = (uint32_t)rng_below(rng, of->documents.count);
  while (of->documents.list[source].count < words);
  return source;
}

static void ask_layout(const passages *of, int l, const mlbf_shingles *query, uint32_t source, bool is_copy,
                       passages_result *result)
{
  const matrix *rows = of->layouts[l];
  size_t count = matrix_stats_read(rows).rows;
  bool is_seen[PASSAGES_SCORES] = {!is_copy, !is_copy};
  for (size_t i = 0; i < count; i++) {
    bool is_right = is_copy && matrix_row_has(rows, i, source);
    matrix_score score = matrix_row_score(rows, i, query);
    double shares[PASSAGES_SCORES] = {[PASSAGES_LITERAL] = score.share, [PASSAGES_CORRECTED] = score.beyond};
    result->rows_asked[l] += !is_right;
    for (int s = 0; s < PASSAGES_SCORES; s++) {
      bool is_found = shares[s] >= passages_least[s];
      is_seen[s] = is_seen[s] || (is_right && is_found);
      result->wrong[l][s] += !is_right && is_found;
    }
  }
  for (int s = 0; s < PASSAGES_SCORES; s++)
    result->missed[l][s] += !is_seen[s];
}

/* By shingles, which are the same in either layout. */
static bool ask_documents(const passages *of, const mlbf_shingles *query, uint32_t source, bool is_copy,
                          passages_result *result)
{
  enum { BEST = 16 };
  matrix_match best[BEST];
  size_t count = BEST;
  bool is_seen = !is_copy;
  if (!matrix_query(of->layouts[MATRIX_DISTRIBUTED], query, passages_least[PASSAGES_CORRECTED], best, &count))
    return false;
  for (size_t i = 0; i < count; i++) {
    bool is_right = is_copy && best[i].id == source;
    is_seen = is_seen || is_right;
    result->documents_wrong += !is_right;
  }
  result->documents_missed += !is_seen;
  return true;
}

/* `copied` words of `from` amid random ones. */
static bool write_query(const text_words *from, size_t copied, uint64_t *rng, text_words *query)
{
  size_t at = rng_below(rng, from->count - copied + 1), before = rng_below(rng, WORDS_MEAN - copied + 1);
  return text_append_random(query, before, rng) && text_append(query, from, at, copied) &&
         text_append_random(query, WORDS_MEAN - copied - before, rng);
}

static bool ask(const passages *of, uint32_t percent, uint64_t *rng, passages_result *result)
{
  text_words query = {.count = 0};
  mlbf_shingles shingles = {.count = 0};
  size_t copied = (size_t)WORDS_MEAN * percent / 100;
  uint32_t source = choose_source(of, copied, rng);
  bool is_asked = write_query(&of->documents.list[source], copied, rng, &query) && text_shingle(&query, &shingles) &&
                  ask_documents(of, &shingles, source, copied > 0, result);
  for (int l = 0; is_asked && l < MATRIX_LAYOUTS; l++)
    ask_layout(of, l, &shingles, source, copied > 0, result);
  mlbf_shingles_free(&shingles);
  text_free(&query);
  return is_asked;
}

bool passages_measure(const passages *of, uint32_t percent, uint32_t queries, uint64_t seed, passages_result *result)
{
  uint64_t rng = rng_mix(~rng_mix(seed) + percent); /* other words than the documents' */
  *result = (passages_result){.queries = queries};
  for (uint32_t i = 0; i < queries; i++)
    if (!ask(of, percent, &rng, result))
      return false;
  return true;
}

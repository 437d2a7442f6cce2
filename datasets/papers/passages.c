#include "datasets/papers/passages.h"
#include "datasets/sort/xorshift.h"
#include "datasets/make/texts.h"
#include "mlbf/papers/matrix.h"

#include <math.h>
#include <stdlib.h>

enum { WORDS_MEAN = 1900 }; /* a twentieth of PAN-09's */

static const double RATE = 0.05; /* of a full row, as in the paper's Table 1 */

/* A full row matches 5 % of any query by chance, with a deviation of 1 % at mean length. LITERAL: nearly twice the 5 %;
 * CORRECTED: four deviations. */
const double passages_least[PASSAGES_SCORES] = {[PASSAGES_LITERAL] = 0.09, [PASSAGES_CORRECTED] = 0.04};

typedef struct row {
  uint64_t *bits;
  uint64_t bits_set, shingles;
} row;

typedef struct layout {
  row *rows;
  size_t count;
  bool *is_in; /* [document * room + row] */
  size_t room;
} layout;

struct passages {
  texts documents;
  mlbf_shingles *shingles; /* of each */
  uint64_t row_shingles, row_bits;
  uint32_t hashes;
  layout layouts[PASSAGES_LAYOUTS];
  mlbf_matrix *matrix;
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

/* ---- rows ------------------------------------------------------------------------------------ */

static uint64_t place(const passages *of, uint64_t shingle, uint32_t i)
{
  return random_mix(shingle + i * UINT64_C(0x632BE59BD9B4E019)) % of->row_bits;
}

static void row_insert(const passages *of, row *r, const uint64_t *shingles, size_t count)
{
  for (size_t s = 0; s < count; s++)
    for (uint32_t i = 0; i < of->hashes; i++) {
      uint64_t bit = place(of, shingles[s], i), mask = UINT64_C(1) << bit % 64;
      r->bits_set += !(r->bits[bit / 64] & mask);
      r->bits[bit / 64] |= mask;
    }
  r->shingles += count;
}

static uint64_t row_common(const passages *of, const row *r, const mlbf_shingles *query)
{
  uint64_t common = 0;
  for (size_t s = 0; s < query->count; s++) {
    bool is_known = true;
    for (uint32_t i = 0; is_known && i < of->hashes; i++) {
      uint64_t bit = place(of, query->at[s], i);
      is_known = r->bits[bit / 64] >> bit % 64 & 1;
    }
    common += is_known;
  }
  return common;
}

/* Is it found? As the paper counts; and as mlbf_matrix_row_score does. */
static void row_judge(const passages *of, const row *r, const mlbf_shingles *query, bool is_found[PASSAGES_SCORES])
{
  double share = (double)row_common(of, r, query) / (double)query->count;
  double chance = pow((double)r->bits_set / (double)of->row_bits, of->hashes);
  double beyond = chance < 1 ? (share - chance) / (1 - chance) : 0;
  is_found[PASSAGES_LITERAL] = share >= passages_least[PASSAGES_LITERAL];
  is_found[PASSAGES_CORRECTED] = beyond >= passages_least[PASSAGES_CORRECTED];
}

/* Into the first row with room for so many. */
static bool layout_put(passages *of, layout *to, uint32_t document, const uint64_t *shingles, size_t count)
{
  size_t at = 0;
  while (at < to->count && to->rows[at].shingles + count > of->row_shingles)
    at++;
  if (at == to->count) {
    to->rows[at].bits = calloc((size_t)(of->row_bits / 64 + 1), sizeof(uint64_t));
    if (to->rows[at].bits == NULL)
      return false;
    to->count++;
  }
  row_insert(of, &to->rows[at], shingles, count);
  to->is_in[document * to->room + at] = true;
  return true;
}

static bool layout_put_split(passages *of, layout *to, uint32_t document)
{
  const mlbf_shingles *all = &of->shingles[document];
  bool is_put = true;
  for (size_t from = 0; is_put && from < all->count; from += of->row_shingles) {
    size_t left = all->count - from;
    is_put = layout_put(of, to, document, all->at + from, left < of->row_shingles ? left : of->row_shingles);
  }
  return is_put;
}

static bool layout_put_alone(passages *of, layout *to, uint32_t document)
{
  const mlbf_shingles *all = &of->shingles[document];
  row *r = &to->rows[to->count];
  r->bits = calloc((size_t)(of->row_bits / 64 + 1), sizeof(uint64_t));
  if (r->bits == NULL)
    return false;
  row_insert(of, r, all->at, all->count);
  to->is_in[document * to->room + to->count++] = true;
  return true;
}

static bool make_layouts(passages *of)
{
  size_t room = of->documents.count;
  for (uint32_t i = 0; i < of->documents.count; i++)
    room += of->shingles[i].count / of->row_shingles;
  for (int l = 0; l < PASSAGES_LAYOUTS; l++)
    of->layouts[l] = (layout){calloc(room, sizeof(row)), 0, calloc(room * of->documents.count, 1), room};
  bool is_made = true;
  for (int l = 0; l < PASSAGES_LAYOUTS; l++)
    is_made = is_made && of->layouts[l].rows != NULL && of->layouts[l].is_in != NULL;
  for (uint32_t i = 0; is_made && i < of->documents.count; i++)
    is_made = layout_put_alone(of, &of->layouts[PASSAGES_ROW_EACH], i) &&
              layout_put_split(of, &of->layouts[PASSAGES_DISTRIBUTED], i);
  return is_made;
}

static bool make_matrix(passages *of)
{
  mlbf_matrix_options options = {.row_shingles = of->row_shingles, .rate = RATE};
  bool is_made = mlbf_matrix_create(&options, &of->matrix) == MLBF_OK;
  for (uint32_t i = 0; is_made && i < of->documents.count; i++)
    is_made = mlbf_matrix_add(of->matrix, i, &of->shingles[i]) == MLBF_OK;
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
  of->row_bits = mlbf_matrix_row_bits(of->row_shingles, RATE);
  of->hashes = (uint32_t)lround((double)of->row_bits / (double)of->row_shingles * M_LN2);
  free(counts);
  return true;
}

passages *passages_create(uint32_t documents, uint64_t seed)
{
  passages *of = calloc(1, sizeof *of);
  if (of == NULL)
    return NULL;
  if (make_documents(of, documents, seed) && choose_row(of) && make_layouts(of) && make_matrix(of))
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
  for (int l = 0; l < PASSAGES_LAYOUTS; l++) {
    for (size_t i = 0; i < of->layouts[l].count; i++)
      free(of->layouts[l].rows[i].bits);
    free(of->layouts[l].rows);
    free(of->layouts[l].is_in);
  }
  mlbf_matrix_free(of->matrix);
  free(of->shingles);
  texts_free(&of->documents);
  free(of);
}

uint64_t passages_row_shingles(const passages *of)
{
  return of->row_shingles;
}

size_t passages_rows(const passages *of, passages_layout which)
{
  return of->layouts[which].count;
}

/* ---- questions ------------------------------------------------------------------------------- */

/* A document that has `words` words in a row to copy. */
static uint32_t choose_source(const passages *of, size_t words, uint64_t *dice)
{
  uint32_t source;
  do
    source = (uint32_t)random_roll(dice, of->documents.count);
  while (of->documents.list[source].count < words);
  return source;
}

static void ask_layout(const passages *of, int l, const mlbf_shingles *query, uint32_t source, bool is_copy,
                       passages_result *result)
{
  const layout *rows = &of->layouts[l];
  bool is_seen[PASSAGES_SCORES] = {!is_copy, !is_copy};
  for (size_t i = 0; i < rows->count; i++) {
    bool is_found[PASSAGES_SCORES], is_right = is_copy && rows->is_in[source * rows->room + i];
    row_judge(of, &rows->rows[i], query, is_found);
    result->rows_asked[l] += !is_right;
    for (int s = 0; s < PASSAGES_SCORES; s++) {
      is_seen[s] = is_seen[s] || (is_right && is_found[s]);
      result->wrong[l][s] += !is_right && is_found[s];
    }
  }
  for (int s = 0; s < PASSAGES_SCORES; s++)
    result->missed[l][s] += !is_seen[s];
}

static bool ask_matrix(const passages *of, const mlbf_shingles *query, uint32_t source, bool is_copy,
                       passages_result *result)
{
  enum { BEST = 16 };
  mlbf_matrix_match best[BEST];
  size_t count = BEST;
  bool is_seen = !is_copy;
  if (mlbf_matrix_query(of->matrix, query, passages_least[PASSAGES_CORRECTED], best, &count) != MLBF_OK)
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
static bool write_query(const text_words *from, size_t copied, uint64_t *dice, text_words *query)
{
  size_t at = random_roll(dice, from->count - copied + 1), before = random_roll(dice, WORDS_MEAN - copied + 1);
  return text_append_random(query, before, dice) && text_append(query, from, at, copied) &&
         text_append_random(query, WORDS_MEAN - copied - before, dice);
}

static bool ask(const passages *of, uint32_t percent, uint64_t *dice, passages_result *result)
{
  text_words query = {.count = 0};
  mlbf_shingles shingles = {.count = 0};
  size_t copied = (size_t)WORDS_MEAN * percent / 100;
  uint32_t source = choose_source(of, copied, dice);
  bool is_asked = write_query(&of->documents.list[source], copied, dice, &query) && text_shingle(&query, &shingles) &&
                  ask_matrix(of, &shingles, source, copied > 0, result);
  for (int l = 0; is_asked && l < PASSAGES_LAYOUTS; l++)
    ask_layout(of, l, &shingles, source, copied > 0, result);
  mlbf_shingles_free(&shingles);
  text_free(&query);
  return is_asked;
}

bool passages_measure(const passages *of, uint32_t percent, uint32_t queries, uint64_t seed, passages_result *result)
{
  uint64_t dice = random_mix(~random_mix(seed) + percent); /* other words than the documents' */
  *result = (passages_result){.queries = queries};
  for (uint32_t i = 0; i < queries; i++)
    if (!ask(of, percent, &dice, result))
      return false;
  return true;
}

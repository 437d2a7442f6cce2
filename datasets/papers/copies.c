/* Edited copies, found by the matrix and by comparing all shingles: copies.h tells the experiment.
 *
 * Always: both sides judge the same texts, drawn from one seed; what is not stored is so for both.
 * Called by paper_matrix_copies.c. */
#include "datasets/papers/copies.h"
#include "datasets/sort/rng.h"
#include "datasets/papers/matrix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum {
  STRANGER_OF = 5, /* one text of so many */
  SENTENCE = 20,   /* words put in at a time */
  SHINGLE = MLBF_SHINGLE_WORDS,
};

static const double NAMED = 0.02, FALSE_BELOW = NAMED / 2, NEAR_DUPLICATE = 0.9;

/* Indices into `texts`: all of one side, and those of texts long enough to be a query's source. */
typedef struct side {
  size_t *all, *long_ones;
  size_t count, long_count;
} side;

struct copies {
  const texts *texts;
  side stored, strangers;
  mlbf_shingles *every; /* by number: all shingles of a stored text_words */
  matrix *matrix;
};

/* ---- what is true ---------------------------------------------------------------------------- */

static int ascending(const void *a, const void *b)
{
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

/* Every four words in a row, none left out. */
static bool every_shingle(const text_words *of, mlbf_shingles *all)
{
  size_t count = of->count >= SHINGLE ? of->count - SHINGLE + 1 : 0, kept = 0;
  *all = (mlbf_shingles){.at = malloc((count + 1) * sizeof *all->at), .room = count + 1};
  if (all->at == NULL)
    return false;
  for (size_t i = 0; i < count; i++)
    all->at[i] = XXH3_64bits(of->bytes + of->at[i], of->at[i + SHINGLE] - of->at[i]);
  qsort(all->at, count, sizeof *all->at, ascending);
  for (size_t i = 0; i < count; i++)
    if (i == 0 || all->at[i] != all->at[i - 1])
      all->at[kept++] = all->at[i];
  all->count = kept;
  return true;
}

static double true_share(const mlbf_shingles *query, const mlbf_shingles *other)
{
  size_t common = mlbf_shingles_common(query->at, query->count, other->at, other->count);
  return query->count > 0 ? (double)common / (double)query->count : 0;
}

/* ---- what is stored -------------------------------------------------------------------------- */

static bool side_make(side *of, size_t room)
{
  *of = (side){calloc(room + 1, sizeof(size_t)), calloc(room + 1, sizeof(size_t)), 0, 0};
  return of->all != NULL && of->long_ones != NULL;
}

static void side_put(side *of, const texts *from, size_t number)
{
  of->all[of->count++] = number;
  if (from->list[number].count >= COPIES_QUERY_WORDS)
    of->long_ones[of->long_count++] = number;
}

static bool store(copies *of, size_t number)
{
  const text_words *t = &of->texts->list[number];
  mlbf_shingles winnowed = {.count = 0};
  bool is_in = mlbf_shingles_of(t->bytes, text_size(t), &winnowed) == MLBF_OK &&
               matrix_add(of->matrix, number, &winnowed) && every_shingle(t, &of->every[number]);
  mlbf_shingles_free(&winnowed);
  return is_in;
}

static bool is_stranger(size_t number, uint64_t seed)
{
  return rng_mix(rng_mix(seed) + number) % STRANGER_OF == 0;
}

static bool fill(copies *of, uint64_t seed)
{
  size_t count = of->texts->count;
  of->every = calloc(count + 1, sizeof *of->every);
  if (of->every == NULL || !side_make(&of->stored, count) || !side_make(&of->strangers, count) ||
      (of->matrix = matrix_create(&matrix_usual)) == NULL)
    return false;
  for (size_t i = 0; i < count; i++) {
    if (of->texts->list[i].count == 0)
      continue;
    side_put(is_stranger(i, seed) ? &of->strangers : &of->stored, of->texts, i);
    if (!is_stranger(i, seed) && !store(of, i))
      return false;
  }
  return true;
}

bool copies_are_enough(const texts *from, uint64_t seed)
{
  bool has[2] = {false, false};
  for (size_t i = 0; i < from->count; i++)
    if (from->list[i].count >= COPIES_QUERY_WORDS)
      has[is_stranger(i, seed)] = true;
  return has[0] && has[1];
}

copies *copies_create(const texts *from, uint64_t seed)
{
  copies *of = calloc(1, sizeof *of);
  if (of == NULL)
    return NULL;
  of->texts = from;
  if (fill(of, seed))
    return of;
  copies_free(of);
  return NULL;
}

void copies_free(copies *of)
{
  if (of == NULL)
    return;
  for (size_t i = 0; of->every != NULL && i < of->texts->count; i++)
    mlbf_shingles_free(&of->every[i]);
  free(of->every);
  free(of->stored.all);
  free(of->stored.long_ones);
  free(of->strangers.all);
  free(of->strangers.long_ones);
  matrix_free(of->matrix);
  free(of);
}

size_t copies_stored(const copies *of)
{
  return of->stored.count;
}

uint64_t copies_bytes(const copies *of)
{
  return matrix_stats_read(of->matrix).bytes;
}

/* ---- queries --------------------------------------------------------------------------------- */

static size_t one_of(const side *of, uint64_t *rng)
{
  return of->long_ones[rng_below(rng, of->long_count)];
}

/* `copied` words of the source amid a stranger's. */
static bool write_passage(const text_words *source, const text_words *stranger, size_t copied, uint64_t *rng,
                          text_words *query)
{
  size_t from = rng_below(rng, source->count - copied + 1);
  size_t begin = rng_below(rng, stranger->count - COPIES_QUERY_WORDS + 1);
  size_t before = rng_below(rng, COPIES_QUERY_WORDS - copied + 1), after = COPIES_QUERY_WORDS - copied - before;
  return text_append(query, stranger, begin, before) && text_append(query, source, from, copied) &&
         text_append(query, stranger, begin + before + copied, after);
}

/* The whole source, cut into pieces that differ by a word at most, a stranger's sentence between each two. */
static bool write_inserts(const text_words *source, const text_words *stranger, size_t put_in, uint64_t *rng,
                          text_words *query)
{
  size_t sentences = (put_in + SENTENCE - 1) / SENTENCE, pieces = sentences + 1;
  for (size_t i = 0; i < pieces; i++) {
    size_t begin = source->count * i / pieces, end = source->count * (i + 1) / pieces;
    size_t from = rng_below(rng, stranger->count - SENTENCE + 1), left = put_in - i * SENTENCE;
    if (!text_append(query, source, begin, end - begin) ||
        (i < sentences && !text_append(query, stranger, from, left < SENTENCE ? left : SENTENCE)))
      return false;
  }
  return true;
}

/* ---- answers --------------------------------------------------------------------------------- */

typedef struct question {
  size_t source;  /* number of a text_words */
  bool is_copied; /* something of it */
  mlbf_shingles winnowed, every;
} question;

static void judge(const copies *of, const question *q, const matrix_match *named, size_t count, copies_result *result)
{
  bool is_found = false;
  for (size_t i = 0; i < count; i++) {
    double truth = true_share(&q->every, &of->every[named[i].id]);
    result->false_alarms += truth < FALSE_BELOW;
    if (!q->is_copied || named[i].id != q->source)
      continue;
    is_found = true;
    result->found_first += named[i].share >= named[0].share;
    result->near_duplicates += named[i].share >= NEAR_DUPLICATE;
    result->share_error += fabs(named[i].share - truth);
  }
  result->named += count;
  result->missed += q->is_copied && !is_found;
}

static bool ask(const copies *of, const text_words *query, question *q, copies_result *result)
{
  size_t count = of->stored.count;
  matrix_match *named = malloc(count * sizeof *named);
  bool is_answered = named != NULL && every_shingle(query, &q->every) &&
                     mlbf_shingles_of(query->bytes, text_size(query), &q->winnowed) == MLBF_OK &&
                     matrix_query(of->matrix, &q->winnowed, NAMED, named, &count);
  if (is_answered)
    judge(of, q, named, count, result);
  mlbf_shingles_free(&q->winnowed);
  mlbf_shingles_free(&q->every);
  free(named);
  return is_answered;
}

bool copies_measure(const copies *of, copies_edit edit, uint32_t percent, uint32_t queries, uint64_t seed,
                    copies_result *result)
{
  uint64_t rng = rng_mix(~rng_mix(seed) + percent);
  bool is_asked = true;
  *result = (copies_result){.queries = queries};
  for (uint32_t i = 0; is_asked && i < queries; i++) {
    question q = {.source = one_of(&of->stored, &rng), .is_copied = edit == COPIES_INSERTS || percent > 0};
    const text_words *source = &of->texts->list[q.source], *stranger = &of->texts->list[one_of(&of->strangers, &rng)];
    text_words query = {.count = 0};
    bool is_written = edit == COPIES_PASSAGE
                        ? write_passage(source, stranger, (size_t)COPIES_QUERY_WORDS * percent / 100, &rng, &query)
                        : write_inserts(source, stranger, source->count * percent / (100 - percent), &rng, &query);
    is_asked = is_written && ask(of, &query, &q, result);
    text_free(&query);
  }
  uint64_t found = queries - result->missed;
  result->share_error = found > 0 ? result->share_error / (double)found : 0;
  return is_asked;
}

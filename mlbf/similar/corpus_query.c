/* Which documents of a corpus resemble this one, and the document of a name. Tests all rows, then reads documents, row
 * by row, best row first: a row's share of the query bounds the share of each of its documents, so the search ends as
 * soon as the matches found are better than the next row.
 *
 * Always (assert_matches): matches are best first, no more than there is room for, and no two have one name: of equal
 * names the newest is there. Rows know every document of the files before they are asked (corpus_need_rows). A query
 * that fails has no matches, and frees what it had.
 *
 * Called by `strata like`. Writes nothing but the tail that was in memory (mlbf_corpus_flush). */
#include "mlbf/similar/corpus_inside.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* A row that may hold a match. */
typedef struct candidate {
  const corpus_volume *volume;
  unsigned row;
  uint32_t known;        /* shingles of the query */
  uint64_t first_number; /* of its first document, in the corpus */
} candidate;

typedef struct candidates {
  candidate *all;
  size_t count, room;
} candidates;

typedef struct search {
  mlbf_corpus *corpus;
  const mlbf_shingles *query;
  const mlbf_corpus_question *question;
  mlbf_corpus_match *matches; /* best first */
  size_t count, room;
} search;

/* ---- rows ----------------------------------------------------------------------------------------------- */

static bool add_candidate(candidates *list, candidate one)
{
  if (list->count == list->room) {
    size_t room = 2 * list->room + 64;
    candidate *larger = realloc(list->all, room * sizeof *larger);
    if (!larger)
      return false;
    list->all = larger;
    list->room = room;
  }
  assert(list->count < list->room && one.row < one.volume->rows);
  list->all[list->count++] = one;
  return true;
}

/* A cheap test first: of SAMPLE shingles a row with a match has at least `needed`, except one time in 200. They are the
 * query's smallest, so they are in the sample of every document with the same passages. */
static bool may_have_match(const corpus_volume *v, const mlbf_shingles *query, double least)
{
  enum { SAMPLE = 8 };
  uint32_t known[MLBF_ROWS] = {0}, needed = least >= 0.5 ? (uint32_t)(SAMPLE * least) - 2 : 0;
  if (query->count < SAMPLE || needed == 0)
    return true;
  assert(v->words && query->at);
  mlbf_rows_ask(v->words, corpus_shape, query->at, SAMPLE, known);
  for (unsigned row = 0; row < v->rows; row++)
    if (known[row] >= needed)
      return true;
  return false;
}

/* How many of the query's shingles a row has at least, if one of its documents has `least` of them: these, and of the
 * rest what chance gives (a row matches fill^k of any query), less two deviations. */
static double known_least(const corpus_volume *v, unsigned row, double least, double count)
{
  double fill = (double)v->bits_set[row] / CORPUS_ROW_BITS, chance = pow(fill, CORPUS_HASHES);
  assert(v->bits_set[row] <= CORPUS_ROW_BITS);
  double expected = count * (least + (1 - least) * chance), deviation = sqrt(count * chance * (1 - chance));
  return fmax(count * least, expected - 2 * deviation);
}

static bool ask_volume(const corpus_volume *v, const search *s, uint64_t first_number, candidates *list)
{
  uint32_t known[MLBF_ROWS] = {0};
  if (v->rows == 0 || !may_have_match(v, s->query, s->question->least))
    return true;
  mlbf_rows_ask(v->words, corpus_shape, s->query->at, s->query->count, known);
  for (unsigned row = 0; row < v->rows; row++)
    if (known[row] > 0 && known[row] >= known_least(v, row, s->question->least, (double)s->query->count) - 1e-9 &&
        !add_candidate(list, (candidate){v, row, known[row], first_number + v->row_first[row]}))
      return false;
  return true;
}

static int most_first(const void *a, const void *b)
{
  const candidate *x = a, *y = b;
  if (x->known != y->known)
    return x->known < y->known ? 1 : -1;
  return x->first_number < y->first_number ? -1 : x->first_number > y->first_number;
}

/* ---- documents ------------------------------------------------------------------------------------------ */

/* How many of them are up to `limit`. */
static size_t count_up_to(const uint64_t *at, size_t count, uint64_t limit)
{
  size_t low = 0, high = count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (at[middle] <= limit)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

void corpus_compare(const uint64_t *query, size_t query_count, const uint64_t *document, size_t document_count,
                    double *share, double *back_share)
{
  uint64_t limit = UINT64_MAX; /* of two samples, what both would have kept */
  if (query_count == MLBF_CORPUS_SHINGLES_MAX)
    limit = query[query_count - 1];
  if (document_count == MLBF_CORPUS_SHINGLES_MAX && document[document_count - 1] < limit)
    limit = document[document_count - 1];
  query_count = count_up_to(query, query_count, limit);
  document_count = count_up_to(document, document_count, limit);
  double common = (double)mlbf_shingles_common(query, query_count, document, document_count);
  assert(common <= (double)query_count && common <= (double)document_count);
  *share = query_count ? common / (double)query_count : 0;
  *back_share = document_count ? common / (double)document_count : 0;
}

static bool is_better(const mlbf_corpus_match *a, const mlbf_corpus_match *b)
{
  if (a->share != b->share)
    return a->share > b->share;
  return a->back_share != b->back_share ? a->back_share > b->back_share : a->number < b->number;
}

/* Around one that changed. */
static void assert_matches(const search *s, size_t at)
{
  assert(s->count <= s->room && at < s->count && s->matches[at].name);
  assert(at == 0 || !is_better(&s->matches[at], &s->matches[at - 1]));
  assert(at + 1 == s->count || !is_better(&s->matches[at + 1], &s->matches[at]));
  (void)s, (void)at;
}

static void remove_match(search *s, size_t at)
{
  assert(at < s->count);
  free(s->matches[at].name);
  memmove(s->matches + at, s->matches + at + 1, (s->count - at - 1) * sizeof *s->matches);
  s->count--;
}

/* False: one of that name is in, and newer. An older one goes. */
static bool is_newest(search *s, const mlbf_corpus_match *match, mlbf_span name)
{
  for (size_t i = 0; i < s->count; i++)
    if (s->matches[i].name_size == name.size && memcmp(s->matches[i].name, name.bytes, name.size) == 0) {
      if (s->matches[i].number > match->number)
        return false;
      remove_match(s, i);
      return true;
    }
  return true;
}

/* Into the list of the best, if it belongs there; false: no memory. */
static bool add_match(search *s, mlbf_corpus_match match, mlbf_span name)
{
  if (match.share < s->question->least || !is_newest(s, &match, name))
    return true;
  size_t at = s->count;
  while (at > 0 && is_better(&match, &s->matches[at - 1]))
    at--;
  if (at == s->room)
    return true;
  match.name = malloc(name.size + 1);
  if (!match.name)
    return false;
  memcpy(match.name, name.bytes, name.size);
  match.name[name.size] = '\0';
  match.name_size = name.size;
  if (s->count == s->room)
    remove_match(s, s->count - 1);
  memmove(s->matches + at + 1, s->matches + at, (s->count - at) * sizeof *s->matches);
  s->matches[at] = match;
  s->count++;
  assert_matches(s, at);
  return true;
}

static mlbf_status search_row(search *s, const candidate *next)
{
  corpus_record r;
  uint64_t size, at = 0, number = next->first_number;
  mlbf_status status = corpus_load_row(s->corpus, next->volume, next->row, &size);
  while (status == MLBF_OK && corpus_next_record(s->corpus, next->volume, next->row, size, &at, &r, &status)) {
    mlbf_corpus_match match = {.number = number++};
    corpus_compare(s->query->at, s->query->count, r.shingles, r.count, &match.share, &match.back_share);
    if (match.share > 0 && !add_match(s, match, r.name))
      return corpus_no_memory(s->corpus);
  }
  return status;
}

/* The matches at hand are as good as any in a row that knows so much. */
static bool is_final(const search *s, uint32_t known)
{
  return s->count == s->room && s->matches[s->count - 1].share >= (double)known / (double)s->query->count;
}

static mlbf_status search_rows(search *s, candidates *list)
{
  mlbf_status status = MLBF_OK;
  size_t most = s->question->rows_most ? s->question->rows_most : SIZE_MAX;
  uint64_t number = 0;
  for (size_t i = 0; i < s->corpus->count; number += s->corpus->volumes[i++].documents)
    if (!ask_volume(&s->corpus->volumes[i], s, number, list))
      return corpus_no_memory(s->corpus);
  if (list->count)
    qsort(list->all, list->count, sizeof *list->all, most_first);
  for (size_t i = 0; status == MLBF_OK && i < list->count && i < most && !is_final(s, list->all[i].known); i++)
    status = search_row(s, &list->all[i]);
  return status;
}

mlbf_status mlbf_corpus_query(mlbf_corpus *c, const mlbf_shingles *query, const mlbf_corpus_question *question,
                              mlbf_corpus_match *matches, size_t *count)
{
  search s = {.corpus = c, .query = query, .question = question, .matches = matches, .room = *count};
  candidates list = {0};
  *count = 0;
  if (s.room == 0 || query->count == 0)
    return MLBF_OK;
  mlbf_status status = corpus_need_rows(c);
  if (status == MLBF_OK)
    status = search_rows(&s, &list);
  free(list.all);
  if (status != MLBF_OK)
    mlbf_corpus_matches_free(matches, s.count);
  else
    *count = s.count;
  return status;
}

void mlbf_corpus_matches_free(mlbf_corpus_match *matches, size_t count)
{
  for (size_t i = 0; i < count; i++)
    free(matches[i].name);
}

/* ---- by name -------------------------------------------------------------------------------------------- */

static mlbf_status copy_shingles(mlbf_corpus *c, const corpus_record *r, mlbf_shingles *shingles)
{
  uint64_t *copy = malloc(r->count * sizeof *copy);
  if (!copy)
    return corpus_no_memory(c);
  memcpy(copy, r->shingles, r->count * sizeof *copy);
  mlbf_shingles_free(shingles);
  *shingles = (mlbf_shingles){.at = copy, .count = r->count, .room = r->count};
  return MLBF_OK;
}

/* The last one of that name in the row, if there is any. */
static mlbf_status find_in_row(mlbf_corpus *c, const corpus_volume *v, unsigned row, mlbf_span name,
                               mlbf_shingles *shingles)
{
  corpus_record r;
  uint64_t size, at = 0;
  mlbf_status status = corpus_load_row(c, v, row, &size);
  while (status == MLBF_OK && corpus_next_record(c, v, row, size, &at, &r, &status))
    if (r.name.size == name.size && memcmp(r.name.bytes, name.bytes, name.size) == 0)
      status = copy_shingles(c, &r, shingles);
  return status;
}

mlbf_status mlbf_corpus_find(mlbf_corpus *c, mlbf_span name, mlbf_shingles *shingles)
{
  uint64_t wanted[CORPUS_NAME_SHINGLES];
  mlbf_shingles found = {0};
  mlbf_status status = corpus_need_rows(c);
  corpus_name_shingles(name, wanted);
  for (size_t i = c->count; status == MLBF_OK && i-- > 0 && !found.count;) {
    uint32_t known[MLBF_ROWS] = {0};
    if (c->volumes[i].rows == 0)
      continue;
    mlbf_rows_ask(c->volumes[i].words, corpus_shape, wanted, CORPUS_NAME_SHINGLES, known);
    for (unsigned row = c->volumes[i].rows; status == MLBF_OK && row-- > 0 && !found.count;)
      if (known[row] == CORPUS_NAME_SHINGLES)
        status = find_in_row(c, &c->volumes[i], row, name, &found);
  }
  if (status == MLBF_OK)
    *shingles = found;
  else
    mlbf_shingles_free(&found);
  return status;
}

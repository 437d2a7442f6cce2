/* Which documents of a matrix does this one resemble? Rows first, then their documents, shingle by shingle. */
#include "mlbf/papers/matrix_inside.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* known[r] = how many shingles of the query row r knows. */
static void ask_group(const mlbf_matrix *m, size_t group, const mlbf_shingles *query, uint32_t *known)
{
  mlbf_rows_ask(m->groups[group], matrix_shape(m), query->at, query->count, known);
}

/* Of every row; room for whole groups. NULL: no memory. */
static uint32_t *ask_rows(const mlbf_matrix *m, const mlbf_shingles *query)
{
  uint32_t *known = calloc(m->group_count * MATRIX_GROUP + 1, sizeof *known);
  for (size_t i = 0; known && i < m->group_count; i++)
    ask_group(m, i, query, known + i * MATRIX_GROUP);
  return known;
}

mlbf_status mlbf_matrix_row_score(const mlbf_matrix *matrix, const mlbf_shingles *query, size_t row,
                                  mlbf_matrix_row *score)
{
  if (row >= matrix->row_count || query->count == 0)
    return MLBF_BAD_ARGUMENT;
  uint32_t known[MATRIX_GROUP] = {0};
  const matrix_row *r = &matrix->rows[row];
  ask_group(matrix, row / MATRIX_GROUP, query, known);
  double fill = (double)r->bits_set / (double)matrix->row_bits, chance = pow(fill, matrix->hashes);
  double share = known[row % MATRIX_GROUP] / (double)query->count;
  *score = (mlbf_matrix_row){.documents = r->id_count,
                             .shingles = r->shingles,
                             .fill = fill,
                             .common = known[row % MATRIX_GROUP],
                             .score = chance < 1 ? (share - chance) / (1 - chance) : 0};
  return MLBF_OK;
}

/* Can the document hold that share of the query? Its rows never have fewer of the query's shingles than it has. */
static bool is_candidate(const matrix_document *d, const uint32_t *known, double least)
{
  uint64_t sum = known[d->first_row];
  for (size_t i = 1; i < d->piece_count; i++)
    sum += known[d->pieces[i].row];
  return (double)sum >= least;
}

static bool is_better(const mlbf_matrix_match *a, const mlbf_matrix_match *b)
{
  if (a->share != b->share)
    return a->share > b->share;
  return a->back_share != b->back_share ? a->back_share > b->back_share : a->id < b->id;
}

/* Into the list of the best, if it belongs there. */
static void offer(mlbf_matrix_match *matches, size_t *count, size_t room, mlbf_matrix_match found)
{
  size_t at = *count;
  while (at > 0 && is_better(&found, &matches[at - 1]))
    at--;
  if (at == room)
    return;
  size_t kept = *count < room ? *count : room - 1;
  memmove(matches + at + 1, matches + at, (kept - at) * sizeof *matches);
  matches[at] = found;
  assert(at <= kept && kept < room);
  *count = kept + 1;
}

mlbf_status mlbf_matrix_query(const mlbf_matrix *matrix, const mlbf_shingles *query, double least_share,
                              mlbf_matrix_match *matches, size_t *count)
{
  size_t room = *count;
  assert_matrix(matrix);
  uint32_t *known = ask_rows(matrix, query);
  if (!known)
    return MLBF_NO_MEMORY;
  double least = least_share * (double)query->count;
  *count = 0;
  for (size_t i = 0; room && query->count && i < matrix->document_count; i++) {
    const matrix_document *d = &matrix->documents[i];
    if (!is_candidate(d, known, least))
      continue;
    double common = (double)mlbf_shingles_common(query->at, query->count, d->shingles, d->count);
    if (common > 0 && common >= least)
      offer(matches, count, room, (mlbf_matrix_match){d->id, common / (double)query->count, common / (double)d->count});
  }
  free(known);
  return MLBF_OK;
}

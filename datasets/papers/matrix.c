/* Documents packed into rows, and back out of them. The picture is in matrix.h.
 *
 * Each row holds exactly the shingles of the pieces that its documents have there: a removal builds its rows anew from
 * these. Distributed, no row holds more than it was made for, and a document's pieces lie in different rows.
 *
 * Called by the experiments on the paper: passages.c (Table 2) and copies.c. */
#include "datasets/papers/matrix.h"
#include "datasets/sort/rng.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HASHES_MAX = 32 };

static const uint64_t row_shingles_most = UINT64_C(1) << 22; /* 3 MB a row at the usual rate */

const matrix_options matrix_usual = {.row_shingles = 20000, .rate = 0.05, .layout = MATRIX_DISTRIBUTED};

typedef struct piece {
  size_t row;
  size_t begin, count; /* of the document's shingles */
} piece;

typedef struct document {
  uint64_t id;
  uint64_t *shingles; /* ascending */
  size_t count;
  piece *pieces; /* each in another row */
  size_t piece_count;
} document;

typedef struct matrix_row {
  uint64_t *bits;
  uint64_t bits_set, shingles;
  uint64_t *ids; /* documents that have a piece here */
  size_t id_count, id_room;
} matrix_row;

struct matrix {
  matrix_options options;
  uint64_t row_bits;
  uint32_t hashes;
  document *documents; /* by id, ascending */
  size_t document_count, document_room;
  uint64_t shingle_count;
  matrix_row *rows;
  size_t row_count, row_room;
};

static void assert_matrix(const matrix *m)
{
  assert(m->row_bits > 0 && m->hashes >= 1 && m->options.row_shingles > 0);
  assert(m->document_count <= m->document_room && m->row_count <= m->row_room);
  assert(m->shingle_count >= m->document_count); /* no document is empty */
  (void)m;
}

uint64_t matrix_row_bits(uint64_t row_shingles, double rate)
{
  if (row_shingles == 0 || row_shingles > row_shingles_most || !(rate > 1e-9 && rate < 1))
    return 0;
  double bits = round(-(double)row_shingles * log(rate) / (M_LN2 * M_LN2));
  return bits < 1 ? 0 : (uint64_t)bits;
}

matrix *matrix_create(const matrix_options *options)
{
  uint64_t bits = matrix_row_bits(options->row_shingles, options->rate);
  matrix *m = bits > 0 ? calloc(1, sizeof *m) : NULL;
  if (m == NULL)
    return NULL;
  double best = round((double)bits / (double)options->row_shingles * M_LN2);
  m->options = *options;
  m->row_bits = bits;
  m->hashes = best < 1 ? 1 : best > HASHES_MAX ? HASHES_MAX : (uint32_t)best;
  return m;
}

static void document_free(document *old)
{
  free(old->shingles);
  free(old->pieces);
}

void matrix_free(matrix *old)
{
  if (old == NULL)
    return;
  for (size_t i = 0; i < old->document_count; i++)
    document_free(&old->documents[i]);
  for (size_t i = 0; i < old->row_count; i++) {
    free(old->rows[i].bits);
    free(old->rows[i].ids);
  }
  free(old->documents);
  free(old->rows);
  free(old);
}

/* Room for one more of `item_size` bytes at the end of an array; false: no memory, and it is as it was. */
static bool reserve(void **items, size_t *room, size_t count, size_t item_size)
{
  if (count < *room)
    return true;
  size_t larger = 2 * *room + 8;
  void *moved = realloc(*items, larger * item_size);
  if (moved == NULL)
    return false;
  *items = moved;
  *room = larger;
  return true;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static size_t row_words(const matrix *m)
{
  return (size_t)(m->row_bits / 64 + 1);
}

static uint64_t bit_number(const matrix *m, uint64_t shingle, uint32_t i)
{
  return rng_mix(shingle + i * UINT64_C(0x632BE59BD9B4E019)) % m->row_bits;
}

static void row_insert(const matrix *m, matrix_row *row, const uint64_t *shingles, size_t count)
{
  for (size_t s = 0; s < count; s++)
    for (uint32_t i = 0; i < m->hashes; i++) {
      uint64_t bit = bit_number(m, shingles[s], i), mask = UINT64_C(1) << bit % 64;
      row->bits_set += !(row->bits[bit / 64] & mask);
      row->bits[bit / 64] |= mask;
    }
  row->shingles += count;
  assert(row->bits_set <= m->row_bits);
  assert(m->options.layout == MATRIX_ROW_EACH || row->shingles <= m->options.row_shingles);
}

/* How many shingles of the query it knows. */
static uint64_t row_common(const matrix *m, const matrix_row *row, const mlbf_shingles *query)
{
  uint64_t common = 0;
  for (size_t s = 0; s < query->count; s++) {
    bool is_known = true;
    for (uint32_t i = 0; is_known && i < m->hashes; i++) {
      uint64_t bit = bit_number(m, query->at[s], i);
      is_known = row->bits[bit / 64] >> bit % 64 & 1;
    }
    common += is_known;
  }
  return common;
}

static bool row_append(matrix *m)
{
  void *rows = m->rows;
  bool has_room = reserve(&rows, &m->row_room, m->row_count, sizeof *m->rows);
  m->rows = rows;
  uint64_t *bits = has_room ? calloc(row_words(m), sizeof *bits) : NULL;
  if (bits == NULL)
    return false;
  m->rows[m->row_count++] = (matrix_row){.bits = bits};
  return true;
}

/* The first row with room for so many: what the paper calls the capacity index. A new one if there is none. */
static bool row_with_room(matrix *m, uint64_t shingles, size_t *row)
{
  *row = m->options.layout == MATRIX_ROW_EACH ? m->row_count : 0;
  while (*row < m->row_count && m->rows[*row].shingles + shingles > m->options.row_shingles)
    ++*row;
  return *row < m->row_count || row_append(m);
}

matrix_score matrix_row_score(const matrix *m, size_t row, const mlbf_shingles *query)
{
  assert(row < m->row_count && query->count > 0);
  double fill = (double)m->rows[row].bits_set / (double)m->row_bits, chance = pow(fill, m->hashes);
  double share = (double)row_common(m, &m->rows[row], query) / (double)query->count;
  return (matrix_score){fill, share, chance < 1 ? (share - chance) / (1 - chance) : 0};
}

bool matrix_row_has(const matrix *m, size_t row, uint64_t id)
{
  assert(row < m->row_count);
  const matrix_row *r = &m->rows[row];
  size_t at = 0;
  while (at < r->id_count && r->ids[at] != id)
    at++;
  return at < r->id_count;
}

/* ---- documents ------------------------------------------------------------------------------- */

/* Where a document of this id is, or would be. */
static size_t find(const matrix *m, uint64_t id)
{
  size_t low = 0, high = m->document_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (m->documents[middle].id < id)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static bool has(const matrix *m, uint64_t id)
{
  size_t at = find(m, id);
  return at < m->document_count && m->documents[at].id == id;
}

/* How many shingles a piece may have. */
static size_t piece_most(const matrix *m, size_t document_shingles)
{
  bool is_split = m->options.layout == MATRIX_DISTRIBUTED && document_shingles > m->options.row_shingles;
  return is_split ? (size_t)m->options.row_shingles : document_shingles;
}

static bool document_make(const matrix *m, uint64_t id, const mlbf_shingles *shingles, document *d)
{
  size_t most = piece_most(m, shingles->count);
  *d = (document){.id = id, .count = shingles->count};
  d->shingles = malloc(shingles->count * sizeof *d->shingles);
  d->pieces = malloc((shingles->count / most + 1) * sizeof *d->pieces);
  if (d->shingles == NULL || d->pieces == NULL)
    return false;
  memcpy(d->shingles, shingles->at, shingles->count * sizeof *d->shingles);
  return true;
}

/* The next piece into the first row that has room for it. */
static bool piece_put(matrix *m, document *d, size_t begin, size_t count)
{
  size_t row;
  if (!row_with_room(m, count, &row))
    return false;
  matrix_row *r = &m->rows[row];
  void *ids = r->ids;
  bool has_room = reserve(&ids, &r->id_room, r->id_count, sizeof *r->ids);
  r->ids = ids;
  if (!has_room)
    return false;
  r->ids[r->id_count++] = d->id;
  d->pieces[d->piece_count++] = (piece){row, begin, count};
  row_insert(m, r, d->shingles + begin, count);
  return true;
}

bool matrix_add(matrix *m, uint64_t id, const mlbf_shingles *shingles)
{
  assert_matrix(m);
  assert(shingles->count > 0 && !has(m, id));
  document d;
  void *documents = m->documents;
  bool is_fine = reserve(&documents, &m->document_room, m->document_count, sizeof d);
  m->documents = documents;
  if (!is_fine)
    return false;
  is_fine = document_make(m, id, shingles, &d);
  size_t most = piece_most(m, shingles->count);
  for (size_t begin = 0; is_fine && begin < d.count; begin += most)
    is_fine = piece_put(m, &d, begin, d.count - begin < most ? d.count - begin : most);
  size_t at = find(m, id);
  memmove(m->documents + at + 1, m->documents + at, (m->document_count - at) * sizeof d);
  m->documents[at] = d;
  m->document_count++;
  m->shingle_count += d.count;
  assert_matrix(m);
  return is_fine;
}

/* From the documents that its list names. */
static void row_rebuild(matrix *m, size_t row)
{
  matrix_row *r = &m->rows[row];
  memset(r->bits, 0, row_words(m) * sizeof *r->bits);
  r->bits_set = r->shingles = 0;
  for (size_t i = 0; i < r->id_count; i++) {
    const document *d = &m->documents[find(m, r->ids[i])];
    for (size_t j = 0; j < d->piece_count; j++)
      if (d->pieces[j].row == row)
        row_insert(m, r, d->shingles + d->pieces[j].begin, d->pieces[j].count);
  }
}

static void row_forget(matrix_row *row, uint64_t id)
{
  size_t at = 0;
  while (row->ids[at] != id)
    at++;
  assert(at < row->id_count);
  memmove(row->ids + at, row->ids + at + 1, (row->id_count - at - 1) * sizeof *row->ids);
  row->id_count--;
}

/* Takes a document out of its rows, which the caller rebuilds; its place stays, without shingles. */
static void take_out(matrix *m, document *d, bool *is_touched)
{
  for (size_t i = 0; i < d->piece_count; i++) {
    is_touched[d->pieces[i].row] = true;
    row_forget(&m->rows[d->pieces[i].row], d->id);
  }
  assert(m->shingle_count >= d->count);
  m->shingle_count -= d->count;
  document_free(d);
  *d = (document){.id = d->id};
}

bool matrix_remove(matrix *m, const uint64_t *ids, size_t count)
{
  bool *is_touched = calloc(m->row_count + 1, sizeof *is_touched);
  bool is_removed = is_touched != NULL;
  size_t kept = 0;
  for (size_t i = 0; i < count; i++)
    is_removed = is_removed && has(m, ids[i]);
  for (size_t i = 0; is_removed && i < count; i++)
    take_out(m, &m->documents[find(m, ids[i])], is_touched); /* twice: nothing is left to take */
  for (size_t i = 0; is_removed && i < m->document_count; i++)
    if (m->documents[i].count > 0)
      m->documents[kept++] = m->documents[i];
  m->document_count = is_removed ? kept : m->document_count;
  for (size_t i = 0; is_removed && i < m->row_count; i++)
    if (is_touched[i])
      row_rebuild(m, i);
  free(is_touched);
  assert_matrix(m);
  return is_removed;
}

bool matrix_compact(matrix *m)
{
  matrix *packed = matrix_create(&m->options);
  bool is_packed = packed != NULL;
  for (size_t i = 0; is_packed && i < m->document_count; i++) {
    const document *d = &m->documents[i];
    is_packed = matrix_add(packed, d->id, &(mlbf_shingles){.at = d->shingles, .count = d->count});
  }
  if (is_packed) {
    matrix before = *m;
    *m = *packed;
    *packed = before;
  }
  matrix_free(packed);
  return is_packed;
}

matrix_stats matrix_stats_read(const matrix *m)
{
  return (matrix_stats){
    .documents = m->document_count,
    .shingles = m->shingle_count,
    .rows = m->row_count,
    .bytes = (m->row_count * row_words(m) + m->shingle_count) * sizeof(uint64_t),
  };
}

/* ---- a query: rows first, then their documents, shingle by shingle ----------------------------- */

/* Can the document hold that share of the query? Its rows never have fewer of the query's shingles than it has. */
static bool is_candidate(const document *d, const uint64_t *known, double least)
{
  uint64_t sum = 0;
  for (size_t i = 0; i < d->piece_count; i++)
    sum += known[d->pieces[i].row];
  return (double)sum >= least;
}

static bool is_better(const matrix_match *a, const matrix_match *b)
{
  if (a->share != b->share)
    return a->share > b->share;
  return a->back_share != b->back_share ? a->back_share > b->back_share : a->id < b->id;
}

/* Into the list of the best, if it belongs there. */
static void offer(matrix_match *matches, size_t *count, size_t room, matrix_match found)
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

bool matrix_query(const matrix *m, const mlbf_shingles *query, double least_share, matrix_match *matches, size_t *count)
{
  size_t room = *count;
  uint64_t *known = calloc(m->row_count + 1, sizeof *known);
  assert_matrix(m);
  if (known == NULL)
    return false;
  for (size_t i = 0; i < m->row_count; i++)
    known[i] = row_common(m, &m->rows[i], query);
  double least = least_share * (double)query->count;
  *count = 0;
  for (size_t i = 0; room > 0 && query->count > 0 && i < m->document_count; i++) {
    const document *d = &m->documents[i];
    if (!is_candidate(d, known, least))
      continue;
    double common = (double)mlbf_shingles_common(query->at, query->count, d->shingles, d->count);
    if (common > 0 && common >= least)
      offer(matches, count, room, (matrix_match){d->id, common / (double)query->count, common / (double)d->count});
  }
  free(known);
  return true;
}

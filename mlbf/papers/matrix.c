/* Documents packed into rows, and back out of them. The picture is in matrix.h. */
#include "mlbf/papers/matrix_inside.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mlbf/similar/packed_rows.h"

static const mlbf_matrix_options usual = {.row_shingles = 20000, .rate = 0.05};

enum { HASHES_MAX = 32 };
static const uint64_t row_shingles_most = UINT64_C(1) << 22; /* 200 MB a group of rows at the usual rate */

uint64_t mlbf_matrix_row_bits(uint64_t row_shingles, double rate)
{
  if (row_shingles == 0 || row_shingles > row_shingles_most || !(rate > 1e-9 && rate < 1))
    return 0;
  double bits = round(-(double)row_shingles * log(rate) / (M_LN2 * M_LN2));
  return bits < 1 ? 0 : (uint64_t)bits;
}

mlbf_status mlbf_matrix_create(const mlbf_matrix_options *options, mlbf_matrix **matrix)
{
  mlbf_matrix_options wanted = options ? *options : usual;
  wanted.row_shingles = wanted.row_shingles ? wanted.row_shingles : usual.row_shingles;
  wanted.rate = wanted.rate != 0 ? wanted.rate : usual.rate;
  uint64_t bits = mlbf_matrix_row_bits(wanted.row_shingles, wanted.rate);
  if (bits == 0)
    return MLBF_BAD_ARGUMENT;
  mlbf_matrix *m = calloc(1, sizeof *m);
  if (!m)
    return MLBF_NO_MEMORY;
  double best = round((double)bits / (double)wanted.row_shingles * M_LN2);
  m->options = wanted;
  m->row_bits = bits;
  m->hashes = best < 1 ? 1 : best > HASHES_MAX ? HASHES_MAX : (uint32_t)best;
  *matrix = m;
  return MLBF_OK;
}

static void document_drop(matrix_document *d)
{
  free(d->shingles);
  free(d->pieces);
}

void mlbf_matrix_free(mlbf_matrix *matrix)
{
  if (!matrix)
    return;
  for (size_t i = 0; i < matrix->document_count; i++)
    document_drop(&matrix->documents[i]);
  for (size_t i = 0; i < matrix->row_count; i++)
    free(matrix->rows[i].ids);
  for (size_t i = 0; i < matrix->group_count; i++)
    free(matrix->groups[i]);
  free(matrix->documents);
  free(matrix->rows);
  free(matrix->groups);
  free(matrix);
}

/* ---- rows ----------------------------------------------------------------------------------------------- */

static void row_insert(mlbf_matrix *m, size_t row, const uint64_t *shingles, size_t count)
{
  assert(row < m->row_count);
  uint64_t *group = m->groups[row / MATRIX_GROUP];
  m->rows[row].bits_set += mlbf_rows_insert(group, matrix_shape(m), row % MATRIX_GROUP, shingles, count);
  m->rows[row].shingles += count;
  assert(m->rows[row].shingles <= m->options.row_shingles && m->rows[row].bits_set <= m->row_bits);
}

static void row_clear(mlbf_matrix *m, size_t row)
{
  uint64_t *group = m->groups[row / MATRIX_GROUP], bit = UINT64_C(1) << (row % MATRIX_GROUP);
  for (uint64_t i = 0; i < m->row_bits; i++)
    group[i] &= ~bit;
  m->rows[row].bits_set = m->rows[row].shingles = 0;
}

/* Room for `more` of `item_size` bytes at the end of an array; false: no memory, and it is as it was. */
static bool reserve(void **items, size_t *room, size_t count, size_t more, size_t item_size)
{
  if (count + more <= *room)
    return true;
  size_t larger = 2 * *room + more + 8;
  void *moved = realloc(*items, larger * item_size);
  if (!moved)
    return false;
  *items = moved;
  *room = larger;
  return true;
}

static bool row_append(mlbf_matrix *m)
{
  void *rows = m->rows;
  bool has_room = reserve(&rows, &m->row_room, m->row_count, 1, sizeof *m->rows);
  m->rows = rows;
  if (!has_room)
    return false;
  if (m->row_count == m->group_count * MATRIX_GROUP) {
    uint64_t **groups = realloc(m->groups, (m->group_count + 1) * sizeof *groups);
    if (!groups)
      return false;
    m->groups = groups;
    groups[m->group_count] = calloc(m->row_bits, sizeof **groups);
    if (!groups[m->group_count])
      return false;
    m->group_count++;
  }
  m->rows[m->row_count++] = (matrix_row){.shingles = 0};
  return true;
}

/* The first row with room for so many: what the paper calls the capacity index. A new one if there is none. */
static bool row_with_room(mlbf_matrix *m, uint64_t shingles, size_t *row)
{
  for (*row = 0; *row < m->row_count; ++*row)
    if (m->rows[*row].shingles + shingles <= m->options.row_shingles)
      return true;
  return row_append(m);
}

/* ---- documents ------------------------------------------------------------------------------------------ */

/* Where a document of this id is, or would be. */
static size_t find(const mlbf_matrix *m, uint64_t id)
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

static bool has(const mlbf_matrix *m, size_t place_of_id, uint64_t id)
{
  return place_of_id < m->document_count && m->documents[place_of_id].id == id;
}

static bool document_make(const mlbf_matrix *m, uint64_t id, const mlbf_shingles *shingles, matrix_document *d)
{
  size_t pieces = (size_t)((shingles->count + m->options.row_shingles - 1) / m->options.row_shingles);
  *d = (matrix_document){.id = id, .count = shingles->count, .piece_count = pieces};
  d->shingles = malloc(shingles->count * sizeof *d->shingles);
  d->pieces = malloc(pieces * sizeof *d->pieces);
  if (!d->shingles || !d->pieces)
    return false;
  memcpy(d->shingles, shingles->at, shingles->count * sizeof *d->shingles);
  return true;
}

/* Into the first row that takes it, with the row's list; false: no memory, and only unused rows may have been added. */
static bool piece_put(mlbf_matrix *m, const matrix_document *d, matrix_piece *piece, size_t from)
{
  size_t left = d->count - from, row;
  size_t count = left < m->options.row_shingles ? left : (size_t)m->options.row_shingles;
  if (!row_with_room(m, count, &row))
    return false;
  matrix_row *r = &m->rows[row];
  void *ids = r->ids;
  bool has_room = reserve(&ids, &r->id_room, r->id_count, 1, sizeof *r->ids);
  r->ids = ids;
  if (!has_room)
    return false;
  r->ids[r->id_count++] = d->id;
  *piece = (matrix_piece){(uint32_t)row, (uint32_t)from, (uint32_t)count};
  row_insert(m, row, d->shingles + from, count);
  return true;
}

static void row_rebuild(mlbf_matrix *m, size_t row);

/* The first `count` pieces of a document go out of their rows. */
static void pieces_take_back(mlbf_matrix *m, const matrix_document *d, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    matrix_row *r = &m->rows[d->pieces[i].row];
    size_t at = 0;
    while (r->ids[at] != d->id)
      at++;
    assert(at < r->id_count);
    memmove(r->ids + at, r->ids + at + 1, (r->id_count - at - 1) * sizeof *r->ids);
    r->id_count--;
  }
}

mlbf_status mlbf_matrix_add(mlbf_matrix *matrix, uint64_t id, const mlbf_shingles *shingles)
{
  assert_matrix(matrix);
  size_t at = find(matrix, id), done = 0;
  matrix_document d;
  if (has(matrix, at, id) || shingles->count == 0 || shingles->count > UINT32_MAX)
    return MLBF_BAD_ARGUMENT;
  void *documents = matrix->documents;
  bool is_fine = reserve(&documents, &matrix->document_room, matrix->document_count, 1, sizeof d);
  matrix->documents = documents;
  if (!is_fine)
    return MLBF_NO_MEMORY;
  is_fine = document_make(matrix, id, shingles, &d);
  for (size_t from = 0; is_fine && from < d.count; from += (size_t)matrix->options.row_shingles) {
    is_fine = piece_put(matrix, &d, &d.pieces[done], from);
    done += is_fine;
  }
  if (!is_fine) {
    pieces_take_back(matrix, &d, done);
    for (size_t i = 0; i < done; i++)
      row_rebuild(matrix, d.pieces[i].row);
    document_drop(&d);
    return MLBF_NO_MEMORY;
  }
  assert(done == d.piece_count);
  d.first_row = d.pieces[0].row;
  memmove(matrix->documents + at + 1, matrix->documents + at, (matrix->document_count - at) * sizeof d);
  matrix->documents[at] = d;
  matrix->document_count++;
  matrix->shingle_count += d.count;
  assert_matrix(matrix);
  return MLBF_OK;
}

/* From the documents that its list names. */
static void row_rebuild(mlbf_matrix *m, size_t row)
{
  matrix_row *r = &m->rows[row];
  row_clear(m, row);
  for (size_t i = 0; i < r->id_count; i++) {
    const matrix_document *d = &m->documents[find(m, r->ids[i])];
    for (size_t j = 0; j < d->piece_count; j++)
      if (d->pieces[j].row == row)
        row_insert(m, row, d->shingles + d->pieces[j].from, d->pieces[j].count);
  }
}

/* Takes a document out of its rows, which the caller rebuilds; its place stays, without shingles. */
static void take_out(mlbf_matrix *m, matrix_document *d, bool *is_touched)
{
  for (size_t i = 0; i < d->piece_count; i++)
    is_touched[d->pieces[i].row] = true;
  pieces_take_back(m, d, d->piece_count);
  assert(m->shingle_count >= d->count);
  m->shingle_count -= d->count;
  document_drop(d);
  *d = (matrix_document){.id = d->id};
}

/* Documents without shingles, which no document is added with, are gone. */
static void close_gaps(mlbf_matrix *m)
{
  size_t kept = 0;
  for (size_t i = 0; i < m->document_count; i++)
    if (m->documents[i].count)
      m->documents[kept++] = m->documents[i];
  m->document_count = kept;
}

mlbf_status mlbf_matrix_remove(mlbf_matrix *matrix, const uint64_t *ids, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (!has(matrix, find(matrix, ids[i]), ids[i]))
      return MLBF_BAD_ARGUMENT;
  bool *is_touched = calloc(matrix->row_count + 1, sizeof *is_touched);
  if (!is_touched)
    return MLBF_NO_MEMORY;
  for (size_t i = 0; i < count; i++)
    take_out(matrix, &matrix->documents[find(matrix, ids[i])], is_touched); /* twice: nothing is left to take */
  close_gaps(matrix);
  assert_matrix(matrix);
  for (size_t i = 0; i < matrix->row_count; i++)
    if (is_touched[i])
      row_rebuild(matrix, i);
  free(is_touched);
  return MLBF_OK;
}

mlbf_status mlbf_matrix_compact(mlbf_matrix *matrix)
{
  mlbf_matrix *packed;
  mlbf_status status = mlbf_matrix_create(&matrix->options, &packed);
  for (size_t i = 0; status == MLBF_OK && i < matrix->document_count; i++) {
    const matrix_document *d = &matrix->documents[i];
    status = mlbf_matrix_add(packed, d->id, &(mlbf_shingles){.at = d->shingles, .count = d->count});
    if (status != MLBF_OK)
      mlbf_matrix_free(packed);
  }
  if (status != MLBF_OK)
    return status;
  mlbf_matrix before = *matrix;
  *matrix = *packed;
  *packed = before;
  mlbf_matrix_free(packed);
  return MLBF_OK;
}

void mlbf_matrix_stats_read(const mlbf_matrix *matrix, mlbf_matrix_stats *stats)
{
  *stats = (mlbf_matrix_stats){.documents = matrix->document_count,
                               .shingles = matrix->shingle_count,
                               .rows = matrix->row_count,
                               .row_bits = matrix->row_bits,
                               .hashes = matrix->hashes};
  stats->bytes = matrix->group_count * matrix->row_bits * sizeof **matrix->groups +
                 matrix->shingle_count * sizeof *matrix->documents->shingles;
}

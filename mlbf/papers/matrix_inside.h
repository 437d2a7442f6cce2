/* mlbf/papers/matrix_inside.h: the struct of a matrix. Internal to mlbf/. */
#ifndef STRATA_MLBF_MATRIX_INSIDE_H
#define STRATA_MLBF_MATRIX_INSIDE_H

#include <assert.h>

#include "mlbf/papers/matrix.h"
#include "mlbf/similar/packed_rows.h"

typedef struct matrix_piece {
  uint32_t row;
  uint32_t from, count; /* of the document's shingles */
} matrix_piece;

typedef struct matrix_document {
  uint64_t id;
  uint64_t *shingles; /* ascending */
  size_t count;
  matrix_piece *pieces; /* each in another row */
  size_t piece_count;
  uint32_t first_row; /* of them: nearly all documents have one piece, and a query looks at all documents */
} matrix_document;

typedef struct matrix_row {
  uint64_t shingles; /* in it */
  uint64_t bits_set;
  uint64_t *ids; /* documents that have a piece here */
  size_t id_count, id_room;
} matrix_row;

enum { MATRIX_GROUP = MLBF_ROWS }; /* rows in a word */

struct mlbf_matrix {
  mlbf_matrix_options options;
  uint64_t row_bits;
  uint32_t hashes;
  matrix_document *documents; /* by id, ascending */
  size_t document_count, document_room;
  uint64_t shingle_count;
  matrix_row *rows;
  size_t row_count, row_room;
  uint64_t **groups; /* row_bits words each; bit r % 64 of word b of group r / 64 is bit b of row r */
  size_t group_count;
};

/* Every row has its place in a group, and there is no group without one, but for one that memory was had for last. */
static inline void assert_matrix(const mlbf_matrix *m)
{
  assert(m->row_bits > 0 && m->hashes >= 1 && m->options.row_shingles > 0);
  assert(m->document_count <= m->document_room && m->row_count <= m->row_room);
  assert(m->row_count <= m->group_count * MATRIX_GROUP);
  assert(m->group_count <= (m->row_count + MATRIX_GROUP - 1) / MATRIX_GROUP + 1);
  assert(m->shingle_count >= m->document_count); /* no document is empty */
  (void)m;
}

static inline mlbf_rows_shape matrix_shape(const mlbf_matrix *m)
{
  return (mlbf_rows_shape){.bits = m->row_bits, .hashes = m->hashes};
}

#endif

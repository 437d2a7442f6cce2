/* mlbf/similar/corpus_inside.h: the struct of a corpus. Internal to mlbf/. */
#ifndef STRATA_MLBF_CORPUS_INSIDE_H
#define STRATA_MLBF_CORPUS_INSIDE_H

#include "mlbf/similar/corpus_volume.h"

enum { CORPUS_TAIL_BYTES = 1 << 18 }; /* 50 web pages to a write */

_Static_assert((int)CORPUS_RECORD_MAX <= (int)CORPUS_TAIL_BYTES, "each record fits");

typedef struct corpus_near corpus_near; /* corpus_near.c */

struct mlbf_corpus {
  corpus_directory directory;
  bool is_read_only;
  corpus_volume *volumes; /* all are full, or were once, but the last */
  size_t count, room;
  int file;              /* of the last one's documents, to append to; -1: none */
  unsigned char *buffer; /* CORPUS_ROW_BYTES: a row that was read */
  unsigned char *tail;   /* CORPUS_TAIL_BYTES: the last volume's last records, not yet written */
  size_t tail_bytes;
  uint64_t cut_bytes;
  corpus_near *near; /* NULL: near-duplicates are not asked for */
};

static inline mlbf_status corpus_no_memory(mlbf_corpus *c)
{
  return corpus_directory_error(&c->directory, MLBF_NO_MEMORY, NULL);
}

enum { CORPUS_NEAR_KEYS = 6 };

/* The keys that stand for a document; how many. */
size_t corpus_near_keys(const corpus_near *n, const corpus_record *r, uint64_t keys[CORPUS_NEAR_KEYS]);
/* The document there gets these keys. */
mlbf_status corpus_near_index(mlbf_corpus *c, const uint64_t *keys, size_t count, uint32_t volume, uint64_t offset);
void corpus_near_close(mlbf_corpus *c); /* saves it */
uint64_t corpus_near_bytes(const corpus_near *n);

/* The first half of mlbf_corpus_add: the record is made, behind the tail. */
mlbf_status corpus_prepare(mlbf_corpus *c, mlbf_span name, const mlbf_shingles *shingles, corpus_record *r);
/* The other: it is part of the tail and of the volume. */
mlbf_status corpus_commit(mlbf_corpus *c, const corpus_record *r, const uint64_t *keys, size_t key_count);

/* The two shares of two documents, as a query gives them. */
void corpus_compare(const uint64_t *query, size_t query_count, const uint64_t *document, size_t document_count,
                    double *share, double *back_share);

/* All documents are in the files, and the rows know them. */
mlbf_status corpus_need_rows(mlbf_corpus *c);

/* Row `row` of a volume into c->buffer; all records must be written. */
mlbf_status corpus_load_row(mlbf_corpus *c, const corpus_volume *v, unsigned row, uint64_t *size);

/* The record at `*at` of that row, and `*at` past it; false at the end of the row. A damaged one: *status says so. */
bool corpus_next_record(mlbf_corpus *c, const corpus_volume *v, unsigned row, uint64_t size, uint64_t *at,
                        corpus_record *r, mlbf_status *status);

#endif

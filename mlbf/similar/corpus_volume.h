/* mlbf/similar/corpus_volume.h: one volume of a corpus: its documents on disk, and its rows. Internal to mlbf/;
 * FORMAT.md has every byte. */
#ifndef STRATA_MLBF_CORPUS_VOLUME_H
#define STRATA_MLBF_CORPUS_VOLUME_H

#include <assert.h>
#include <limits.h>

#include "mlbf/corpus.h"
#include "mlbf/similar/packed_rows.h"
#include "mlbf/file/block_file.h"

enum {
  CORPUS_HEADER_BYTES = 64,
  CORPUS_RECORD_HEAD = 32,
  CORPUS_VERSION = 3,          /* of .docs files */
  CORPUS_ROW_SHINGLES = 20000, /* some 130 web pages */
  CORPUS_ROW_BITS = 124704,    /* m of that and a rate of 0.05 */
  CORPUS_HASHES = 4,
  CORPUS_ROW_BYTES = 1 << 20, /* of records: a row of many short documents is full before its filter is */
  CORPUS_NAME_SHINGLES = 2,   /* shingles that stand for a document's name, in its row only */
  CORPUS_RECORD_MAX = CORPUS_RECORD_HEAD + 8 * (MLBF_CORPUS_SHINGLES_MAX + MLBF_SHINGLES_WHOLE) +
                      (MLBF_CORPUS_NAME_MAX + 7) / 8 * 8,
};

static const mlbf_rows_shape corpus_shape = {.bits = CORPUS_ROW_BITS, .hashes = CORPUS_HASHES};

/* A document as stored in a file. */
typedef struct corpus_record {
  const uint64_t *shingles, *whole;
  uint32_t count, whole_count;
  uint64_t text; /* as in mlbf_shingles, and so is `whole` */
  mlbf_span name;
  uint64_t bytes; /* of the record */
} corpus_record;

/* Where the files of all volumes are. */
typedef struct corpus_directory {
  char path[PATH_MAX];
  int file; /* all files are opened in it; -1: not open */
  char message[MLBF_CORPUS_MESSAGE_SIZE];
} corpus_directory;

typedef struct corpus_volume {
  corpus_directory *directory;
  uint32_t number;                /* from 1 */
  unsigned rows;                  /* begun */
  uint64_t row_at[MLBF_ROWS + 1]; /* offset of each row's first document in the file; after the last: the end */
  uint64_t row_first[MLBF_ROWS];  /* that document's number in the volume */
  uint64_t bits_set[MLBF_ROWS];
  uint64_t row_shingles; /* in the row that grows */
  uint64_t documents;
  uint64_t *words;           /* CORPUS_ROW_BITS of them, in `rows_file`; NULL: not asked for yet */
  uint64_t words_end;        /* offset of the first document that they do not know */
  mlbf_block_file rows_file; /* mapped once the volume is full */
  bool is_full;
  bool sync_failed; /* of its documents: some may not be on disk */
} corpus_volume;

/* Rows are begun in order, each at the end of the one before, and none is longer than the buffer that reads it. */
static inline void assert_volume(const corpus_volume *v)
{
  assert(v->number >= 1 && v->rows <= MLBF_ROWS && v->row_at[0] == CORPUS_HEADER_BYTES);
  assert(v->words == (const void *)v->rows_file.body && (v->words || !v->is_full));
  assert((v->rows == 0) == (v->documents == 0));
  assert(v->rows == 0 || v->row_at[v->rows] > v->row_at[v->rows - 1]);
  assert(v->rows == 0 || v->row_at[v->rows] - v->row_at[v->rows - 1] <= CORPUS_ROW_BYTES);
  assert(v->rows == 0 || v->row_first[v->rows - 1] < v->documents);
  assert(v->rows == MLBF_ROWS || !v->is_full);
  (void)v;
}

/* `status`, after a sentence about the volume's file of this suffix, errno's or `what`, in the directory's message. */
mlbf_status corpus_volume_error(const corpus_volume *v, const char *suffix, mlbf_status status, const char *what);
mlbf_status corpus_volume_damaged(const corpus_volume *v, uint64_t offset); /* its .docs, there */
/* The same about the directory itself. */
mlbf_status corpus_directory_error(corpus_directory *directory, mlbf_status status, const char *what);

/* mlbf_disk_open_in of a volume's file. */
int corpus_volume_file(const corpus_volume *v, const char *suffix, int flags);
bool corpus_has_volume(const corpus_directory *directory, uint32_t number);

/* Two more shingles of a document, by which it is found by name. */
void corpus_name_shingles(mlbf_span name, uint64_t shingles[CORPUS_NAME_SHINGLES]);

/* Of a record. */
uint64_t corpus_record_bytes(size_t name_size, size_t shingles, size_t whole);
/* How many bytes the one at `at` says it has; 0: it cannot be one. */
uint64_t corpus_record_claims(const unsigned char *at, uint64_t left);
/* Reads the record at `at`, with `left` bytes from there to the end of the buffer, at `offset` of the volume's file. */
bool corpus_record_read(const unsigned char *at, uint64_t left, uint64_t offset, corpus_record *r);
/* Into `record`, room for CORPUS_RECORD_MAX; `*r` has the caller's shingles and name. */
void corpus_record_write(unsigned char *record, uint64_t offset, mlbf_span name, const mlbf_shingles *shingles,
                         corpus_record *r);

/* A new one with its file. */
mlbf_status corpus_volume_create(corpus_directory *directory, uint32_t number, corpus_volume *v);

/* What is on disk: its rows if there are any, else they are made from the documents; a torn end counts for nothing, and
 * is cut off if `may_cut`, `*cut_bytes` of them. MLBF_IO with ENOENT: there is no such volume. */
mlbf_status corpus_volume_open(corpus_directory *directory, uint32_t number, bool may_cut, corpus_volume *v,
                               uint64_t *cut_bytes);
void corpus_volume_drop(corpus_volume *v);

/* A record of these sizes fits, in the row that grows or in another. */
bool corpus_volume_has_room(const corpus_volume *v, uint64_t shingles, uint64_t bytes);
/* Adds a document that is at the end of the file, or will be; the volume must have room for it. The rows do not
 * know it yet. */
void corpus_volume_add(corpus_volume *v, const corpus_record *r);

/* Makes the rows know all documents, which are in the file. `buffer`: room for CORPUS_ROW_BYTES. */
mlbf_status corpus_volume_need_rows(corpus_volume *v, unsigned char *buffer);

/* The volume is full, and all of it in its file: writes its rows to disk and maps them. `buffer` as above. */
mlbf_status corpus_volume_seal(corpus_volume *v, unsigned char *buffer);

/* All records of row `row`, which are in the file, into `buffer`, as above. */
mlbf_status corpus_volume_read_row(const corpus_volume *v, unsigned row, unsigned char *buffer, uint64_t *size);

#endif

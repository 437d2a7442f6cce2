/* mlbf/corpus.h: a pseudo-matrix on disk, for documents that come one by one and do not fit into memory together.
 *
 *     00001.docs  [ doc | doc | doc | ... ]     names and shingles, appended: what is known
 *     00001.rows  [ 64 rows ]                   which of them to look into; made when its .docs is full
 *     00002.docs  [ doc | doc |
 *
 * matrix.h has the idea. Here documents fill one row after the other, a volume is full with its 64 rows (some 8,000 web
 * pages, 11 MB), and is never changed again. Its rows are mapped; a query asks them all, and reads from the .docs those
 * rows that can hold an answer, best first, until no other can. So memory of the process is that of the volume that
 * grows, 1 MiB of rows, and a buffer of as much; opened, that volume is read whole for a moment. The kernel's cache
 * gets some 120 bytes a page of rows.
 *
 * Crashes. A document is in its file when mlbf_corpus_add returns: death of the process loses none that was added, and
 * may leave a torn one behind them. After a power cut the last ones may be missing or torn. What is torn is cut off
 * when the corpus is opened for writing. Anything else that is wrong is damage: each document has a checksum, and so
 * have the rows. Rows can be had again from documents: remove the file.
 *
 * Threads: one at a time. Processes: one writer, which the caller sees to, and any number of readers. */
#ifndef STRATA_MLBF_CORPUS_H
#define STRATA_MLBF_CORPUS_H

#include "mlbf/shingle.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  MLBF_CORPUS_SHINGLES_MAX = 4096, /* of a document, the least ones; a text of 18,000 words has as many */
  MLBF_CORPUS_NAME_MAX = 65535,    /* bytes */
  MLBF_CORPUS_MESSAGE_SIZE = 512,
};

typedef struct mlbf_corpus mlbf_corpus;

/* The corpus in `directory`, which is made if need be; read_only: as it is now. MLBF_IO, with ENOENT in errno if there
 * is none to read; MLBF_NOT_A_FILTER, MLBF_VERSION, MLBF_DAMAGED, MLBF_NO_MEMORY. On failure `message` holds one
 * sentence that names the file and what is wrong with it. */
mlbf_status mlbf_corpus_open(const char *directory, bool read_only, mlbf_corpus **out,
                             char message[MLBF_CORPUS_MESSAGE_SIZE]);
void mlbf_corpus_close(mlbf_corpus *c); /* NULL is fine; nothing is left to write */

/* About the last call that failed on this handle. */
const char *mlbf_corpus_message(const mlbf_corpus *c);

/* One more document. One of that name is added again all the same: the newest counts. Shingles: of a shingler of
 * MLBF_CORPUS_SHINGLES_MAX. MLBF_BAD_ARGUMENT: none or too many of them, no name or too long a one, or the corpus is
 * read-only; MLBF_IO, MLBF_NO_MEMORY: it is not in, and may be tried again. */
mlbf_status mlbf_corpus_add(mlbf_corpus *c, mlbf_span name, const mlbf_shingles *shingles);

/* The shingles of the newest document of that name, to be freed. `shingles->count` is 0 if there is none. */
mlbf_status mlbf_corpus_find(mlbf_corpus *c, mlbf_span name, mlbf_shingles *shingles);

typedef struct mlbf_corpus_match {
  double share;      /* of the query's shingles that the document has: 1 = it holds all of the query */
  double back_share; /* of the document's shingles that the query has */
  char *name;        /* NUL-terminated */
  size_t name_size;
  uint64_t number;   /* of the document, from 0, in order of addition */
} mlbf_corpus_match;

typedef struct mlbf_corpus_question {
  double least;      /* what a match must have: 0 < least <= 1 of `share`, and with `mutual` of `back_share` too */
  bool mutual;       /* ranked by the lesser of both shares; else by `share` */
  size_t rows_most;  /* look into so many rows at most, of some 130 pages each, best first; 0: whatever is needed */
} mlbf_corpus_question;

/* The documents that resemble the query most, best first, at most `*count` (no more than 10,000); how many there were.
 * Of documents of one name that match the newest is taken. Free their names with mlbf_corpus_matches_free.
 *
 * Without rows_most each document that has the least share is found, but for those that are unlike what is asked for in
 * length: where one has more than MLBF_CORPUS_SHINGLES_MAX and is known by a sample, a short passage of it may be
 * missed; and with `least` from 0.5 on, eight shingles decide whether a volume is looked into, by which one in 200 is
 * missed. MLBF_DAMAGED, MLBF_IO, MLBF_NO_MEMORY: there are no matches. */
mlbf_status mlbf_corpus_query(mlbf_corpus *c, const mlbf_shingles *query, const mlbf_corpus_question *question,
                              mlbf_corpus_match *matches, size_t *count);
void mlbf_corpus_matches_free(mlbf_corpus_match *matches, size_t count);

/* The two shares of two documents, as a query gives them. */
void mlbf_corpus_compare(const uint64_t *query, size_t query_count, const uint64_t *document, size_t document_count,
                         double *share, double *back_share);

/* The name and `shingles`, `count` of them, live during the call. false: enough. */
typedef bool mlbf_corpus_visitor(void *context, mlbf_span name, const uint64_t *shingles, size_t count);

/* Every document, in order of addition. */
mlbf_status mlbf_corpus_each(mlbf_corpus *c, mlbf_corpus_visitor *visit, void *context);

typedef struct mlbf_corpus_stats {
  uint64_t documents, volumes;
  uint64_t document_bytes; /* of .docs files */
  uint64_t row_bytes;      /* of rows, mapped or in memory */
  uint64_t cut_bytes;      /* of a torn end that was cut off when it was opened */
} mlbf_corpus_stats;

/* How much is in it, and what it takes. */
void mlbf_corpus_stats_read(const mlbf_corpus *c, mlbf_corpus_stats *stats);

#ifdef __cplusplus
}
#endif
#endif

/* mlbf/corpus.h: a near-duplicate index on disk, for more documents than fit in memory.
 *
 *     00001.docs  [ doc | doc | doc | ... ]     names and shingles, append-only
 *     00001.rows  [ 64 rows ]                   Bloom filters of these documents; made when the .docs is full
 *     00002.docs  [ doc | doc |
 *     near.table  [ key, place | ... ]          of near-duplicates, once mlbf_corpus_near_open asked for it
 *
 * The method is the papers' pseudo-matrix. Documents fill one row after the other. A volume with 64 rows (some 8,000
 * web pages, 40 MB) is full and never changes again; its rows are mapped. A query tests all rows, then reads the
 * documents of the rows that can hold a match, best row first, and stops when none of the remaining rows can hold a
 * better one. The process holds 1.3 MiB of buffers, and 1 MiB for the rows of the volume that grows once there is a
 * query; opening reads that volume whole, briefly. The mapped rows take some 120 bytes of the kernel's cache for each
 * web page.
 *
 * Crashes. Documents are written 256 KiB at a time. After mlbf_corpus_flush those added before it are in their file: a
 * process that dies loses none of these, and may leave a torn one at the end. After a power cut the last documents may
 * be missing or torn. Opening the corpus for writing cuts a torn end off. Anything else is damage: each document has a
 * checksum, and so have the rows. To rebuild a volume's rows, remove its .rows file.
 *
 * Threads: one at a time. Processes: one writer, which the caller ensures, and any number of readers, which see what
 * was flushed when they opened it. */
#ifndef STRATA_MLBF_CORPUS_H
#define STRATA_MLBF_CORPUS_H

#include "mlbf/shingle.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  MLBF_CORPUS_SHINGLES_MAX = 4096, /* kept of one document, the smallest; a text of 18,000 words has as many */
  MLBF_CORPUS_NAME_MAX = 65535,    /* bytes */
  MLBF_CORPUS_MESSAGE_SIZE = 512,
};

typedef struct mlbf_corpus mlbf_corpus;

/* Opens the corpus in `directory`, creating it if absent. read_only: opens its present state, creates nothing. No link
 * is followed (for one that is the directory write "LINK/."), and what belongs to another user or has a second name is
 * not written. MLBF_IO, with ENOENT in errno if there is no corpus to read; MLBF_NOT_A_FILTER, MLBF_VERSION,
 * MLBF_DAMAGED, MLBF_NO_MEMORY. On failure `message` holds one sentence that names the file and the fault. */
mlbf_status mlbf_corpus_open(const char *directory, bool read_only, mlbf_corpus **out,
                             char message[MLBF_CORPUS_MESSAGE_SIZE]);
/* NULL is fine. Flushes; call mlbf_corpus_flush before to hear whether that fails. */
void mlbf_corpus_close(mlbf_corpus *c);

/* Writes the documents that are only in memory. MLBF_IO: the call may be repeated. Calls that read do it, too. */
mlbf_status mlbf_corpus_flush(mlbf_corpus *c);

/* About the last call that failed on this handle. */
const char *mlbf_corpus_message(const mlbf_corpus *c);

/* Adds a document, also if one has this name already: the newest counts. Take `shingles` from a shingler that keeps
 * MLBF_CORPUS_SHINGLES_MAX. `near` and `share` are NULL, or the call says which document it is near (below).
 * MLBF_BAD_ARGUMENT: no shingles or too many, no name or too long a one, or the corpus is read-only; MLBF_IO,
 * MLBF_NO_MEMORY: it was not added, and the call may be repeated. */
mlbf_status mlbf_corpus_add(mlbf_corpus *c, mlbf_span name, const mlbf_shingles *shingles, char **near, double *share);

/* ---- near-duplicates ------------------------------------------------------------------------------------ */

/* Two documents of at least so many shingles (some 150 words) are near if each has so much of the other's; shorter ones
 * if their texts are equal. In a short text a few words are a tenth, and pages of one template would all be near. In a
 * long template with few words of their own pages share nine tenths, and are near. */
enum { MLBF_CORPUS_NEAR_SHINGLES = 32 };
#define MLBF_CORPUS_NEAR 0.9

/* Of a text of up to MLBF_SHINGLES_WHOLE shingles all are compared, of a longer one so many, the least of all. What
 * that gets wrong (a test measures it): of texts of 4,000 words that share .88, one in 40 is near; of those that share
 * .92, one in 5 is not, of .93 one in 13, of .95 one in 400; of 1,000 words at .88 one in 70, at .93 one in 20.
 * Documents that were added without the least (mlbf_shingles.whole) are compared by those that were kept. */

/* Once, before mlbf_corpus_add is asked for near-duplicates: reads the table of near-duplicates, near.table, and the
 * documents that it does not know: those of the last volume, or all if it is gone or damaged (some 5 s per million web
 * pages). From then on it takes at most 64 bytes of memory for each document, and 200 KB; closing writes it.
 * MLBF_BAD_ARGUMENT: read-only; MLBF_IO, MLBF_DAMAGED, MLBF_NO_MEMORY: it may be called again. */
mlbf_status mlbf_corpus_near_open(mlbf_corpus *c);

/* What mlbf_corpus_add says then. `*near`: the name of an earlier document of another name that the new one is near, to
 * be freed with free(), or NULL; `*share`: the lesser of both shares. An older document of a name counts as well as its
 * newest.
 *
 * The cost does not depend on how many documents there are: six keys of a document are looked up, each made of three
 * minima of its shingles (minwise hashing: Broder, "On the resemblance and containment of documents", 1997; in one
 * pass: Li, Owen, Zhang, "One permutation hashing", 2012), and at most eleven documents with equal keys are read. One
 * near-duplicate in 1,000 is missed, of those that are just near one in 100. The keys depend on a secret, so pages
 * cannot be made to have equal ones. */

/* ---- asking --------------------------------------------------------------------------------------------- */

/* The shingles of the newest document of that name; free them. `shingles->count` is 0 if there is no such document. */
mlbf_status mlbf_corpus_find(mlbf_corpus *c, mlbf_span name, mlbf_shingles *shingles);

typedef struct mlbf_corpus_match {
  double share;      /* part of the query's shingles that the document has: 1 = all */
  double back_share; /* part of the document's shingles that the query has */
  char *name;        /* NUL-terminated */
  size_t name_size;
  uint64_t number; /* of the document, from 0, in order of addition */
} mlbf_corpus_match;

typedef struct mlbf_corpus_question {
  double least;     /* minimum `share` of a match, in (0,1] */
  size_t rows_most; /* read at most this many rows, of some 130 pages each, best first; 0: as many as needed */
} mlbf_corpus_question;

/* The documents that resemble the query most, best first, at most `*count` (up to 10,000); sets `*count` to their
 * number. Of matches with equal names only the newest is given. Free their names with mlbf_corpus_matches_free.
 *
 * Without rows_most every document with a share of at least `least` is found, with two exceptions. Of a document of
 * more than MLBF_CORPUS_SHINGLES_MAX shingles only a sample is kept, so a short passage of it may be missed. And with
 * `least` of 0.5 or more, a volume is skipped if each of its rows has too few of eight shingles of the query, which
 * misses one match in 200.
 * MLBF_DAMAGED, MLBF_IO, MLBF_NO_MEMORY: there are no matches. */
mlbf_status mlbf_corpus_query(mlbf_corpus *c, const mlbf_shingles *query, const mlbf_corpus_question *question,
                              mlbf_corpus_match *matches, size_t *count);
void mlbf_corpus_matches_free(mlbf_corpus_match *matches, size_t count);

/* The name and the `count` shingles are valid during the call. false: stop. */
typedef bool mlbf_corpus_visitor(void *context, mlbf_span name, const uint64_t *shingles, size_t count);

/* Every document, in order of addition. */
mlbf_status mlbf_corpus_each(mlbf_corpus *c, mlbf_corpus_visitor *visit, void *context);

typedef struct mlbf_corpus_stats {
  uint64_t documents, volumes;
  uint64_t document_bytes; /* of .docs files */
  uint64_t row_bytes;      /* of rows, mapped or in memory */
  uint64_t near_bytes;     /* of the table of near-duplicates, in memory */
  uint64_t cut_bytes;      /* of a torn end that was cut off when it was opened */
} mlbf_corpus_stats;

/* Number of documents, and bytes used. */
void mlbf_corpus_stats_read(const mlbf_corpus *c, mlbf_corpus_stats *stats);

#ifdef __cplusplus
}
#endif
#endif

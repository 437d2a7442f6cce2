/* crawler/loop/fingerprint_index.h: the fingerprint index, which finds a crawl's near-duplicate pages: a corpus
 * (mlbf/corpus.h) of their shingles in DIR/contents/, whose documents are named by their URLs.
 *
 * Crashes: a page is written before the commit that marks it done, so a crash loses no page that is done. A page that
 * was written but not committed is fetched again and stored twice; the newest document of a URL counts. */
#ifndef STRATA_CRAWLER_FINGERPRINT_INDEX_H
#define STRATA_CRAWLER_FINGERPRINT_INDEX_H

#include "mlbf/corpus.h"

typedef struct fingerprint_index fingerprint_index;

/* The near-duplicate of a page. */
typedef struct fingerprint_near {
  const char *url; /* of the other */
  double share;    /* of each that is in the other, the lesser of both */
} fingerprint_near;

/* Of the crawl in `directory`, for writing. NULL after one sentence on stderr. */
fingerprint_index *fingerprint_index_open(const char *directory);
void fingerprint_index_close(fingerprint_index *c); /* NULL is fine */

/* One more page, by its URL, unless it says nothing. `*near`: what it is near, or NULL; that lives until the next call.
 * As mlbf_corpus_add: after MLBF_IO, with errno, the call may be repeated. */
mlbf_status fingerprint_index_add(fingerprint_index *c, const char *page, const mlbf_shingles *shingles,
                                  const fingerprint_near **near);

/* As mlbf_corpus_flush: before each commit (commit_files.h). */
mlbf_status fingerprint_index_flush(fingerprint_index *c);

/* Reads all of it. false, and one sentence in `message`: it is damaged, or cannot be read. None at all is sound. */
bool fingerprint_index_is_sound(const char *directory, char message[MLBF_CORPUS_MESSAGE_SIZE]);

/* About the last call that failed. */
const char *fingerprint_index_message(const fingerprint_index *c);

#endif

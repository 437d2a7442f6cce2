/* crawler/loop/body_digests.h: similarity digests (mlbf/digest.h) of the bodies that are not HTML: DIR/digests.sdbf, a
 * line each, which strata digest and sdhash 4.0 read.
 *
 * A digest needs the whole body: bodies are held in memory while they arrive, in BODY_DIGESTS_MEMORY bytes in all; one
 * that does not fit gets no digest, and is counted. Its name is the URL with %, : and | as %25, %3A and %7C, for a name
 * may not have the last two.
 *
 * Crashes, as in fingerprint_index.h: a line is written before its URL is marked done, so a crash loses none; a body
 * that is fetched again then has two, of which the last counts. */
#ifndef STRATA_CRAWLER_BODY_DIGESTS_H
#define STRATA_CRAWLER_BODY_DIGESTS_H

#include "mlbf/filter.h"

enum { BODY_DIGESTS_MEMORY = 64 << 20 };

typedef struct body_digests body_digests;

/* A body so far. */
typedef struct body_copy {
  char *bytes;
  size_t size, room;
  bool is_given_up; /* it did not fit */
} body_copy;        /* zeros: nothing yet */

/* Of the crawl in `directory`, for writing; a torn last line is cut off. NULL after one sentence on stderr. */
body_digests *body_digests_open(const char *directory);
void body_digests_close(body_digests *b); /* NULL is fine */

void body_digests_take(body_digests *b, body_copy *copy, const char *bytes, size_t size);

/* The body of `page` is whole: its line, if it is long enough for a digest. MLBF_NO_MEMORY: it gets none; MLBF_IO, with
 * errno: the call may be repeated. */
mlbf_status body_digests_add(body_digests *b, const body_copy *copy, const char *page);

/* The copy is empty then. */
void body_digests_drop(body_digests *b, body_copy *copy);

/* About the last call that failed. */
const char *body_digests_message(const body_digests *b);

/* The URL of a name, in place. */
void body_digests_url_of_name(char *name);

#endif

/* The captures of a crawl that have a payload in full, for revisit records to refer to: of this run, and of earlier
 * ones by their indexes. What a record says is read from the record itself, so a table that is wrong, or a file that
 * was moved away or changed, leads to a payload that is stored again, never to a false reference.
 *
 * Records are referred to in the order of the files: whatever a crash cuts off, each reference that is left is to a
 * record that is left. */
#ifndef STRATA_CRAWLER_WARC_ORIGINALS_H
#define STRATA_CRAWLER_WARC_ORIGINALS_H

#include "crawler/warc/warc_files.h"

typedef struct warc_originals warc_originals;

/* The record to refer to. Its fields as they stand there; `record` and `digest` "": it does not say. */
typedef struct warc_original {
  char *url; /* to be freed; NULL: there is none */
  char record[64], date[32], digest[48];
} warc_original;

/* Of the files up to now, whose indexes are sorted. NULL: out of memory. `files` is borrowed. */
warc_originals *warc_originals_create(const warc_files *files);
void warc_originals_free(warc_originals *o); /* NULL is fine */

/* The record with a payload of this digest. The first call reads the indexes. */
warc_original warc_originals_find(warc_originals *o, const char *digest);

/* The payload that a server calls unmodified: that of the URL's last success, if it came with the ETag or the
 * Last-Modified that `request`, the head of a conditional request, names. Of this run's captures none is found. */
warc_original warc_originals_unmodified(warc_originals *o, const char *url, const char *request, size_t size);

/* The record at `offset` of the open file has it. */
void warc_originals_add(warc_originals *o, const char *digest, uint64_t offset);

#endif

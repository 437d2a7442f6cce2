/* The payloads that the WARC files of a crawl have already: digest -> where the record is that has it in full. Memory
 * is limited, at 64 MiB; beyond 3 million payloads no digest is added, and later duplicates are stored in full.
 *
 * A digest is kept as 64 bits of its hash: whoever finds it reads the record, and believes that. */
#ifndef STRATA_CRAWLER_WARC_DEDUP_H
#define STRATA_CRAWLER_WARC_DEDUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct warc_dedup warc_dedup;

typedef struct warc_spot {
  unsigned file;   /* its number, at most WARC_NUMBER_MAX; 0: none */
  uint64_t offset; /* of the record; from 2^40 on it is not kept */
} warc_spot;

warc_dedup *warc_dedup_create(void); /* NULL: out of memory */
void warc_dedup_free(warc_dedup *p); /* NULL is fine */

/* A digest is `size` bytes of text. */
warc_spot warc_dedup_find(const warc_dedup *p, const char *digest, size_t size);

/* From now on that is its record, instead of an earlier one. false: there is no room for it. */
bool warc_dedup_put(warc_dedup *p, const char *digest, size_t size, warc_spot spot);

#endif

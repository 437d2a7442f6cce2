/* The payloads that a WARC file has already: digest -> the capture that has it in full. Memory is limited; beyond it no
 * digest is added, and later duplicates are stored in full. */
#ifndef STRATA_CRAWLER_WARC_DEDUP_H
#define STRATA_CRAWLER_WARC_DEDUP_H

typedef struct warc_dedup warc_dedup;

typedef struct payload {
  const char *date, *url; /* WARC-Date and WARC-Target-URI of the capture */
} payload;

warc_dedup *warc_dedup_create(void); /* NULL: out of memory */
void warc_dedup_free(warc_dedup *p); /* NULL is fine */
void warc_dedup_clear(warc_dedup *p);

/* The first capture with this digest; or, if there was none, NULLs, and this capture is the first from now on. */
payload warc_dedup_take(warc_dedup *p, const char *digest, const char *date, const char *url);

#endif

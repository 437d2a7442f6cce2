/* Payloads a WARC file holds already: digest -> the capture that has it in full. Fixed memory at most; beyond it
 * nothing more is learnt, and a duplicate is stored again. */
#ifndef STRATA_CRAWLER_WARC_DEDUP_H
#define STRATA_CRAWLER_WARC_DEDUP_H

typedef struct payloads payloads;

typedef struct payload {
  const char *date, *url; /* WARC-Date and WARC-Target-URI of the capture */
} payload;

payloads *payloads_create(void); /* NULL: out of memory */
void payloads_free(payloads *p); /* NULL is fine */
void payloads_clear(payloads *p);

/* The first capture with this digest; or, if there was none, NULLs, and this capture is the first from now on. */
payload payloads_take(payloads *p, const char *digest, const char *date, const char *url);

#endif

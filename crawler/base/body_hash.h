/* A cryptographic hash of bytes that come in pieces: SHA-256 of a page for pages.jsonl, SHA-1 for WARC records.
 * libcrypto uses the SHA instructions of the processor where it has them. */
#ifndef STRATA_CRAWLER_BODY_HASH_H
#define STRATA_CRAWLER_BODY_HASH_H

#include <stddef.h>

typedef enum body_hash_kind { BODY_HASH_SHA1, BODY_HASH_SHA256 } body_hash_kind;

enum { BODY_HASH_TEXT = 64 + 1 }; /* SHA-256 in hex, NUL */

typedef struct body_hash body_hash;

body_hash *body_hash_create(body_hash_kind kind); /* NULL: out of memory */
void body_hash_free(body_hash *h);                /* NULL is fine */
void body_hash_begin(body_hash *h);
void body_hash_add(body_hash *h, const void *bytes, size_t size);

/* The hash of all bytes since begin, as text: SHA-256 in lower-case hex (64 characters), SHA-1 in base32 (32), as is
 * the custom of pages' and of WARC's readers. "" if libcrypto failed at some step. */
void body_hash_end(body_hash *h, char text[BODY_HASH_TEXT]);

#endif

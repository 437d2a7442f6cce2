/* The body of a stored response as a browser would see it: without transfer and content coding. */
#ifndef STRATA_CRAWLER_STORED_BODY_H
#define STRATA_CRAWLER_STORED_BODY_H

#include <stdbool.h>
#include <stddef.h>

typedef struct stored_body stored_body;

typedef void stored_body_sink(void *context, const char *bytes, size_t size);

/* Codings as the HTTP head says. NULL: out of memory. */
stored_body *stored_body_create(const char *http_head, size_t size, stored_body_sink *sink, void *context);
void stored_body_add(stored_body *b, const char *bytes, size_t size);

/* Frees. NULL: all is well; else a phrase: what was wrong with the coding. What could be decoded was given. */
const char *stored_body_end(stored_body *b);

#endif

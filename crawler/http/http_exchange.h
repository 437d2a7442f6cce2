/* One request and its response for a WARC, byte for byte as they went over the wire, without the request's secrets
 * (secrets.h).
 *
 * The beginning of a body is in memory, the rest in a file without a name in the crawl's directory, so that many large
 * pages at once do not fill the memory. When the disk is full, the rest is in memory as well. */
#ifndef STRATA_CRAWLER_HTTP_EXCHANGE_H
#define STRATA_CRAWLER_HTTP_EXCHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct exchange exchange;

/* `headers`: whose values are secret beside the usual ones, as secrets_leave_out wants them; they must live as long.
 * NULL: out of memory. */
exchange *exchange_create(const char *directory, uint64_t body_max, const char *const *headers);
void exchange_free(exchange *x);  /* NULL is fine */
void exchange_begin(exchange *x); /* empty again */

typedef enum exchange_part { EXCHANGE_REQUEST, EXCHANGE_HEAD, EXCHANGE_BODY } exchange_part;

/* As the bytes go by. A second request or a second status line starts anew: only what ended the exchange counts, not
 * interim responses (1xx) and not what was tried on a connection that died. */
void exchange_add(exchange *x, exchange_part part, const char *bytes, size_t size);

/* The heads of the request and of the response, each with its empty line. */
const char *exchange_request(const exchange *x, size_t *size);
const char *exchange_head(const exchange *x, size_t *size);

/* The body with its transfer coding, if it has one. false: it could not be read back, errno says why. */
typedef void exchange_sink(void *context, const char *bytes, size_t size);
uint64_t exchange_body_size(const exchange *x);
bool exchange_body(const exchange *x, exchange_sink *sink, void *context);

bool exchange_is_cut(const exchange *x); /* more came than is kept */
int exchange_error(const exchange *x);   /* 0, or ENOMEM: not all of it could be kept */

#endif

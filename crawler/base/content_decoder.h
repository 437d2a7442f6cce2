/* crawler/base/content_decoder.h: undoes the content codings of a body as its bytes arrive, as its Content-Encoding
 * fields name them.
 *
 * As browsers and the Fetch standard ("handle content codings") do it: a name that is no coding, as in
 * "Content-Encoding: utf-8", means that the bytes are the body, whatever else is named; "identity" and empty members
 * mean nothing. The coding named last is undone first. content_stream.h says what each of them forgives. */
#ifndef STRATA_CRAWLER_CONTENT_DECODER_H
#define STRATA_CRAWLER_CONTENT_DECODER_H

#include "crawler/base/content_stream.h"

#include <stdint.h>

enum { CONTENT_CODINGS_MAX = 5 }; /* as in libcurl */

typedef struct content_codings {
  content_coding named[CONTENT_CODINGS_MAX]; /* in the order in which they were applied */
  unsigned count;                            /* also those that there is no room for */
  bool has_unknown;
} content_codings; /* all zero: the bytes are the body */

/* The members of one more Content-Encoding field. */
void content_codings_add(content_codings *c, const char *field, size_t size);

/* What we undo, as the value of an Accept-Encoding field. */
extern const char content_codings_accepted[];

typedef enum content_end {
  CONTENT_WHOLE,     /* or nothing came */
  CONTENT_CUT,       /* it ended, or broke, amid a coding; what came of it before was given */
  CONTENT_NOT_CODED, /* it is not coded as it says: nothing came of it */
  CONTENT_TOO_MUCH,  /* more than `between_max` */
} content_end;

typedef struct content_decoder content_decoder;

typedef bool content_sink(void *context, const char *bytes, size_t size); /* false: no more of them is wanted */

/* Of at least one known coding, and CONTENT_CODINGS_MAX at most. With several, what one of them makes for the next is
 * no body yet, of which the sink could have enough: it has a limit of its own. NULL: out of memory. */
content_decoder *content_decoder_create(const content_codings *c, uint64_t between_max, content_sink *sink,
                                        void *context);
void content_decoder_free(content_decoder *d); /* NULL is fine */

/* The work is linear in `size`, in what is given, and in what is made between codings. false: no more of them is
 * wanted, as the sink says, or as the limit is exceeded. What stands behind the end, or behind a fault, is taken. */
bool content_decoder_add(content_decoder *d, const char *bytes, size_t size);

content_end content_decoder_end(const content_decoder *d); /* of what came: what it would be if nothing more did */

#endif

/* The header fields of a response, line by line as they come from any version of HTTP.
 *
 * Of several heads in a row (a proxy's, interim responses) the last one counts; trailers are no part of it. */
#ifndef STRATA_CRAWLER_RESPONSE_HEAD_H
#define STRATA_CRAWLER_RESPONSE_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct response_head {
  char *text; /* name NUL value NUL, again and again */
  size_t size, room;
  uint64_t names; /* a bit for each, some share one */
  bool has_ended;
} response_head; /* all zero: empty */

void response_head_clear(response_head *h);
void response_head_free(response_head *h);

/* One line with its end. What is no field, or more than 256 KiB of them, is left out; so are blanks before the colon.
 * A line that begins with a blank goes on with the last value. false: out of memory. */
bool response_head_add(response_head *h, const char *line, size_t size);

/* The next value of that name, whatever its case, behind `value`, which was returned before; NULL: the first. Blanks
 * around it are taken off. NULL after the last. To go through all of them is linear. */
const char *response_head_next(const response_head *h, const char *name, const char *value);

/* All values of that name, with ", " between them, as if one line had been sent (RFC 9110, 5.3); NULL: none, or out of
 * memory. Once the head has ended: no line is added any more. Other values that were returned before are not valid. */
const char *response_head_joined(response_head *h, const char *name);

/* Of Retry-After, seconds or a date (RFC 9110, 10.2.3); 0: there is none, or it is over. */
uint64_t response_head_retry_after_s(const response_head *h, uint64_t now_s);

#endif

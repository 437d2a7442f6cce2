/* The head of an HTTP/1.1 message, as it was received: a start line, header lines, an empty line (RFC 9112). */
#ifndef STRATA_CRAWLER_HTTP_HEAD_H
#define STRATA_CRAWLER_HTTP_HEAD_H

#include <stdbool.h>
#include <stddef.h>

/* Of the status line, whatever its case, as browsers read it; 0 if it is none. */
int http_head_status(const char *head, size_t size);

/* Of a status: is its Location followed (Fetch, "redirect status")? A 300 is a page with choices, a 304 is about what
 * we have, and a 305 named a proxy. */
static inline bool http_status_redirects(long status)
{
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

/* Is its body what was asked for? That of a redirect is, if it leads nowhere. */
static inline bool http_status_has_page(long status, bool leads)
{
  return (status >= 200 && status <= 299) || status == 300 || (http_status_redirects(status) && !leads);
}

/* The value of the next header of that name behind `value`, which was returned before, of its size; NULL: the first.
 * Blanks around it are taken off; one of several lines has the ends of them in it. NULL after the last. */
const char *http_head_next(const char *head, size_t size, const char *name, const char *value, size_t *value_size);

/* The value of the last header of that name, blanks around it taken off; NULL if there is none. */
const char *http_head_find(const char *head, size_t size, const char *name, size_t *value_size);

/* Is the value of that header this word, whatever its case? Of a list, the last element counts: the coding that was
 * applied last. */
bool http_head_says(const char *head, size_t size, const char *name, const char *word);

#endif

/* Secrets in a request, such as passwords and cookies: they are sent to the server, and never written to a file. */
#ifndef STRATA_CRAWLER_SECRETS_H
#define STRATA_CRAWLER_SECRETS_H

#include <stddef.h>

/* Takes the lines of Authorization, Proxy-Authorization, Cookie and of each of `headers` ("Name: value", NULL ends
 * them, or NULL for none) out of a request's head, in place; its new size. A head cut off in mid-line is fine. */
size_t secrets_leave_out(char *head, size_t size, const char *const *headers);

#endif

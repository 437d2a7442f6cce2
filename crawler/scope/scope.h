/* Scope: which URLs belong to the crawl.
 *
 *   host     same host and port as a start URL, http or https
 *   prefix   as host, and the path begins with a start URL's path up to its last slash
 *   domain   the registrable domain of a start URL, with any name below it and any port
 *   any      the whole web
 *   origin   scheme, host and port of a start URL: not a crawl's scope, but who is told its passwords
 *
 * The set grows when start URLs are added, and by the host a start URL redirects to (example.org -> www.example.org
 * is one site to its visitors). It is kept in the crawl's directory as text, so a resumed crawl has the same. */
#ifndef STRATA_CRAWLER_SCOPE_H
#define STRATA_CRAWLER_SCOPE_H

#include "frontier/url.h"

typedef enum scope_kind { SCOPE_HOST, SCOPE_PREFIX, SCOPE_DOMAIN, SCOPE_ANY, SCOPE_ORIGIN } scope_kind;

const char *scope_kind_name(scope_kind kind);
bool scope_kind_from_name(const char *name, scope_kind *kind); /* of those that a crawl may have */

typedef struct scope scope;

scope *scope_create(scope_kind kind); /* NULL: out of memory */
void scope_free(scope *s);
scope_kind scope_kind_of(const scope *s);

bool scope_add(scope *s, const url *start); /* false: out of memory */
bool scope_has(const scope *s, const url *u);
bool scope_is_dirty(const scope *s); /* grew since the last scope_write */

/* The set as text, one entry a line after a first line with the kind's name; free() it. NULL: out of memory. */
char *scope_write(scope *s, size_t *size);
scope *scope_read(const char *text, size_t size); /* NULL: not such a text, or out of memory */

#endif

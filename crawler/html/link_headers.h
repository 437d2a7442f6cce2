/* crawler/html/link_headers.h: the header fields of a response that concern links. */
#ifndef STRATA_CRAWLER_LINK_HEADERS_H
#define STRATA_CRAWLER_LINK_HEADERS_H

#include "crawler/html/links.h"

/* The links of one Link: header (RFC 8288) whose relation makes a page of their target, as <link rel> does; of kind
 * LINK_LINK. One with an anchor of its own speaks of another page and is passed over. */
void link_headers_read_link(const char *value, links_visitor *visit, void *context);

/* One X-Robots-Tag: header: what it asks of `agent` ("strata") is added to the two flags. An agent's name and a colon
 * begin what is for that agent alone, up to the next name; "*" names all. Fields may have been joined (RFC 9110, 5.3):
 * "noindex, other: none, strata: nofollow". Directives with a value (max-snippet, unavailable_after) are no agents. */
void link_headers_read_robots(const char *value, const char *agent, bool *nofollow, bool *noindex);

#endif

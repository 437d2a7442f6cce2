/* crawler/html/link_headers.h: the header fields of a response that concern links. */
#ifndef STRATA_CRAWLER_LINK_HEADERS_H
#define STRATA_CRAWLER_LINK_HEADERS_H

#include "crawler/html/links.h"

/* The links of one Link: header (RFC 8288) whose relation makes a page of their target, as <link rel> does; of kind
 * LINK_LINK. One with an anchor of its own speaks of another page and is passed over. */
void link_headers_read_link(const char *value, links_visitor *visit, void *context);

/* One X-Robots-Tag: header, "noindex, nofollow" or "agent: none": what it asks of `agent` ("strata") is added to the
 * two flags. */
void link_headers_read_robots(const char *value, const char *agent, bool *nofollow, bool *noindex);

#endif

/* crawler/robots/robots.h: what a robots.txt allows, by RFC 9309.
 *
 * Parsed once per host for one agent; matching needs no allocation. Longest match wins, Allow wins a tie, `*` and `$`
 * as in section 2.2.3, groups of one agent merged, and the typos that Google's parser accepts. Only the first 500 KiB
 * are read (section 2.5). */
#ifndef STRATA_CRAWLER_ROBOTS_H
#define STRATA_CRAWLER_ROBOTS_H

#include <stdbool.h>
#include <stddef.h>

enum { ROBOTS_SIZE_MAX = 500 * 1024 };

typedef struct robots robots;

/* `agent` is the product token ("strata"), matched case-insensitively. Never fails on bad text, it has no
 * bad text; NULL only when out of memory. */
robots *robots_parse(const char *text, size_t size, const char *agent);
void robots_free(robots *rules);

size_t robots_memory(const robots *rules); /* bytes it takes */

/* The rules without the sitemaps, to be kept elsewhere for a while, in this process: malloc'd, `*size` bytes. NULL: out
 * of memory. */
void *robots_pack(const robots *rules, size_t *size);
robots *robots_unpack(const void *packed, size_t size); /* NULL: out of memory, or not packed so */
robots *robots_copy(const robots *rules);               /* without the sitemaps, too; NULL: out of memory */

/* May `agent` fetch this path (with query, as in the request line)? If `rule` is not NULL it gets the
 * deciding line ("disallow: /private") or "" when none matched; it lives as long as `rules`. The line is as
 * hostile as the file: escape it before printing. /robots.txt itself is always allowed.
 * Cost: the rules of the agent's groups, longest first, until one matches; a file made to take longer than some 10 ms
 * denies. */
bool robots_allows(const robots *rules, const char *path, size_t size, const char **rule);

/* Seconds between fetches asked for by Crawl-delay, the longest if several, at most 10^9; negative if none. */
double robots_crawl_delay(const robots *rules);

/* The i-th Sitemap: line's URL as it stands, perhaps relative; NULL past the last. They are for every agent. */
const char *robots_sitemap(const robots *rules, size_t index);

#endif

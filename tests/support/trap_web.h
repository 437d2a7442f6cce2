/* tests/support/trap_web.h: an ordinary site, and URL spaces without end that its pages lead to. A page is a function:
 * it gives the links that the page under `path` has. */
#ifndef STRATA_TESTS_TRAP_WEB_H
#define STRATA_TESTS_TRAP_WEB_H

enum { TRAP_WEB_PAGES = 1000 /* of the site */ };

typedef void trap_link_taker(void *context, const char *format, ...) __attribute__((format(printf, 2, 3)));
typedef void trap_web(const char *path, trap_link_taker *take, void *context);

trap_web trap_calendar;       /* /cal/2026/6/15: each part is known soon */
trap_web trap_sessions;       /* /shop/item1?sid=...: a new one with each visit */
trap_web trap_relative_links; /* /wiki/news/images/news/...: longer and longer */
trap_web trap_facets;         /* /list?color=1&size=2&brand=3&page=4 */
trap_web trap_days;           /* /agenda?day=2026-06-15: no part is ever known */
trap_web trap_filters;        /* /shop?a=1&c=3: what is not chosen is left out, so that there are fifteen directories */

/* The site: a tree of TRAP_WEB_PAGES pages below /docs/, each of which leads into `beside` as well. Any other path is
 * `beside`'s. */
void trap_web_site(const char *path, trap_web *beside, trap_link_taker *take, void *context);

unsigned trap_web_hash(const char *text);

#endif

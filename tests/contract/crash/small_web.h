/* tests/contract/crash/small_web.h: pages that exist only as numbers, and how a crawl of them is reported to an
 * auditor.
 *
 * Every page links to the next one, so all are reachable from page 0 and the truth is known. */
#ifndef STRATA_TESTS_CRASH_SMALL_WEB_H
#define STRATA_TESTS_CRASH_SMALL_WEB_H

#include <stdint.h>
#include <stdio.h>

enum { WEB_PAGES = 4000, WEB_LINKS = 6, WEB_HOSTS = 23, WEB_URL_SIZE = 64 };

/* What happened, said when the call had returned: by one write, which a pipe keeps whole. */
typedef enum report_kind {
  REPORT_ACCEPTED, /* frontier_add called this page new */
  REPORT_FOUND,    /* frontier_add could not say yet whether this page is new */
  REPORT_LEASED,
  REPORT_RELEASED,
  REPORT_DONE,     /* frontier_done, with the page's number as journal line */
  REPORT_SYNCED,   /* frontier_sync said OK: all that was reported before is committed */
  REPORT_FINISHED, /* nothing is left, and frontier_close said OK */
  REPORT_LATE,     /* nothing is left, and `page` URLs, of all lives, turned out to be new later */
  REPORT_FAILED,   /* a call failed; the driver gives up */
} report_kind;

typedef struct report {
  uint32_t kind, page;
} report;

static inline uint32_t web_link(uint32_t page, uint32_t number)
{
  uint32_t x = (page * WEB_LINKS + number + 1) * 2654435761u;
  return number == 0 ? (page + 1) % WEB_PAGES : (x ^ x >> 15) % WEB_PAGES;
}

static inline int web_url(uint32_t page, char text[WEB_URL_SIZE])
{
  return snprintf(text, WEB_URL_SIZE, "http://h%u.test/p/%u", (unsigned)(page % WEB_HOSTS), (unsigned)page);
}

#endif

/* tests/contract/web/score.h: a crawl held against the truth, request by request. */
#ifndef STRATA_TESTS_WEB_SCORE_H
#define STRATA_TESTS_WEB_SCORE_H

#include "tests/contract/web/serve_log.h"

typedef struct score {
  uint64_t requests, bytes, first_ms, last_ms;
  uint64_t robots;                       /* requests for robots.txt */
  uint64_t wanted;                       /* pages that should have been fetched */
  uint64_t fetched;                      /* of them, those that were: 200, whole */
  uint64_t missed_resting, missed_flaky; /* of those missed: on hosts that rest; flaky, or behind such */
  uint64_t again;                        /* requests for what had come whole before, whatever its spelling */
  uint64_t too_soon;      /* requests to a host name within 95 % of its delay; robots.txt is not counted */
  uint64_t before_robots; /* requests to a host that had not been asked for robots.txt by that scheme and name */
  uint64_t barred;        /* requests for what robots.txt forbids */
  uint64_t elsewhere;     /* out of scope */
  uint64_t unlinked;      /* for pages to which nothing leads */
  uint64_t unknown;       /* for URLs that are none of this web */
  uint64_t endless;       /* for URLs without end */
  uint64_t failures;      /* answered by 429, 5xx, a reset or a cut */
} score;

typedef struct judge judge;

/* `delay_ms`: what the crawler promises to leave between two requests to a host; Crawl-delay comes on top. Memory: some
 * 32 bytes a host, and 16 for each URL fetched. */
judge *judge_create(const web *w, const web_rules *rules, uint64_t delay_ms);
void judge_free(judge *j);
void judge_take(judge *j, const serve_log_line *line); /* in the order of the log */
score judge_end(judge *j);                             /* looks what is missing */

#endif

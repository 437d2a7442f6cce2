/* tests/support/crawl_case.h: a test case that crawls a generated site with the whole program, and judges what came of
 * it. */
#ifndef STRATA_TESTS_CRAWL_CASE_H
#define STRATA_TESTS_CRAWL_CASE_H

#include "tests/site/judge.h"
#include "tests/site/trial.h"

#define STRATA(t, ...) trial_strata(t, (const char *const[]){__VA_ARGS__, NULL})
/* Words of a crawl that need not be polite and may visit this machine. */
#define CRAWL "crawl", "--dir", "DIR", "--delay", "0", "--allow-private"

/* The seed is printed. NULL only if a port was asked for and cannot be had. */
trial *case_serve(const trial_options *options);
trial *case_serve_site(uint64_t seed, uint32_t entries);
int case_end(void **state); /* the teardown of each case */

/* What the server saw, and what pages.jsonl says, against the site. */
verdict case_requests(trial *t, const judge_rules *rules);
verdict case_pages(trial *t, const judge_rules *rules);
void case_assert_perfect(verdict v);

/* A program that was told to be quiet, or has no terminal, still says what went wrong: it is shown. */
void case_assert_code(trial *t, int code, int expected);

#endif

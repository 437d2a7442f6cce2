/* tests/site/small.h: a site of a few pages that a test writes out by hand, and what a crawl of it fetched. */
#ifndef STRATA_TESTS_SITE_SMALL_H
#define STRATA_TESTS_SITE_SMALL_H

#include "tests/site/raw.h"
#include "tests/site/trial.h"

typedef struct small_page {
  const char *target; /* of the request; NULL ends the list */
  const char *answer; /* the whole response, head and body */
} small_page;

#define SMALL_HEAD "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: "
#define SMALL_HTML SMALL_HEAD "text/html\r\n\r\n"
#define SMALL_LEAF SMALL_HTML "leaf"

/* Serves the pages (404 for all else) from a process of its own; `trial->url` leads there. Before small_open returns,
 * `small_port` has the port. */
typedef struct small {
  trial *trial;
  pid_t server;
} small;

extern unsigned small_port;

small small_open(const small_page *pages);
small small_open_with(raw_answer *answer); /* one that answers as the test likes */
void small_close(small *s);

/* Runs strata with these words, "DIR" and "URL" as for trial_strata; its exit code. What it said is shown if that is
 * not `expected`. */
int small_strata(small *s, const char *const words[], int expected);

/* The request targets of pages.jsonl in the order of strcmp, each with a blank behind it; those of sitemaps in
 * brackets. Free the text. */
text small_fetched(const small *s);

#endif

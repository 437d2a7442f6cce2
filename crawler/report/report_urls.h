/* Which line of pages.jsonl counts for a URL: the last one, as a URL that was fetched again has several. A 304, and a
 * body that did not change, leave the page as it was: then the line that had it counts. 16 bytes a URL, and as many
 * free. */
#ifndef STRATA_CRAWLER_REPORT_URLS_H
#define STRATA_CRAWLER_REPORT_URLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct report_urls report_urls;

report_urls *report_urls_create(void); /* NULL: no memory */
void report_urls_free(report_urls *u); /* NULL is fine */

/* A line, in order; `line` is its number, and `body` a hash of its body, 0: it has none. false: no memory. */
bool report_urls_add(report_urls *u, const char *address, uint64_t line, uint64_t status, uint64_t body);

/* Once all are added. A URL that was not is OLD. */
typedef enum report_line {
  REPORT_LINE_OLD,  /* another line counts, of another body */
  REPORT_LINE_SAME, /* another line counts, of the same body */
  REPORT_LINE_COUNTS,
} report_line;
report_line report_urls_look(const report_urls *u, const char *address, uint64_t line, uint64_t body);

uint64_t report_urls_count(const report_urls *u);
uint64_t report_urls_unchanged(const report_urls *u); /* as they were when they were fetched last */
bool report_urls_is_any_again(const report_urls *u);  /* has several lines */

#endif

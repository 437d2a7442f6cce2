/* The report of a crawl as one HTML page: nothing fetched from anywhere, all strings escaped, no script
 * but its own, which sorts and filters tables. */
#ifndef STRATA_CRAWLER_REPORT_HTML_H
#define STRATA_CRAWLER_REPORT_HTML_H

#include "crawler/report/audit_data.h"
#include "crawler/report/report_data.h"
#include "crawler/report/trap_list.h"
#include "frontier/frontier.h"

#include <stdio.h>

typedef struct report_input {
  const char *directory;
  const report_data *data;
  frontier *frontier;
  const frontier_stats *stats;
  const trap_list *traps;
  audit_data *audit; /* NULL: it was none */
} report_input;

/* A link, if it is a URL of the web; else text. */
void report_put_url(FILE *to, const char *address);

/* false: `to` failed. */
bool report_html_write(FILE *to, const report_input *input);

#endif

/* The report of a crawl as one HTML page: no script, nothing fetched from anywhere, all strings escaped. */
#ifndef STRATA_CRAWLER_REPORT_HTML_H
#define STRATA_CRAWLER_REPORT_HTML_H

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
} report_input;

/* false: `to` failed. */
bool report_html_write(FILE *to, const report_input *input);

#endif

/* What the panel says, in words, without a terminal. */
#ifndef STRATA_CRAWLER_PANEL_TEXT_H
#define STRATA_CRAWLER_PANEL_TEXT_H

#include "crawler/report/panel.h"

typedef struct panel_facts {
  const crawl *crawl; /* NULL: no hosts and no errors are shown */
  const frontier *frontier;
  const crawl_options *caps;
  crawl_totals totals; /* of this run */
  frontier_stats stats;
  double pages_rate, bytes_rate; /* a second, lately */
} panel_facts;

enum { PANEL_TEXT_LINE = 512 };

typedef struct panel_text {
  struct {
    char text[PANEL_TEXT_LINE];
    bool is_error;
  } lines[PANEL_LINES_MAX];
  size_t count;
} panel_text;

void panel_text_write(const panel_facts *facts, panel_text *text);

/* The same in one line, for logs. Returns `line`. */
const char *panel_text_plain(const panel_facts *facts, char line[PANEL_TEXT_LINE]);

/* Seconds until a cap of pages or time is reached at this rate; < 0: there is no cap, or no rate. */
double panel_text_left(const crawl_options *caps, uint64_t pages_ever, double seconds, double rate);

#endif

/* The live panel: a few lines on a terminal, redrawn in place. Where stderr is no terminal, or when asked, a plain line
 * every few seconds instead. */
#ifndef STRATA_CRAWLER_PANEL_H
#define STRATA_CRAWLER_PANEL_H

#include "crawler/loop/crawl.h"

typedef enum panel_kind { PANEL_NONE, PANEL_LINES, PANEL_LIVE } panel_kind;

enum { PANEL_LINES_MAX = 16 };

typedef struct panel {
  frontier *frontier;
  const crawl_options *caps; /* for the time left */
  panel_kind kind;
  bool is_utf8, has_color;
  size_t widths[PANEL_LINES_MAX]; /* of the lines that are drawn: */
  size_t drawn;
  uint64_t last_pages, last_bytes; /* when the rates were taken */
  double last_seconds, said_seconds;
  double pages_rate, bytes_rate; /* a second, lately */
} panel;

/* `quiet`: nothing at all; `plain`: lines, on a terminal too. */
panel panel_create(frontier *f, const crawl_options *caps, bool quiet, bool plain);
void panel_tick(void *panel, const crawl *c); /* a crawl_tick */
void panel_clear(panel *p);                   /* the terminal as it was before */

#endif

/* The live panel: three lines on a terminal, redrawn in place. Draws nothing elsewhere. */
#ifndef STRATA_CRAWLER_PANEL_H
#define STRATA_CRAWLER_PANEL_H

#include "crawler/crawl.h"

typedef struct panel {
  frontier *frontier;
  bool is_on;          /* stderr is a terminal that can move its cursor */
  bool is_drawn;
  uint64_t last_pages;
  double last_seconds;
  double rate;         /* pages a second, lately */
} panel;

panel panel_create(frontier *f);
void panel_tick(void *panel, const crawl *c); /* a crawl_tick */
void panel_clear(panel *p);                   /* the terminal as it was before */

#endif

/* How a crawl on many machines is doing, on stderr: a line redrawn on a terminal, a line every ten seconds elsewhere if
 * asked; and its end. */
#ifndef STRATA_CRAWLER_CLUSTER_PANEL_H
#define STRATA_CRAWLER_CLUSTER_PANEL_H

#include "crawler/cluster/broker.h"
#include "crawler/commands/crawl_args.h"

typedef struct cluster_panel {
  broker *broker;
  uint32_t partitions;
  bool is_shown, is_live;
  bool is_drawn; /* a line stands on the terminal */
  uint64_t asked_ms, said_ms;
  uint64_t pages, waiting, travelling, alive, heard; /* of all that said so, lately, or ever: `heard` */
  double rate;
} cluster_panel;

cluster_panel cluster_panel_create(broker *b, uint32_t partitions, bool is_quiet, bool wants_lines);
void cluster_panel_tick(cluster_panel *p, uint64_t now_ms);
void cluster_panel_clear(cluster_panel *p);

/* At the end: of all partitions, each said how it is, and that it has none, and none to come: at a limit some wait. */
bool cluster_panel_has_no_page(cluster_panel *p);

/* What the partitions of this machine have, in words, and how to go on. */
void cluster_panel_conclude(const crawl_args *args, const char *directory, const uint32_t *partitions, size_t count,
                            int code);

#endif

/* crawl --metrics PORT|FILE: the counters of a crawl for machines, over HTTP or in a file. */
#ifndef STRATA_CRAWLER_METRICS_OUTPUT_H
#define STRATA_CRAWLER_METRICS_OUTPUT_H

#include "crawler/http/scrape_server.h"
#include "crawler/report/metrics.h"

typedef struct metrics_output {
  scrape_server *server; /* NULL: a file, or nothing at all */
  const char *path;      /* of the file; NULL: none */
  char directory[4096];  /* that it lies in */
  uint64_t written_ms;   /* the last time */
  bool has_told;         /* that it could not be written */
} metrics_output;

/* `where`: digits are a port of 127.0.0.1, whose path /metrics answers, and 0 any that is free; all else is a file.
 * NULL: nothing is wanted. Before the crawl is confined. false after one sentence. */
bool metrics_output_open(metrics_output *o, const char *where);

/* Of digits, a port. false: they are too many. */
bool metrics_output_is_port(const char *where, uint16_t *port);

/* A turn, in the crawl's tick: the server's, or once a second the file's. `is_end`: the file is written in any case. */
void metrics_output_turn(metrics_output *o, const metrics *m, bool is_end);

void metrics_output_close(metrics_output *o);

#endif

/* Where a process stands in a crawl on many machines (crawl --cluster): from cluster_launch.c, for crawl_job.c. */
#ifndef STRATA_CRAWLER_CLUSTER_PLACE_H
#define STRATA_CRAWLER_CLUSTER_PLACE_H

#include "crawler/cluster/cluster_name.h"
#include "crawler/cluster/definition.h"
#include "frontier/frontier.h"

/* Of a worker whose directory is history: who started it sets that aside, as the worker has no right to (confine.h). */
enum { CLUSTER_EXIT_SUPERSEDED = 64 };

typedef struct cluster_place {
  bool is_scout;  /* follows start URLs' redirects for the scope, keeps nothing else, and writes it to: */
  int scope_fd;   /* of the scout */
  bool is_worker; /* has a partition: */
  bool is_new;    /* the crawl */
  uint32_t partitions, partition;
  uint8_t route_key[FRONTIER_ROUTE_KEY_BYTES];
  cluster_name name;
  char *password; /* NULL: none */
  char *scope;    /* as scope_write has it; NULL: --scope any */
  definition definition;
  char copies[4096];    /* of --snapshot-to, absolute */
  char directory[4096]; /* of a worker */
  bool was_lost;        /* the partition: others must not take this one for it */
} cluster_place;

#endif

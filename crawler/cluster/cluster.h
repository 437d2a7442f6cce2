/* crawler/cluster/cluster.h: one partition's part in a crawl on many machines.
 *
 * It takes the turns of a crawl's loop: claims its partition, carries URLs, finds out that all is over, and says how it
 * is. Without the server the crawl goes on with its own hosts; what is for others waits on disk. */
#ifndef STRATA_CRAWLER_CLUSTER_H
#define STRATA_CRAWLER_CLUSTER_H

#include "crawler/cluster/broker.h"
#include "frontier/exchange.h"

typedef struct cluster cluster;

typedef struct cluster_options {
  const cluster_name *name;
  const char *password;
  const char *directory;  /* of this partition */
  const char *definition; /* put back into an emptied server */
  const char *scope;      /* as above; NULL: none is fixed */
  bool keeps_copies;      /* as in frontier_options: last_copy.h says of them */
  bool is_new;            /* the crawl: nobody else can have the partition */
} cluster_options;

/* Borrows `f`, copies the rest. NULL: out of memory. */
cluster *cluster_create(frontier *f, const cluster_options *options);
void cluster_free(cluster *c);

/* Waits until the partition is ours. false: `message` says why it is not, and never will be. `say` is told once what it
 * waits for. */
bool cluster_claim(cluster *c, void (*say)(const char *sentence), char message[BROKER_MESSAGE]);

/* A turn of the crawl's loop. `is_done`: nothing more is fetched here, though URLs may wait (a cap). */
frontier_status cluster_turn(cluster *c, const frontier_inbox_rules *rules, bool is_done, uint64_t now_ms);

typedef enum cluster_state {
  CLUSTER_GOES_ON,
  CLUSTER_OVER,       /* of all partitions */
  CLUSTER_STOPPED,    /* strata cluster stop */
  CLUSTER_SUPERSEDED, /* another process has a later life of this directory: set it aside */
  CLUSTER_FAILED,     /* cluster_message says why */
} cluster_state;
cluster_state cluster_state_of(cluster *c);
const char *cluster_message(const cluster *c);

/* Says for the last time how it is; the frontier is not needed any more then. */
void cluster_end(cluster *c);
/* When the frontier is closed: gives the partition back, and waits for that a little. */
void cluster_leave(cluster *c);

#endif

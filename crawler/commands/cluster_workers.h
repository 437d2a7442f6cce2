/* The processes of crawl --cluster on this machine. */
#ifndef STRATA_CRAWLER_CLUSTER_WORKERS_H
#define STRATA_CRAWLER_CLUSTER_WORKERS_H

#include "crawler/cluster/broker.h"
#include "crawler/commands/crawl_args.h"

#include <sys/types.h>

typedef struct partition_list {
  uint32_t *numbers; /* owned */
  size_t count;
  size_t without_owner; /* of the others */
  bool is_crawled;      /* by somebody, somewhere, just now: some partition has an owner */
} partition_list;

/* Which partitions are crawled here: those of --own, or all that have a directory here, or as many that nobody ever had
 * as there are cores, four at least. An exit code, after one sentence if there are none. */
int partitions_choose(const crawl_args *args, broker *b, const char *directory, partition_list *list);

/* A child that ends with this process. 0: in the child. < 0 after one sentence. */
pid_t cluster_fork(void);
int cluster_reap(pid_t child); /* its exit code; EXIT_FAILED if it died */

/* A worker for each, until all have ended; the gravest of their exit codes. OPTIONS_READ in a worker. */
int cluster_run_workers(crawl_args *args, broker *b, const char *directory, const partition_list *list);

#endif

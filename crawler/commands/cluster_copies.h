/* Copies of this machine's partitions elsewhere (crawl --cluster --snapshot-to DIR), from which a lost one is restored:
 *
 *     DIR/p-003-life-1-20261124T101500Z    p-003 as of a commit then; a crawl's directory
 *
 * One is made at a time, by a child of this process, while the workers go on. The next one replaces it. */
#ifndef STRATA_CRAWLER_CLUSTER_COPIES_H
#define STRATA_CRAWLER_CLUSTER_COPIES_H

#include "crawler/commands/crawl_args.h"

#include <sys/types.h>

typedef struct cluster_copies {
  const char *directory; /* DIR, absolute; NULL: none are made */
  const char *command;   /* of --snapshot-with; NULL: none */
  uint64_t every_ms;
  const char *root;        /* where the partitions are */
  const uint32_t *numbers; /* of partitions, `count` of them; borrowed, as all of these */
  uint64_t *due_ms;        /* of each, by the wall clock; owned */
  size_t count, current;   /* the one that is copied */
  pid_t child;             /* 0: none is */
} cluster_copies;

/* The directory of a partition. */
void cluster_partition_path(const char *directory, uint32_t partition, char path[4096]);

/* false: out of memory. */
bool cluster_copies_begin(cluster_copies *c, const crawl_args *args, const char *root, const uint32_t *numbers,
                          size_t count);
void cluster_copies_turn(cluster_copies *c); /* begins what is due. Never waits */
/* Ends: one that is being made is given up. `is_over`: the crawl is, so that all are made once more, with time. */
void cluster_copies_end(cluster_copies *c, bool is_over);

#endif

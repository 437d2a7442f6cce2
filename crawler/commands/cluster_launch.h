/* crawl --cluster: from the command line to one process for each partition of this machine. */
#ifndef STRATA_CRAWLER_CLUSTER_LAUNCH_H
#define STRATA_CRAWLER_CLUSTER_LAUNCH_H

#include "crawler/commands/crawl_args.h"

/* In the process that was called: agrees with others on what is crawled, starts workers, shows how they are doing, and
 * waits for them; their exit code, the highest first, after one sentence where it failed.
 * In each worker, and in the process that looks where start URLs lead: OPTIONS_READ; `args` are then its own, and it
 * crawls as any crawl does. */
int cluster_launch(crawl_args *args);

#endif

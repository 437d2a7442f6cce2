/* The seed URLs of a crawl, in order: those of the command line, then the lines of --seeds. */
#ifndef STRATA_CRAWLER_SEEDS_H
#define STRATA_CRAWLER_SEEDS_H

#include "crawler/commands/crawl_args.h"
#include "datasets/read/reader.h"

typedef struct seeds seeds;

/* NULL after one sentence on stderr: the file cannot be read. */
seeds *seeds_open(const crawl_args *args);
void seeds_close(seeds *s);

typedef enum seeds_next_result { SEEDS_URL, SEEDS_NONE_LEFT, SEEDS_BAD, SEEDS_CUT } seeds_next_result;

/* The next one. A bad URL on the command line is SEEDS_BAD, after one sentence on stderr; a bad line of the file
 * is counted and passed over. SEEDS_CUT: the waiter gave up. */
seeds_next_result seeds_next(seeds *s, url *out);

/* From now on `wait` is called before each read of the file, which may be a pipe; it returns false with ECANCELED. */
void seeds_before_read(seeds *s, dataset_waiter *wait, void *context);

/* Bad lines of the file, said on stderr: how many, and the first few with their numbers. */
void seeds_report(const seeds *s);

#endif

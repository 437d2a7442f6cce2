/* The start URLs of a crawl, in order: those of the command line, then the lines of --seeds. */
#ifndef STRATA_CRAWLER_SEEDS_H
#define STRATA_CRAWLER_SEEDS_H

#include "crawler/commands/crawl_args.h"

typedef struct starts starts;

/* NULL after one sentence on stderr: the file cannot be read. */
starts *starts_open(const crawl_args *args);
void starts_close(starts *s);

typedef enum starts_next_result { START_URL, START_NONE_LEFT, START_BAD } starts_next_result;

/* The next one. A bad URL on the command line is START_BAD, after one sentence on stderr; a bad line of the file
 * is counted and passed over. */
starts_next_result starts_next(starts *s, url *out);

/* Bad lines of the file, said on stderr: how many, and the first few with their numbers. */
void starts_report(const starts *s);

#endif

/* strata inlinks --delta and --apply: in-link counts exported from one crawl and added to another. */
#ifndef STRATA_CRAWLER_INLINKS_DELTA_H
#define STRATA_CRAWLER_INLINKS_DELTA_H

/* Writes how much the counts in directory `newer` grew since `older` into the files OUTPUT.0, OUTPUT.1, ...
 * EXIT_DONE, or EXIT_FAILED after one sentence on stderr; then nothing was written. */
int inlinks_delta_write(const char *older, const char *newer, const char *output);

/* Add such files to the counts of the crawl in `directory`; no crawl may run there meanwhile. The same. */
int inlinks_delta_apply(const char *delta, const char *directory);

#endif

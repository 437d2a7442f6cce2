/* The files of a crawl beside its frontier, copied while they may be in use. */
#ifndef STRATA_CRAWLER_SNAPSHOT_FILES_H
#define STRATA_CRAWLER_SNAPSHOT_FILES_H

#include <stdbool.h>

/* Copies the regular files of `from`, and those of the directories in it, to the directory `to`; no frontier, no
 * pages.jsonl, which frontier_snapshot copies, and no link is followed. Called after that: what a file has behind the
 * commit is cut off by the next run, as after a crash. false after one sentence on stderr. */
bool snapshot_copy_files(const char *from, const char *to);

/* Removes `path` and all below it, as far as it can. */
void snapshot_remove(const char *path);

#endif

/* A crawl, copied while it may be in use. */
#ifndef STRATA_CRAWLER_SNAPSHOT_FILES_H
#define STRATA_CRAWLER_SNAPSHOT_FILES_H

#include "frontier/frontier.h"

#include <stdbool.h>

/* Copies the crawl in `directory`, of which `f` is a handle that was opened with pages.jsonl as its journal if it has
 * that, to the directory `to`, which is there: first its frontier and pages as of the last commit, then the other
 * regular files, and those of the directories in it; no link is followed. What these have behind the commit is cut off
 * by the next run, as after a crash. false after one sentence on stderr, said for `command`. */
bool snapshot_copy_crawl(const char *command, frontier *f, const char *directory, const char *to, bool has_pages);

/* Removes `path` and all below it, as far as it can. */
void snapshot_remove(const char *path);

#endif

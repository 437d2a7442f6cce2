/* The main filter's file: which is valid, and what opens from it. A part of the handle (part.h). */
#ifndef STRATA_FRONTIER_CHECKPOINT_H
#define STRATA_FRONTIER_CHECKPOINT_H

#include "frontier/core/progress.h"

typedef struct checkpoint {
  uint64_t keys; /* of the hash log, those that the main filter's file holds; 0: no file is valid */
  unsigned slot; /* 0 or 1: the file that is valid */
} checkpoint;

void checkpoint_go_on(checkpoint *c, const progress *p); /* at open */
void checkpoint_say(const checkpoint *c, progress *p);   /* its present state */

frontier_status seen_load(frontier *f); /* the main filter, mapped, and a young one with the newer log */
/* As one filter in memory, of the main one's kind and rate, for what unites and compares filters: seen_take_filter. */
frontier_status seen_load_whole(frontier *f);

void checkpoint_path(const frontier *f, unsigned slot, char path[4096]);
mlbf_filter *checkpoint_map(const frontier *f, unsigned slot); /* NULL: none that fits, or damaged */
/* Of a main filter; `profile` must live as long. */
mlbf_options checkpoint_filter_options(const frontier *f, uint64_t keys, char profile[URL_PROFILE_NAME_SIZE]);

/* An empty filter; on failure the message says which option is wrong. */
frontier_status checkpoint_filter_create(frontier *f, const mlbf_options *options, mlbf_filter **filter);

bool checkpoint_is_worthwhile(const frontier *f); /* at close, for the next open */
void checkpoint_lose(frontier *f);                /* the files are gone: the next one is worthwhile */

#endif

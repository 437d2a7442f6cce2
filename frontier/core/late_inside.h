/* What late*.c share: private to them. */
#ifndef STRATA_FRONTIER_LATE_INSIDE_H
#define STRATA_FRONTIER_LATE_INSIDE_H

#include "frontier/core/state.h"

/* frontier_fail, with the directory's name before the message. */
frontier_status late_failed(frontier *f, frontier_status status, const char *message);
/* Is the key known? DAMAGED: a run is a gap from now on. */
frontier_status late_ask_runs(frontier *f, mlbf_hash128 key, bool *is_known);

/* late_pass.c */
struct late_lot *late_lot_create(void); /* NULL: no memory */
frontier_status late_pass_begin(frontier *f);
/* A lot of keys, or what is left of one because the open batch was full. After the last the pass is over. */
frontier_status late_pass_step(frontier *f);
void late_pass_abandon(frontier *f); /* it is begun again later */
void late_pass_check(const frontier *f);

/* late_upkeep.c: parts of the log that are in no run. */
bool late_has_gap(const frontier *f);
frontier_status late_fill_part(frontier *f, uint64_t from, uint64_t to);

#endif

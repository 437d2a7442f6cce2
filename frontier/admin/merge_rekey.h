/* A crawl whose keys were hashed with another secret: they are made again from its URLs. For merge.c. */
#ifndef STRATA_FRONTIER_MERGE_REKEY_H
#define STRATA_FRONTIER_MERGE_REKEY_H

#include "frontier/core/state.h"

/* The seen keys, and all that is read of it from now on, as of one commit, until it is closed. */
frontier_status rekey_load(frontier *f);

/* Every URL whose key is seen, forgotten ones left out, until `visit` returns false; NULL: they are only counted.
 * `*lost`: how many seen keys no stored URL makes: the caller's own, those of a merge, and those whose URLs a repair
 * did not find. Call rekey_load first. */
typedef bool rekey_visitor(void *context, const url *u);
frontier_status rekey_each(frontier *f, rekey_visitor *visit, void *context, uint64_t *lost);

#endif

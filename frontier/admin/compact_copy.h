/* The contents of a compacted data.mdb. For compact.c. */
#ifndef STRATA_FRONTIER_COMPACT_COPY_H
#define STRATA_FRONTIER_COMPACT_COPY_H

#include "frontier/admin/watch.h"
#include "frontier/store/store.h"
#include "mlbf/secret.h"

typedef struct compact_counts {
  uint64_t urls, states; /* rows of table text; URLs that have a state */
  uint64_t hosts, doubts;
  uint64_t bytes, whole; /* copied; and of the file, of which some are not */
  watch told;
} compact_counts;

/* All that `from` has into `to`, which is new and has the same identity: `ended` folded, hosts as they are now, text in
 * few values, no payload of URLs that ended and were not visited, no unconfirmed links that are settled. All of it as
 * of one commit. `*reading`: the failure was of `from`. */
frontier_status compact_copy(store *from, store *to, const mlbf_hasher *hasher, compact_counts *counts, bool *reading);

#endif

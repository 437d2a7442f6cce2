/* All doubts of a pass in order of their keys: a merge of the parts it has, in files and in memory. Of equal keys the
 * first found comes first. */
#ifndef STRATA_FRONTIER_DOUBT_PASS_H
#define STRATA_FRONTIER_DOUBT_PASS_H

#include "frontier/late/doubt_parts.h"

typedef struct doubt_pass doubt_pass;

/* Of parts that doubt_parts_begin_pass made ready; it ends before they do. NO_MEMORY, IO. */
frontier_status doubt_pass_create(doubt_parts *parts, doubt_pass **out, char message[FRONTIER_MESSAGE_SIZE]);
void doubt_pass_free(doubt_pass *pass); /* NULL is fine */

/* *count 0: that was all. After a failure it goes on where it was. */
frontier_status doubt_pass_next(doubt_pass *pass, numbered_key *keys, size_t max, size_t *count,
                                char message[FRONTIER_MESSAGE_SIZE]);

#endif

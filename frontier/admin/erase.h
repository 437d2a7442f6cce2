/* What was forgotten, out of the memory for good. The log still holds its keys, so `revoked` must say of each of them
 * that it does not count (tombstones.h): a row on disk and 32 to 64 bytes of memory, as long as the URL is not met
 * again. Erasing takes them out of the log, after which no row is needed.
 *
 *     filter   made anew from the log, without them       in memory, until it is saved
 *     exact    each becomes its complement, which is no URL's (seen_tombstone), if there is such a table
 *     log      the same there; both by the lot, a transaction each
 *     last     the filter's file; then one transaction that names it and deletes the rows
 *
 * Death on the way leaves keys that are erased in some places, and have tombstones: they count nowhere, and the next
 * call does the rest. In this order: one that is accepted again before is put into table and log, and so has what a key
 * has. A key that the new filter takes for seen all the same, as it does with one in a million at a rate of 1e-6, keeps
 * its row.
 *
 * A URL whose key is erased keeps its record. That the log has the complement of its key tells check and repair that
 * the key is not missing by mistake. */
#ifndef STRATA_FRONTIER_ERASE_H
#define STRATA_FRONTIER_ERASE_H

#include "frontier/core/state.h"

/* All that is forgotten, of a frontier that keeps a directory and has nothing to commit. Reads the log, and needs
 * memory for a second filter. On failure nothing is forgotten or remembered that was not before. */
frontier_status erase_forgotten(frontier *f);

#endif

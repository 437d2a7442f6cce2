/* Erases forgotten keys. The log still has these keys, so each needs a tombstone in `revoked` (tombstones.h): a row on
 * disk and 32 to 64 bytes of memory, until its URL is accepted again. Erasing takes the keys out of the log, after
 * which no row is needed.
 *
 *     filter   made anew from the log, without these keys       in memory, until it is saved
 *     log      each key becomes its complement, which no URL has (seen_tombstone); in batches, one transaction each
 *     runs     where keys are exact: not valid any more from the first of these transactions on, as they have such keys
 *     last     the filter's file; then one transaction that names it and deletes the rows
 *
 * A crash midway leaves keys that are erased in some places and still have tombstones: they are not seen, and the next
 * call does the rest. As the rows go last, a key accepted again before that call is put into the log like any new key.
 * A key that the new filter wrongly calls seen, as it does with one in a million at a rate of 1e-6, keeps its row;
 * where keys are exact it needs none. There a key of which a link is unconfirmed, which was found before it was
 * forgotten, stays in the log, and keeps its row.
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

/* Doubts: links whose keys the filter calls seen, and nothing else knows. They wait until the runs have been asked.
 *
 *     doubts_add --> row, in the open batch --commit--> table `unconfirmed`: number -> row (key, URL, origin, ...)
 *              `---> key and number, in memory: up to 65,536 --> sorted, a file "doubts.N"       in order of keys
 *
 *     a pass:  doubts_begin -- doubts_next, some at a time, in order of keys --> the caller asks the runs
 *                           -- doubts_row of each that is not known: its URL is late, and is accepted
 *              doubts_end   -- all rows that were there at doubts_begin are settled, and go
 *
 * Rows are numbered from 1 on, in the order of finding. Of equal keys in a pass the first found comes first. A pass
 * that is cut short by a crash is done again: its rows are still there, and those accepted meanwhile are known then. So
 * what is settled is a number: all rows before it (record "late").
 *
 * Files "doubts.N" are made of rows on disk only, and named in the record "late"; one that is damaged or missing is
 * made again from the rows.
 *
 * Memory: two arrays of 65,536 keys with numbers, 1.5 MiB each, and 16 KiB for each file in a pass. A pass that meets a
 * damaged file has one more array until it ends.
 *
 * Called under the handle's mutex. */
#ifndef STRATA_FRONTIER_DOUBTS_H
#define STRATA_FRONTIER_DOUBTS_H

#include "frontier/late/doubt_row.h"
#include "frontier/late/key_file.h"
#include "frontier/store/store.h"

typedef struct doubts doubts;

doubts *doubts_create(const key_place *place); /* NULL: no memory. `place` is copied */
void doubts_free(doubts *d);                   /* NULL is fine */

/* At open. `body` NULL: there is no record "late" yet. A writer makes the table if it is not there, and unlinks files
 * that are not named. Rows behind the files are read from the store, which all later calls read, too. DAMAGED: the
 * record, or a row that was needed; NO_MEMORY, IO. */
frontier_status doubts_open(doubts *d, store *s, const uint8_t *body, size_t size, bool is_writer,
                            char message[FRONTIER_MESSAGE_SIZE]);

/* ---- the transaction ---------------------------------------------------------------------------------------- */

void doubts_put(doubts *d, store *s); /* the rows added, the record "late" if it changed, and old rows to be deleted */
void doubts_sealed(doubts *d);
/* It is on disk: its rows may be settled. Files that are no longer named are unlinked. */
void doubts_landed(doubts *d);
bool doubts_is_dirty(const doubts *d); /* there is something to put */

/* ---- adding ------------------------------------------------------------------------------------------------- */

/* false: no memory, and nothing changed. */
bool doubts_add(doubts *d, const doubt_row *row);
size_t doubts_batch_bytes(const doubts *d); /* rows that no commit has yet: the open batch is full by them too */

/* ---- numbers ------------------------------------------------------------------------------------------------ */

uint64_t doubts_waiting(const doubts *d); /* rows that are not settled, those accepted late left out */
uint64_t doubts_on_disk(const doubts *d); /* rows that a pass would take, or has taken */
uint64_t doubts_late(const doubts *d);    /* rows whose URL turned out to be new, ever */

/* ---- a pass ------------------------------------------------------------------------------------------------- */

bool doubts_is_passing(const doubts *d);
/* All rows on disk now. NO_MEMORY, IO; DAMAGED: a file is, and its rows in the table, too. */
frontier_status doubts_begin(doubts *d, char message[FRONTIER_MESSAGE_SIZE]);
/* The next keys in order; *count 0: that was all. After a failure, the same as above, it may be called again. */
frontier_status doubts_next(doubts *d, numbered_key *keys, size_t max, size_t *count,
                            char message[FRONTIER_MESSAGE_SIZE]);
/* A row by its number; what it points to is valid until the next call. DAMAGED: it is, or it is missing; NO_MEMORY,
 * IO. */
frontier_status doubts_row(doubts *d, store *s, uint64_t number, doubt_row *row, char message[FRONTIER_MESSAGE_SIZE]);
void doubts_accepted(doubts *d); /* one of this pass was new: it counts as late, durably with the next commit */
/* They are settled: how many rows turned out to be of keys that were known. */
uint64_t doubts_end(doubts *d);
void doubts_abandon(doubts *d); /* the pass is begun again later, with all its rows */

/* ---- upkeep ------------------------------------------------------------------------------------------------- */

/* A full array is sorted and becomes a file, in pieces of up to two milliseconds, without waiting for the disk. A
 * failure (disk full) is tried again with later calls, and does no harm. Rows that were settled need no steps: some are
 * deleted with each commit. */
bool doubts_can_step(const doubts *d);
frontier_status doubts_step(doubts *d, char message[FRONTIER_MESSAGE_SIZE]);

/* Does one with this key wait? Searches memory and files: for look-ups, some ten microseconds. */
frontier_status doubts_has(doubts *d, mlbf_hash128 key, bool *has, char message[FRONTIER_MESSAGE_SIZE]);

/* Every row that is not settled, as committed, until `visit` returns false. DAMAGED, NO_MEMORY, IO. */
typedef bool doubts_visitor(void *context, uint64_t number, const doubt_row *row);
frontier_status doubts_each(doubts *d, store *s, doubts_visitor *visit, void *context);

#endif

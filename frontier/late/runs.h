/* Runs: all keys of the hash log once more, sorted, to find out for certain which keys are known.
 *
 *     log    |== run ==|=== run ===|= run =|.. gap ..|== run ==|= flushing =|= fresh =|
 *             files of sorted keys, by parts of the log           sorted       a set: the newest keys, in memory
 *
 * A commit's keys go into the fresh set. When it has 65,536 it is sorted and becomes a file, in steps; four files of a
 * size are merged into one, in steps. So a key is written once for each size there is, and at most three files of each
 * size stay. A part of the log that has no sound run is a gap: it is read again from the log, in steps. While there is
 * one, a key that is not found may be known all the same.
 *
 * Files are immutable; LMDB says which are valid (record "run_marks"), and for which part of the log. A run is named
 * there after its file is on disk; a file is unlinked after a commit that no longer names it. So after a crash the
 * named ones are whole, and others are of no use.
 *
 * Memory: the fresh set and the keys that are being written, 3 and 2 MiB, and some 400 KiB for each merge under way, of
 * which there is one for each size at most. Each file is an open descriptor.
 *
 * Called under the handle's mutex. */
#ifndef STRATA_FRONTIER_RUNS_H
#define STRATA_FRONTIER_RUNS_H

#include "frontier/base/limits.h"
#include "frontier/late/key_file.h"

typedef struct runs runs;

runs *runs_create(const key_place *place); /* no key is known; NULL: no memory. `place` is copied */
void runs_free(runs *r);                   /* NULL is fine; its files stay */

/* ---- the record "run_marks" -------------------------------------------------------------------------------- */

/* At open: the files that it names, of a log with so many keys; `body` NULL: none. One that is missing or damaged
 * leaves a gap. A writer unlinks all other files of runs. DAMAGED: the record contradicts itself, and all of the log is
 * a gap. NO_MEMORY, IO (no descriptor, no right): no file was unlinked. */
frontier_status runs_read_marks(runs *r, const uint8_t *body, size_t size, uint64_t log_keys, bool is_writer,
                                char message[FRONTIER_MESSAGE_SIZE]);
/* Its present state, into memory of `r`, valid until the next call; NULL: no memory. */
const uint8_t *runs_write_marks(runs *r, size_t *size);
bool runs_have_changed(const runs *r); /* since runs_sealed: the record is to be written */
bool runs_are_replaced(const runs *r); /* ... and files that were merged go once it is */
void runs_sealed(runs *r);             /* the record will be written, one at a time, */
void runs_landed(runs *r);             /* and is: files it does not name are unlinked */

/* ---- new keys ---------------------------------------------------------------------------------------------- */

/* Room for so many more in the fresh set. false: no memory. */
bool runs_make_room(runs *r, size_t keys);
/* The log's next key, in order; cannot fail in such room. */
void runs_add(runs *r, mlbf_hash128 key);
/* Those added so far end with a commit: `log_keys` keys are in the log. Chunks of the log begin and end here. If keys
 * of the commit were not added, what the fresh set had becomes a gap. */
void runs_end_commit(runs *r, uint64_t log_keys);

/* ---- gaps -------------------------------------------------------------------------------------------------- */

/* The first part of the log that is in no run, and in no memory. false: all keys are here. */
bool runs_gap(const runs *r, uint64_t *from, uint64_t *to);
enum { RUNS_GAP_KEYS = FRONTIER_LIMIT(65536, 24) }; /* to read together, up to the end of a chunk */
/* Room for so many keys of a gap; false: no memory. Then each key, then which part of the log that was. The last part
 * goes into the fresh set if it fits, any other into a file, which is written now; it makes steps due, as new keys do:
 * unless these are done between two parts, each is an open file. A reader has all parts in memory. On failure it is
 * still a gap. */
bool runs_fill_begin(runs *r, size_t keys);
bool runs_fill_add(runs *r, mlbf_hash128 key); /* false: no memory */
frontier_status runs_fill_end(runs *r, uint64_t from, uint64_t to, char message[FRONTIER_MESSAGE_SIZE]);
/* All runs are of no use, as the log was changed: everything is a gap. */
void runs_drop(runs *r);

/* ---- asking ------------------------------------------------------------------------------------------------ */

/* Which of these keys are known; they are in order, and may repeat. Damage makes a gap of the run that has it, and
 * gives DAMAGED; then, and after IO or NO_MEMORY, nothing is said of any key. */
frontier_status runs_have(runs *r, const mlbf_hash128 *sorted, size_t count, bool *has,
                          char message[FRONTIER_MESSAGE_SIZE]);

/* ---- upkeep ------------------------------------------------------------------------------------------------ */

bool runs_can_step(const runs *r);
bool runs_is_due(const runs *r); /* new keys made a step due */
/* A piece of about a millisecond: sort, write, merge. A failure (disk full) is tried again with later calls, and does
 * no harm but that the fresh set grows. DAMAGED: of a run, which is a gap now. */
frontier_status runs_step(runs *r, char message[FRONTIER_MESSAGE_SIZE]);

typedef struct runs_numbers {
  uint64_t keys, files, bytes; /* in files, and the bytes of those that are valid */
  uint64_t memory;             /* of sets, arrays and cursors */
  uint64_t written;            /* bytes, since the handle was opened */
} runs_numbers;
runs_numbers runs_count(const runs *r);

/* For a check: every key of every file, and of which part of the log it is. DAMAGED, but no gap is made. */
typedef bool runs_visitor(void *context, uint64_t from, uint64_t to, mlbf_hash128 key);
frontier_status runs_each(runs *r, runs_visitor *visit, void *context, char message[FRONTIER_MESSAGE_SIZE]);

#endif

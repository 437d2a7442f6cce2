/* The journal: a file of the caller's lines that holds a line exactly once if, and only if, its URL is
 * committed as done.
 *
 * LMDB and a file cannot commit together. So the lines of a batch are committed inside LMDB first ("owed", with
 * the file offset where they belong), and written to the file after the commit:
 *
 *     commit N: owed = (offset, lines)  ->  write lines at offset  ->  commit N+1: owed = (offset, lines, next lines)
 *
 * Once enough is owed, an fdatasync comes before the next commit, which owes only what came since. It is as slow as a
 * commit; so it is made for several of them.
 *
 * A crash before the commit: the URL is not done, and the line is not in the file. A crash after it: open writes the
 * owed lines again at their offset and truncates the file after them. A reader of the file never sees a line that is
 * removed later, which truncation alone (write, then commit) could not promise. */
#ifndef STRATA_FRONTIER_JOURNAL_H
#define STRATA_FRONTIER_JOURNAL_H

#include "frontier/frontier.h"

typedef struct journal journal;

/* What the whole file must be: so many lines, and the sum of their checksums, each with its offset for a seed. */
typedef struct journal_sum {
  uint64_t lines, sum;
} journal_sum;

/* Adds the lines (each ends with LF) that begin at `offset` of the file. */
void journal_sum_add(journal_sum *sum, uint64_t offset, const uint8_t *lines, size_t size);

/* Opens or makes the file, writes the owed bytes at their offset, truncates it after them. NOT_OURS: the file has
 * bytes, though none were ever owed; they are left alone. */
frontier_status journal_open(const char *path, uint64_t offset, const uint8_t *owed, size_t owed_size, journal **out,
                             char message[FRONTIER_MESSAGE_SIZE]);
void journal_close(journal *j);

/* For a file that existed before: its sum by the last transaction, owed lines included. No effect if the
 * file began empty. */
void journal_resume(journal *j, journal_sum sum);
/* What to commit beside the lines; false: a repair that did not read the file kept no sum. */
bool journal_total(const journal *j, journal_sum *sum);

bool journal_add(journal *j, const char *line, size_t size); /* to the batch; false: no memory */

/* Of what is written, the next transaction owes nothing, however little it is. false: it would not anyway. */
bool journal_settle(journal *j);

/* What to commit: lines that may not be on disk when the transaction is, the batch's among them, and where they belong.
 * They are its lines from then on, once it is sealed. */
const uint8_t *journal_owed(const journal *j, size_t *size, uint64_t *offset);
void journal_seal(journal *j);
/* Before the transaction is written, in any thread: what it does not owe is on disk from here on. false: it failed,
 * which journal_sync_failed then says; it may be tried again. */
bool journal_sync(journal *j);
frontier_status journal_sync_failed(journal *j);
/* After the commit. On failure the lines stay in the batch: the next commit owes them again. */
frontier_status journal_write(journal *j);

const char *journal_message(const journal *j);

#endif

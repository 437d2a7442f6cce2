/* frontier/admin.h: the care of a frontier's directory: is it sound, make it sound again, make it smaller; copies and
 * unions.
 *
 * check, repair and compact take the directory as a writer would, and refuse with FRONTIER_BUSY while another process
 * writes it. Of a directory that this process has open, only a snapshot can be made, by its handle: LMDB's locks belong
 * to the process. On failure `message` holds one sentence that names what and where. */
#ifndef STRATA_FRONTIER_ADMIN_H
#define STRATA_FRONTIER_ADMIN_H

#include "frontier/frontier.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One fault, or one thing that was done: a sentence without a full stop. Bytes from files are escaped in it. */
typedef void frontier_remark(void *context, const char *sentence);

typedef struct frontier_findings {
  uint64_t faults;       /* of all kinds; of them */
  uint64_t filter_faults, journal_faults; /* those that leave data.mdb as good as it was */
  uint64_t pages;        /* of data.mdb */
  uint64_t urls, hosts;  /* records that are whole */
  uint64_t log_keys;     /* in the hash log */
  uint64_t lines;        /* of the journal; 0 if it was not looked at */
} frontier_findings;

/* Reads everything and says what is wrong: every page of data.mdb, every checksum, whatever FORMAT.md says agrees with
 * what, both filter files, that the filter knows every URL, the journal at `journal_path` (NULL: not looked at).
 *
 * Nothing is trusted, so a damaged file is reported where LMDB's reader would crash or never end. Where no page is
 * damaged, a child process (fork) also reads all of it as a frontier would, and is given up after a minute of silence.
 * Changes nothing. FRONTIER_OK also with faults: `found->faults` counts them, each was given to `say`.
 *
 * NOT_FOUND, BUSY, IO, NO_MEMORY (three bytes for each URL and 4.3 for each of two filters); VERSION: of another
 * format. */
frontier_status frontier_check(const char *directory, const char *journal_path, frontier_remark *say, void *context,
                               frontier_findings *found, char message[FRONTIER_MESSAGE_SIZE]);

typedef struct frontier_repairs {
  bool was_rebuilt;      /* data.mdb is another file now; the old one is data.mdb.damaged */
  uint64_t kept;         /* URLs */
  uint64_t found_again;  /* of them, those on pages that nothing led to any more */
  uint64_t gone;         /* URLs of which nothing readable is left */
  uint64_t keys_gone;    /* keys of the hash log that no URL brought back */
} frontier_repairs;

/* Makes sound what frontier_check would find fault with, and says what it does and what is gone.
 *
 * Damaged filter files go, and the hash log makes them anew. Where data.mdb is damaged, whatever is whole in it is
 * written to a new one, which takes its place at one stroke; the old one stays beside it as data.mdb.damaged until you
 * remove it, and while it is there no second repair is begun. A URL of which only an older state is left, from before
 * it was fetched, waits again. A URL of which nothing is left keeps its number and, where the log still has it, stays
 * known. The journal is taken as it is: lines missing at its end are missed for good.
 *
 * Death at any moment leaves the old files or the new ones. FRONTIER_OK: it was sound, or is now. DAMAGED:
 * nothing is left that says which filter and profile made it. */
frontier_status frontier_repair(const char *directory, const char *journal_path, frontier_remark *say, void *context,
                                frontier_repairs *done, char message[FRONTIER_MESSAGE_SIZE]);

typedef struct frontier_sizes {
  uint64_t before, after; /* bytes on disk, of all files */
} frontier_sizes;

/* Gives back the disk space of URLs that are done and of what was written over: data.mdb is copied without its free
 * pages, the copy read through, and then put in its place at one stroke. Needs room for the copy meanwhile. Refuses,
 * with BUSY, also while somebody reads it.
 *
 * If keys were forgotten since the last time (frontier_forget), they are erased first, so that they cost no memory any
 * more: that opens the frontier, makes a second filter from the hash log, and writes again those pieces of it that have
 * one. */
frontier_status frontier_compact(const char *directory, frontier_sizes *sizes, char message[FRONTIER_MESSAGE_SIZE]);

/* A copy of `f` as it was at its last commit, in a new directory `to` that opens as a frontier of its own. `f` may be
 * of the writer, which waits meanwhile, or a read-only one in another process, while the writer goes on; nothing that
 * is written later changes it. What the journal of `f` (its option) held then goes to `journal_to`, unless either is
 * NULL. `to` is there whole or not at all. */
frontier_status frontier_snapshot(frontier *f, const char *to, const char *journal_to,
                                  char message[FRONTIER_MESSAGE_SIZE]);

typedef struct frontier_merged {
  uint64_t keys;     /* in the log of the new one, those that several had several times */
  bool by_bits;      /* the filters were of one size, and were united as they are; else the log makes a new one */
} frontier_merged;

/* A new frontier in `to` that has seen whatever any of `directories` has: a memory to begin a crawl with. Nothing is
 * queued in it. Its rate is the best of theirs. MISMATCH, with both named, if their filters or profiles differ, since
 * their keys then do. They may be written meanwhile. `to` is there whole or not at all. */
frontier_status frontier_merge(const char *const *directories, size_t count, const char *to, frontier_merged *merged,
                               char message[FRONTIER_MESSAGE_SIZE]);

#ifdef __cplusplus
}
#endif
#endif

/* frontier/admin.h: check, repair, compact, copy and merge a frontier's directory.
 *
 * check, repair and compact lock the directory as a writer does, and refuse with FRONTIER_BUSY while another process
 * writes it. If this process has the directory open, they, and frontier_merge, refuse too, since LMDB's locks are per
 * process; frontier_snapshot works on that handle. On failure `message` holds one sentence that names what and
 * where. */
#ifndef STRATA_FRONTIER_ADMIN_H
#define STRATA_FRONTIER_ADMIN_H

#include "frontier/frontier.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Gets one fault, or one action taken: a sentence without a full stop. Bytes from files are escaped in it. */
typedef void frontier_remark(void *context, const char *sentence);

typedef struct frontier_findings {
  uint64_t faults;                        /* of all kinds, with the next two */
  uint64_t filter_faults, journal_faults; /* outside of data.mdb; the first in filter files and files of sorted keys */
  uint64_t pages;                         /* of data.mdb */
  uint64_t urls, hosts;                   /* undamaged records */
  uint64_t log_keys;                      /* in the hash log */
  uint64_t lines;                         /* of the journal; 0 if it was not read */
  uint64_t identity_faults;               /* of `faults`: in the file IDENTITY */
} frontier_findings;

/* Reads everything and reports every fault: each page of data.mdb, each checksum, the invariants of FORMAT.md, both
 * filter files, whether the filter knows every URL, files of sorted keys against the log and against the links that are
 * unconfirmed, the journal at `journal_path` (NULL: the journal is not read).
 *
 * It trusts no byte, so a damaged file is reported where LMDB's reader would crash or never end. If no page is damaged,
 * a child process (fork) also reads all of it as a frontier would. It is a fault if that computes for a minute without
 * progress. If it does nothing for ten minutes, as where the disk is gone, the check fails with IO, and nothing is
 * repaired.
 * Changes nothing. The status is FRONTIER_OK with faults, too: `found->faults` counts them, `say` gets each.
 *
 * NOT_FOUND, BUSY, IO, NO_MEMORY (it needs 4 bytes per URL, 4.3 more for each of two filters, and 24 per unconfirmed
 * link); VERSION: the directory is of another format. */
static inline frontier_status frontier_check(const char *directory, const char *journal_path, frontier_remark *say,
                                             void *context, frontier_findings *found,
                                             char message[FRONTIER_MESSAGE_SIZE]);

typedef struct frontier_repairs {
  bool was_rebuilt;     /* data.mdb is another file now; the old one is data.mdb.damaged */
  uint64_t kept;        /* URLs */
  uint64_t found_again; /* of these, how many were on unreachable pages */
  uint64_t gone;        /* URLs without a readable record */
  uint64_t keys_gone;   /* keys of the hash log that were lost, and that no URL restored */
} frontier_repairs;

/* Repairs the faults that frontier_check reports, and says what it does and what is lost.
 *
 * Damaged filter files and files of sorted keys are removed, and rebuilt from the hash log. If data.mdb is damaged, its
 * undamaged records are written to a new file, which replaces it in one rename; the old one stays as data.mdb.damaged
 * until you remove it, and while it exists no further repair starts. A URL of which only the text can be read, not how
 * it ended, is queued again. A URL whose text is lost keeps its number, and is new when it is found again. Unconfirmed
 * links stay so. The journal is accepted as it is: lines missing at its end stay lost.
 *
 * A crash at any moment leaves the old files or the new ones. FRONTIER_OK: the directory was sound, or is now. DAMAGED:
 * its filter and profile cannot be read any more. */
static inline frontier_status frontier_repair(const char *directory, const char *journal_path, frontier_remark *say,
                                              void *context, frontier_repairs *done,
                                              char message[FRONTIER_MESSAGE_SIZE]);

typedef struct frontier_sizes {
  uint64_t before, after; /* bytes on disk, of all files */
} frontier_sizes;

/* Frees the disk space of deleted and overwritten records, and of payload of URLs that ended and were not visited
 * (recrawl.h): data.mdb is copied in order of key, the copy is read through, and then replaces it in one rename. Needs
 * disk space for the copy. Refuses, with BUSY, also while another process reads the directory.
 *
 * If keys were forgotten since the last time (frontier_forget), they are erased first, to free their memory: this opens
 * the frontier, makes a second filter from the hash log, and rewrites the pieces of the log that have such keys; where
 * keys are exact, all are sorted again, with disk space for twice their 16 bytes each. */
static inline frontier_status frontier_compact(const char *directory, frontier_sizes *sizes,
                                               char message[FRONTIER_MESSAGE_SIZE]);

/* A copy of `f` as of its last commit, in a new directory `to` that opens as a frontier of its own. `f` may be the
 * writer's handle, which waits meanwhile, or a read-only one in another process, while the writer goes on; later writes
 * do not change the copy. The journal of `f` (options.journal_path), up to that commit, is copied to `journal_to`;
 * NULL: it is not copied. BAD_ARGUMENT: `f` has no journal; NOT_FOUND: it is not where it was at open; DAMAGED: it is
 * shorter than the commit says. `to` is made completely or not at all. */
frontier_status frontier_snapshot(frontier *f, const char *to, const char *journal_to,
                                  char message[FRONTIER_MESSAGE_SIZE]);

typedef struct frontier_merged {
  uint64_t keys; /* in the new log; a key of several directories is in it several times */
  bool by_bits;  /* the filters had one size, and their bits were united; else a new one is made from the log */
} frontier_merged;

/* A new frontier in `to` that has seen every URL that any of `directories` has seen, to begin a crawl with. Its queue
 * is empty. Its rate is the lowest of theirs. MISMATCH, with two of them named, if their filters or profiles differ,
 * since their keys then differ. Other processes may write to the directories meanwhile. `to` is made completely or not
 * at all.
 *
 * With different secrets: keys that every stored URL makes again are hashed with the secret of the new frontier. A
 * directory that has others (frontier_link.key, those of a merge, those of URLs that a repair did not find) keeps its
 * secret, which is then that of the new frontier; MISMATCH if two such directories have different ones.
 *
 * Keys are exact if they are in all of `directories`; one that is not may have missed pages, and so would the new one.
 * Then a link that is unconfirmed in one of them is so in the new one, without the page that gave it; the next crawl
 * confirms it, and fetches it if it is new. Else such links are left out: the filter judges them when they are found
 * again. */
static inline frontier_status frontier_merge(const char *const *directories, size_t count, const char *to,
                                             frontier_merged *merged, char message[FRONTIER_MESSAGE_SIZE]);

/* How far a long call is: `done` of `whole`, in units of its own, never less than before. On the caller's thread, and
 * at the end; it must not call the library. */
typedef void frontier_progress(void *context, uint64_t done, uint64_t whole);

/* frontier_check, frontier_compact and frontier_merge, which tell `told` (NULL: nothing) how far they are; `size` is
 * that of the struct before it. */
frontier_status frontier_check_watched(const char *directory, const char *journal_path, frontier_remark *say,
                                       void *context, frontier_findings *found, size_t size, frontier_progress *told,
                                       void *told_context, char message[FRONTIER_MESSAGE_SIZE]);
frontier_status frontier_compact_watched(const char *directory, frontier_sizes *sizes, size_t size,
                                         frontier_progress *told, void *told_context,
                                         char message[FRONTIER_MESSAGE_SIZE]);
frontier_status frontier_merge_watched(const char *const *directories, size_t count, const char *to,
                                       frontier_merged *merged, size_t size, frontier_progress *told,
                                       void *told_context, char message[FRONTIER_MESSAGE_SIZE]);

/* The functions of the same names above, with the size of the caller's struct: see frontier_open_sized. */
frontier_status frontier_check_sized(const char *directory, const char *journal_path, frontier_remark *say,
                                     void *context, frontier_findings *found, size_t size,
                                     char message[FRONTIER_MESSAGE_SIZE]);
frontier_status frontier_repair_sized(const char *directory, const char *journal_path, frontier_remark *say,
                                      void *context, frontier_repairs *done, size_t size,
                                      char message[FRONTIER_MESSAGE_SIZE]);
frontier_status frontier_compact_sized(const char *directory, frontier_sizes *sizes, size_t size,
                                       char message[FRONTIER_MESSAGE_SIZE]);
frontier_status frontier_merge_sized(const char *const *directories, size_t count, const char *to,
                                     frontier_merged *merged, size_t size, char message[FRONTIER_MESSAGE_SIZE]);

static inline frontier_status frontier_check(const char *directory, const char *journal_path, frontier_remark *say,
                                             void *context, frontier_findings *found,
                                             char message[FRONTIER_MESSAGE_SIZE])
{
  return frontier_check_sized(directory, journal_path, say, context, found, sizeof *found, message);
}

static inline frontier_status frontier_repair(const char *directory, const char *journal_path, frontier_remark *say,
                                              void *context, frontier_repairs *done,
                                              char message[FRONTIER_MESSAGE_SIZE])
{
  return frontier_repair_sized(directory, journal_path, say, context, done, sizeof *done, message);
}

static inline frontier_status frontier_compact(const char *directory, frontier_sizes *sizes,
                                               char message[FRONTIER_MESSAGE_SIZE])
{
  return frontier_compact_sized(directory, sizes, sizeof *sizes, message);
}

static inline frontier_status frontier_merge(const char *const *directories, size_t count, const char *to,
                                             frontier_merged *merged, char message[FRONTIER_MESSAGE_SIZE])
{
  return frontier_merge_sized(directories, count, to, merged, sizeof *merged, message);
}

#ifdef __cplusplus
}
#endif
#endif

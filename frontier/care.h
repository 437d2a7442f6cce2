/* frontier/care.h: the care of a frontier's directory while nobody crawls it: is it sound, make it sound again.
 *
 * All of these take the directory as a writer would, and refuse with FRONTIER_BUSY while another process writes it. None
 * may be called while this process has the directory open: LMDB's locks belong to the process. On failure `message` holds
 * one sentence that names what and where. */
#ifndef STRATA_FRONTIER_CARE_H
#define STRATA_FRONTIER_CARE_H

#include "frontier/frontier.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One fault, or one thing that was done: a sentence without a full stop. Bytes from files are escaped in it. */
typedef void frontier_remark(void *context, const char *sentence);

typedef struct frontier_findings {
  uint64_t faults;
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
 * NOT_FOUND, BUSY, IO, NO_MEMORY (a byte for each URL and 4.3 for each of two filters). */
frontier_status frontier_check(const char *directory, const char *journal_path, frontier_remark *say, void *context,
                               frontier_findings *found, char message[FRONTIER_MESSAGE_SIZE]);

#ifdef __cplusplus
}
#endif
#endif

/* May LMDB map data.mdb? It believes its pages, and a wrong one ends the process. So a file that is not the one we left
 * is read through first, page by page (mdb_pages.h).
 *
 * What we left is said in LOCK, behind the process id:
 *
 *     file DEVICE INODE OWNER BIRTH      written as a writer opens it,
 *     boot ID                              for as long as the machine runs: it writes, or was killed
 *     file DEVICE INODE OWNER BIRTH      written as it closes:
 *     clean SIZE CHANGED TRANSACTION       nothing may have changed the file since
 *
 * A copy, a restored backup, a file changed after it was closed, and one that was open as the machine went down are
 * not what we left. Who can write into the directory can forge all of this (SECURITY.md). */
#ifndef STRATA_FRONTIER_LEFT_FILE_H
#define STRATA_FRONTIER_LEFT_FILE_H

#include "frontier/frontier.h"

enum { LEFT_PID = 12, LEFT_TEXT = 256 }; /* bytes in LOCK: a process id, blanks, LF; what follows, at most */

/* What LOCK would say now. Empty if it cannot be found out. */
void left_file_text(const char *directory, bool is_clean, char text[LEFT_TEXT]);

typedef struct left_file_reading {
  const char *directory;
  bool to_write;
  frontier_logger *log; /* gets progress; NULL: none */
  void *log_context;
} left_file_reading;

/* OK: LMDB may open data.mdb, or the directory has no such file yet. DAMAGED, NOT_OURS, IO, NO_MEMORY: a sentence in
 * `message`. */
frontier_status left_file_check(const left_file_reading *r, char message[FRONTIER_MESSAGE_SIZE]);

#endif

/* tests/contract/crash/write_log.h: what a program told its files, one event behind the other, in the order in which it
 * said so.
 *
 * write_log.c, preloaded, writes them; a reader has them in place, since the log is one file of one process. */
#ifndef STRATA_TESTS_CRASH_RECORD_H
#define STRATA_TESTS_CRASH_RECORD_H

#include <stdint.h>

typedef enum event_kind {
  EVENT_OPENED,   /* fd from now on is the file of this path; size bytes: the path; at: open's flags */
  EVENT_MADE,     /* a directory; the path */
  EVENT_WRITE,    /* said before it is done: size bytes at offset `at` of fd */
  EVENT_CUT,      /* likewise: its length becomes `at` */
  EVENT_SYNCED,   /* all that fd was told is on disk, its length too; of a directory: all names in it */
  EVENT_WRITTEN,  /* the last write to fd is on disk (O_DSYNC) */
  EVENT_RENAMED,  /* two paths, each with its NUL */
  EVENT_UNLINKED, /* the path */
} event_kind;

typedef struct event {
  uint32_t kind;
  int32_t fd;
  uint64_t at, size; /* `size` bytes follow; paths with their NUL */
} event;

#endif

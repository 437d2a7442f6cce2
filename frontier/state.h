/* What an open frontier is made of: private to this room.
 *
 *     frontier.c   the life of a URL: add, next, done, release
 *     commit.c     the open batch becomes one transaction, then bits
 *     open.c       from a directory to a frontier and back: whose it is, and where it stood
 *     remember.c   the filter's life on disk: checkpoints, replay
 *     grow.c       its next size, in steps
 *     spill.c      long queues of one host, out of the others' way
 */
#ifndef STRATA_FRONTIER_STATE_H
#define STRATA_FRONTIER_STATE_H

#include "frontier/counters.h"
#include "frontier/hosts.h"
#include "frontier/journal.h"
#include "frontier/seen.h"
#include "frontier/store.h"

typedef struct entry_list {
  entry **at;
  size_t count, room;
} entry_list;

bool entry_list_reserve(entry_list *list, size_t more); /* false: no memory */
bool entry_list_add(entry_list *list, entry *e);        /* cannot fail in reserved room */

/* A URL that ended since the last commit. */
typedef struct ending {
  entry *entry;
  frontier_state state;
  uint16_t code;
} ending;

typedef struct setting {
  struct setting *next;
  bool is_dirty;
  size_t size;
  uint8_t *value;
  char name[];
} setting;

/* Everything said since the last commit. */
typedef struct batch {
  entry_list added;
  size_t untaken;           /* of `added`, those left to the queue on disk */
  ending *ended;
  size_t ended_count, ended_room;
  bool is_dirty;            /* there is something to commit, if only a counter */
  uint64_t first_ms;        /* when it began */
} batch;

/* On its way between queue and chunks; see spill.h. */
typedef struct spilling {
  entry_list leaving;      /* from the queue into chunks with the next commit; nobody else has them */
  entry_list returning;    /* from chunks into the queue; in lines, in flight, or ended meanwhile */
  uint64_t *read;          /* keys of the chunks they stood in */
  size_t read_count, read_room;
  uint64_t ahead;          /* the last URL of the chunks found at open: none is read back before the reading of the queue
                              is past it, or it would come by, in the queue again, and be taken a second time */
  host **low;              /* whose lines run low while chunks wait, first come first served */
  size_t low_count, low_room;
} spilling;

struct frontier {
  frontier_options options;
  char *directory;          /* NULL: keep nothing */
  store *store;             /* NULL: keep nothing */
  int lock_fd;              /* of the file LOCK; -1 */
  seen *seen;               /* NULL on a read-only handle until needed */
  hosts *hosts;
  journal *journal;         /* NULL: none */
  counters counters;
  setting *settings;
  batch batch;
  spilling spilling;

  entry_list in_flight;     /* as many as the caller leased: tens to thousands */

  uint64_t next_sequence;   /* of the next URL accepted; starts at 1 */
  uint64_t load_sequence;   /* URLs on disk from here on are not in memory yet */
  uint64_t queued;          /* waiting, in memory or on disk */
  uint64_t deferred;        /* of those, read from disk (or accepted) and found too deep */
  uint64_t done, failed, skipped;
  uint64_t outcomes[FRONTIER_OUTCOMES];
  double expected_lost;

  uint64_t log_keys;        /* keys in the committed hash log */
  uint64_t checkpoint_keys; /* of them, those the last saved filter holds */
  unsigned checkpoint_slot; /* 0 or 1: the file that is valid */
  mlbf_filter *growing;     /* the next larger filter while it is being filled; NULL */
  uint64_t growing_keys;    /* of the log, those it holds */
  uint64_t full_at;         /* keys that the filter in use is made for, */
  uint64_t grow_at;         /* and its successor is begun when the log has so many keys; 0: not known yet */
  uint8_t *memory_log;      /* the hash log when nothing is kept */
  size_t memory_log_size, memory_log_room;

  char message[FRONTIER_MESSAGE_SIZE];
};

/* The tests build this room a second time with tiny limits, so that a small crawl meets every one of them. */
#ifdef FRONTIER_TINY
#define FRONTIER_LIMIT(usual, tiny) tiny
#else
#define FRONTIER_LIMIT(usual, tiny) usual
#endif

enum {
  WINDOW_MAX = FRONTIER_LIMIT(65536, 64), /* entries in memory, waiting: 10 MB of 150 bytes; refilled when half used */
  COMMIT_URLS = FRONTIER_LIMIT(1000, 50), /* group commit: after so many URLs added or ended, */
  COMMIT_AFTER_MS = 100,                  /* or after so long */
  CHECKPOINT_KEYS = FRONTIER_LIMIT(1 << 20, 300), /* replaying so many keys of the log at open takes some 0.2 s */
  HISTORY_HEAD = 16,         /* FORMAT.md */
  JOURNAL_HEAD = 8,
  JOURNAL_SUM_SIZE = 16,
  IDENTITY_HEAD = 40,
  IDENTITY_MAX = IDENTITY_HEAD + URL_PROFILE_NAME_SIZE,
  PROGRESS_SIZE = 104,
  SETTING_NAME_MAX = 63,
};
#define SETTING_PREFIX "setting/"

frontier_status frontier_fail(frontier *f, frontier_status status, const char *format, ...)
  __attribute__((format(printf, 3, 4)));

/* commit.c */
frontier_status commit_batch(frontier *f);
bool commit_is_due(const frontier *f, uint64_t now_ms);
bool batch_add_entry(frontier *f, entry *e, uint64_t now_ms);
bool batch_add_ending(frontier *f, ending what, uint64_t now_ms);
void batch_free(frontier *f);

/* frontier.c: up to `limit` records of the queue on disk, from load_sequence on, while the window has room: into the
 * lines of their hosts, or, past `share` URLs there, on their way to chunks. */
frontier_status queue_read(frontier *f, uint32_t share, unsigned limit, unsigned *taken);

/* remember.c: the filter's life on disk */
frontier_status seen_load(frontier *f);       /* the filter file, and the log behind it */
frontier_status seen_replay_log(frontier *f, mlbf_filter *filter, uint64_t from); /* keys `from` on, into it */
/* The filter into the other file; the record that says so goes with the next commit. false: not written, which
 * loses time at the next open and nothing else, since the log has it all. */
bool checkpoint_save(frontier *f);

/* grow.c: after each commit that brought `new_keys`; and at open, if a crash left a filter file behind that is too small
 * for the log, all at once */
frontier_status grow_step(frontier *f, uint64_t new_keys);
frontier_status grow_at_open(frontier *f);

/* open.c */
frontier_status lock_directory(frontier *f); /* as the writer; closing lock_fd lets it go */
size_t identity_write(const frontier_options *options, uint8_t body[IDENTITY_MAX]); /* its size */
frontier_status identity_read(frontier *f, const uint8_t *body, size_t size);
bool progress_read(frontier *f, const uint8_t *body, size_t size); /* false: it is no transaction of ours */
void progress_write(const frontier *f, uint64_t log_keys, uint8_t body[PROGRESS_SIZE]);

#endif

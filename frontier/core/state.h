/* What an open frontier is made of: private to this room.
 *
 *     add.c        links in: what is new, and into the open batch with it
 *     frontier.c   the life of a URL: next, done, release
 *     commit.c     the open batch becomes one transaction, then bits
 *     open.c       from a directory to a frontier and back: whose it is, and where it stood
 *     checkpoint.c   the filter's life on disk: checkpoints, replay
 *     resize.c       its next size, in steps
 *     maintain.c   when those steps are taken
 *     clock.c      the frontier's own time
 *     spill.c      long queues of one host, out of the others' way
 */
#ifndef STRATA_FRONTIER_STATE_H
#define STRATA_FRONTIER_STATE_H

#include "frontier/core/clock.h"
#include "frontier/seen/exact_keys.h"
#include "frontier/base/limits.h"
#include "frontier/base/lock.h"
#include "frontier/hosts/host_changes.h"
#include "frontier/hosts/hosts.h"
#include "frontier/store/journal.h"
#include "frontier/hosts/leases.h"
#include "frontier/core/open_batch.h"
#include "frontier/core/previous.h"
#include "frontier/core/progress.h"
#include "frontier/core/queue.h"
#include "frontier/hosts/schedule.h"
#include "frontier/seen/seen.h"
#include "frontier/core/settings.h"
#include "frontier/store/store.h"
#include "frontier/traps/trap_detector.h"
#include "mlbf/save.h"

#include <assert.h>

/* On its way between queue and chunks; see spill.h. */
typedef struct spilling {
  entry_list leaving;      /* from the queue into chunks with the next commit; nobody else has them */
  entry_list returning;    /* from chunks into the queue; in lines, in flight, or ended meanwhile */
  uint64_t *read;          /* keys of the chunks they stood in */
  size_t read_count, read_room;
  /* The last URL of the chunks found at open: none is read back before the reading of the queue is past it, or it
   * would come by, in the queue again, and be taken a second time. */
  uint64_t ahead[FRONTIER_CLASSES];
  struct low_line {
    host *who;
    frontier_class class;
  } *low;                  /* lines that run low while chunks wait, first come first served */
  size_t low_count, low_room;
} spilling;

static inline void assert_spilling(const spilling *s)
{
  assert_entry_list(&s->leaving);
  assert_entry_list(&s->returning);
  assert(s->read_count <= s->read_room && s->low_count <= s->low_room);
  (void)s;
}

/* Recrawl; see recrawl.h. */
typedef struct recrawling {
  bool is_on, is_over;       /* over: nothing more is due until `until_s` */
  uint64_t least_s, most_s;  /* a page's rest; 0 as long as nobody said */
  bool has_bounds;           /* they are those of disk, or newer */
  uint32_t until_s;
  uint64_t from;             /* of the table `due`: keys before it are taken */
  struct due_entry {
    entry *entry;
    visit_note *note;        /* says so in its visit, and gives up its place in `due` */
  } *taken;                  /* with the next commit they leave the history; in lines, in flight, or ended meanwhile */
  size_t taken_count, taken_room;
  visit_note **notes;        /* visits rewritten with the next commit */
  size_t note_count;
  uint8_t *last_visit;       /* what frontier_visit_get points into */
} recrawling;

static inline void assert_recrawling(const recrawling *r)
{
  assert(r->taken_count <= r->taken_room);
  assert(r->notes || !r->note_count);
  assert(!r->is_on || (r->has_bounds && r->least_s && r->least_s <= r->most_s));
  (void)r;
}

/* The caller's say on the class of a new URL; see classify.c. */
typedef struct class_chooser {
  frontier_classifier *choose; /* NULL: the rules alone */
  void *context;
} class_chooser;

/* Called before each commit; see commit.c. */
typedef struct commit_hook {
  frontier_hook *call;      /* NULL: none */
  void *context;
} commit_hook;

struct frontier {
  pthread_mutex_t *mutex;   /* elsewhere, so that calls on a const handle may take it */
  frontier_options options;
  char *directory;          /* NULL: keep nothing */
  store *store;             /* NULL: keep nothing */
  int lock_fd;              /* of the file LOCK; -1 */
  seen *seen;               /* NULL on a read-only handle until needed */
  previous *previous;       /* the filter of an earlier crawl; NULL: none */
  exact exact;              /* keys for the table of all, where there is one */
  revoked revoked;          /* keys that `seen` knows and that are new again */
  hosts *hosts;
  host_changes host_changes;
  entry_pool pool;          /* of every entry in a line, in flight, in the batch */
  journal *journal;         /* NULL: none */
  settings settings;
  commit_hook hook;
  open_batch batch;
  spilling spilling;
  recrawling again;

  lease_table in_flight;
  queues queues;

  uint64_t next_sequence;   /* of the next URL accepted; starts at 1 */
  uint64_t queued;          /* waiting, in memory or on disk */
  uint64_t deferred;        /* of those, read from disk (or accepted) and found too deep */
  uint64_t done, failed, skipped;
  uint64_t outcomes[FRONTIER_OUTCOMES];
  uint64_t noted, forced;
  double expected_lost;

  uint64_t log_keys;        /* keys in the committed hash log */
  uint64_t checkpoint_keys; /* of them, those the last saved filter holds */
  unsigned checkpoint_slot; /* 0 or 1: the file that is valid */
  mlbf_saving *saving;      /* the other one, being written; NULL */
  uint64_t saving_keys;     /* what it will hold of the log */
  uint64_t checkpoint_at;   /* the next one is begun when the log has so many keys */
  uint64_t owed_keys;       /* that brought upkeep which is still to be done: maintain.c */
  bool has_failed_upkeep;   /* since the last commit */
  mlbf_filter *growing;     /* the next larger filter while it is being filled; NULL */
  uint64_t growing_keys;    /* of the log, those it holds */
  uint64_t full_at;         /* keys that the filter in use is made for, */
  uint64_t grow_at;         /* and its successor is begun when the log has so many keys; 0: not known yet */
  uint8_t *memory_log;      /* the hash log when nothing is kept */
  size_t memory_log_size, memory_log_room;

  watch *watch;             /* NULL: nobody asked to watch for traps */
  class_chooser classifier;
  own_clock clock;

  char message[FRONTIER_MESSAGE_SIZE];
};

/* Where a URL that was accepted can be: it waits, is in flight, or has ended. Keys that came by a merge, and what was
 * lost with a damaged file, are nowhere. */
static inline uint64_t urls_accounted_for(const frontier *f)
{
  return f->queued + leases_count(&f->in_flight) + f->done + f->failed + f->skipped + f->noted;
}

/* What holds of an open frontier between any two calls: no URL is in two places; the filter, the log and the numbers
 * given to URLs tell of the same keys; and what is being written or filled is no further than the log. A directory's
 * numbers count as ours once their checksum holds. */
static inline void assert_frontier(const frontier *f)
{
  assert((f->store == NULL) == (f->directory == NULL));
  assert((f->lock_fd >= 0) == (f->store && !f->options.read_only));
  assert(!f->journal || f->lock_fd >= 0);
  assert(f->next_sequence - 1 == f->log_keys + (f->seen ? seen_batch_keys(f->seen) : 0));
  assert(f->checkpoint_keys <= f->log_keys && f->checkpoint_slot <= 1);
  assert(!f->saving || (f->store && f->saving_keys <= f->log_keys));
  assert(!f->growing || f->growing_keys <= f->log_keys);
  assert(f->grow_at <= f->full_at && f->owed_keys <= f->log_keys);
  assert(f->memory_log_size <= f->memory_log_room && (!f->store || !f->memory_log_room));
  assert(urls_accounted_for(f) <= f->next_sequence - 1);
  assert(f->deferred <= f->queued && f->hosts->held <= f->queued - f->deferred);
  assert(f->settings.counters.count <= COUNTERS_MAX);
  assert(f->exact.count <= f->exact.room && (f->options.exact || !f->exact.count));
  assert_batch(&f->batch);
  assert_spilling(&f->spilling);
  assert_recrawling(&f->again);
  assert_leases(&f->in_flight);
  assert_hosts(f->hosts);
  (void)f;
}

enum {
  CHECKPOINT_KEYS = FRONTIER_LIMIT(1 << 20, 300), /* replaying so many keys of the log at open takes some 0.2 s */
  JOURNAL_HEAD = 8,
  JOURNAL_SUM_SIZE = 16,
  IDENTITY_HEAD = 40,
  IDENTITY_MAX = IDENTITY_HEAD + URL_PROFILE_NAME_SIZE,
};

/* handle.c */
bool options_take(const frontier_options *given, size_t size, frontier_options *options);
/* With nothing in it; NULL: no memory. And when all in it is gone. */
frontier *handle_create(const char *directory, const frontier_options *options);
void handle_free(frontier *f);

frontier_status frontier_fail(frontier *f, frontier_status status, const char *format, ...)
  __attribute__((format(printf, 3, 4)));

void frontier_log(const frontier *f, const char *format, ...) __attribute__((format(printf, 2, 3)));

frontier_status refuse_reader(frontier *f); /* for the calls that write */

/* add.c */
void link_hash(const mlbf_filter *filter, const frontier_link *link, mlbf_hashes *hashes); /* of its key */
/* the verdict on a link alone, and the hashes of its key */
frontier_status link_judge(frontier *f, const frontier_link *link, mlbf_hashes *hashes, frontier_verdict *verdict);

/* commit.c */
frontier_status commit_batch(frontier *f);

/* frontier.c: what is in flight under this lease id; NULL: nothing, and f->message says so */
entry *lease_entry(frontier *f, uint64_t lease);
host *lease_host(frontier *f, uint64_t lease);
/* classify.c: the class of a new URL */
frontier_class host_classify(frontier *f, host *who, const frontier_link *link, frontier_verdict verdict);

/* checkpoint.c: the filter's life on disk */
frontier_status seen_load(frontier *f);       /* the filter file, and the log behind it */
frontier_status seen_make_anew(frontier *f);  /* from the log alone; with nothing to commit */
frontier_status seen_replay_log(frontier *f, mlbf_filter *filter, uint64_t from); /* keys `from` on, into it */
/* The filter into the other file, all at once; the record that says so goes with the next commit. false: not written,
 * which loses time at the next open and nothing else, since the log has it all. */
bool checkpoint_save(frontier *f);
bool checkpoint_is_worthwhile(const frontier *f); /* at close, for the next open */
/* The same in steps: begun when it is due, `bytes` further with each call; tried again later if it fails. */
bool checkpoint_is_due(const frontier *f);
void checkpoint_step(frontier *f, uint64_t bytes);
uint64_t checkpoint_share(const frontier *f, uint64_t new_keys); /* bytes to ask for after a commit of so many */
void checkpoint_abandon(frontier *f); /* before the filter goes */

/* maintain.c: upkeep for f->owed_keys; what fails in part is tried again, and told of, with the next commit */
frontier_status maintain_pay_all(frontier *f);
void maintain_pay_some(frontier *f);

/* resize.c: after each commit that brought `new_keys`; and at open, if a crash left a filter file behind that is too
 * small for the log, all at once */
frontier_status grow_step(frontier *f, uint64_t new_keys);
frontier_status grow_at_open(frontier *f);
bool grow_is_due(const frontier *f);
uint64_t grow_room_for(uint64_t expected); /* keys of a filter that does not grow before more than expected have come */
frontier_status grow_by(frontier *f, uint64_t keys); /* one step, when it is due */

/* open.c */
frontier_status lock_directory(frontier *f); /* as the writer; closing lock_fd lets it go */
size_t identity_write(const frontier_options *options, uint8_t body[IDENTITY_MAX]); /* its size */
frontier_status identity_read(frontier *f, const uint8_t *body, size_t size);
progress progress_of(const frontier *f, uint64_t log_keys);

#endif

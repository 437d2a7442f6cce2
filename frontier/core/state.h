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

#include "frontier/core/checkpoint.h"
#include "frontier/core/clock.h"
#include "frontier/seen/exact_keys.h"
#include "frontier/core/hash_log.h"
#include "frontier/base/lock.h"
#include "frontier/hosts/host_changes.h"
#include "frontier/hosts/hosts.h"
#include "frontier/store/journal.h"
#include "frontier/hosts/leases.h"
#include "frontier/core/maintain.h"
#include "frontier/core/open_batch.h"
#include "frontier/core/previous.h"
#include "frontier/core/queue.h"
#include "frontier/core/resize.h"
#include "frontier/hosts/schedule.h"
#include "frontier/seen/seen.h"
#include "frontier/core/settings.h"
#include "frontier/store/store.h"
#include "frontier/core/url_counts.h"
#include "frontier/traps/trap_detector.h"

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

  url_counts counts;
  hash_log log;
  checkpoint checkpoint;
  resize resize;
  upkeep upkeep;

  watch *watch;             /* NULL: nobody asked to watch for traps */
  class_chooser classifier;
  own_clock clock;

  char message[FRONTIER_MESSAGE_SIZE];
};

/* Where a URL that was accepted can be: it waits, is in flight, or has ended. Keys that came by a merge, and what was
 * lost with a damaged file, are nowhere. */
static inline void assert_counts(const frontier *f)
{
  const url_counts *c = &f->counts;
  assert(c->next_sequence - 1 == f->log.keys + (f->seen ? seen_batch_keys(f->seen) : 0));
  assert(c->queued + leases_count(&f->in_flight) + c->done + c->failed + c->skipped + c->noted < c->next_sequence);
  assert(c->deferred <= c->queued && f->hosts->held <= c->queued - c->deferred);
  (void)c;
}

static inline void assert_log(const frontier *f)
{
  assert(f->log.size <= f->log.room && (!f->store || !f->log.room));
  assert(f->exact.count <= f->exact.room && (f->options.exact || !f->exact.count));
  (void)f;
}

static inline void assert_checkpoint(const frontier *f)
{
  const checkpoint *c = &f->checkpoint;
  assert(c->keys <= f->log.keys && c->slot <= 1);
  assert(!c->saving || (f->store && c->saving_keys <= f->log.keys));
  (void)c;
}

static inline void assert_resize(const frontier *f)
{
  assert(!f->resize.growing || f->resize.growing_keys <= f->log.keys);
  assert(f->resize.grow_at <= f->resize.full_at);
  (void)f;
}

/* What holds of an open frontier between any two calls: no URL is in two places; the filter, the log and the numbers
 * given to URLs tell of the same keys; and what is being written or filled is no further than the log. A directory's
 * numbers count as ours once their checksum holds. */
static inline void assert_frontier(const frontier *f)
{
  assert((f->store == NULL) == (f->directory == NULL));
  assert((f->lock_fd >= 0) == (f->store && !f->options.read_only));
  assert(!f->journal || f->lock_fd >= 0);
  assert_counts(f);
  assert_checkpoint(f);
  assert_resize(f);
  assert(f->upkeep.owed_keys <= f->log.keys);
  assert_log(f);
  assert(f->settings.counters.count <= COUNTERS_MAX);
  assert_batch(&f->batch);
  assert_spilling(&f->spilling);
  assert_recrawling(&f->again);
  assert_leases(&f->in_flight);
  assert_hosts(f->hosts);
  (void)f;
}

enum {
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

/* open.c */
frontier_status lock_directory(frontier *f); /* as the writer; closing lock_fd lets it go */
size_t identity_write(const frontier_options *options, uint8_t body[IDENTITY_MAX]); /* its size */
frontier_status identity_read(frontier *f, const uint8_t *body, size_t size);

#endif

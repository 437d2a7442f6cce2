/* What an open frontier is made of: private to this room.
 *
 *     add.c          takes links, and asks the filters which are new
 *     accept.c       ... puts these into the open batch
 *     late.c         ... and confirms the others, where keys are exact
 *     frontier.c     the life of a URL: next, done, release
 *     commit.c       the open batch becomes one transaction, then bits
 *     outbox.c       links of other partitions go into parcels,
 *     inbox.c        ... and come out of those of others
 *     open.c         from a directory to a frontier and back
 *     part.h         its parts: what a commit and closing do to each
 *
 * A file of this room that needs the handle includes this header; the header of a part does not, for it is included
 * here. So an inline function in a part's header takes the part; functions that take the handle are in the part's
 * .c. */
#ifndef STRATA_FRONTIER_STATE_H
#define STRATA_FRONTIER_STATE_H

#include "frontier/base/lock.h"
#include "frontier/base/sized.h"
#include "frontier/core/accept.h"
#include "frontier/core/checkpoint.h"
#include "frontier/core/clock.h"
#include "frontier/core/commit.h"
#include "frontier/core/directory.h"
#include "frontier/core/sharing.h"
#include "frontier/core/folding.h"
#include "frontier/core/hash_log.h"
#include "frontier/core/host_table.h"
#include "frontier/core/identity.h"
#include "frontier/core/journal_record.h"
#include "frontier/core/lander.h"
#include "frontier/core/late.h"
#include "frontier/core/maintain.h"
#include "frontier/core/open_batch.h"
#include "frontier/core/ordering.h"
#include "frontier/core/own_secret.h"
#include "frontier/core/part.h"
#include "frontier/core/previous.h"
#include "frontier/core/queue.h"
#include "frontier/core/recrawl_inside.h"
#include "frontier/core/renewal.h"
#include "frontier/core/settings.h"
#include "frontier/core/url_counts.h"
#include "frontier/core/url_records.h"
#include "frontier/core/wake.h"
#include "frontier/core/workbench.h"
#include "frontier/hosts/hosts.h"
#include "frontier/hosts/leases.h"
#include "frontier/hosts/schedule.h"
#include "frontier/seen/seen.h"
#include "frontier/store/store.h"
#include "frontier/traps/trap_detector.h"
#include "frontier/traps/trap_marks.h"

#include <assert.h>

/* What decides the class of a new URL; see classify.c. */
typedef struct class_chooser {
  trap_detector *watch;            /* NULL: frontier_watch_traps was not called */
  trap_marks *marks;               /* NULL: not read yet */
  frontier_classifier *classifier; /* the caller's; NULL: the rules alone */
  void *context;
} class_chooser;

/* What frontier_find gave last; see find_url.c. */
typedef struct found_url {
  uint8_t *bytes;
  size_t room;
} found_url;

struct frontier {
  pthread_mutex_t *mutex;   /* elsewhere, so that calls on a const handle may take it */
  frontier_options options; /* `secret`: that of own_secret; `key_scheme`: that of identity */
  char *directory;          /* NULL: keep nothing */
  char *strings[2];         /* the copies that `options` points to */
  char message[FRONTIER_MESSAGE_SIZE];
  frontier_status unsaid; /* of a call of frontier_next that gave URLs all the same; OK: nothing */
  char unsaid_message[FRONTIER_MESSAGE_SIZE];
  uint64_t number; /* no other handle of the process ever has it */
  store *store;    /* NULL: keep nothing */
  hosts *hosts;
  seen *seen;         /* NULL on a read-only handle until needed */
  previous *previous; /* the filter of an earlier crawl; NULL: none */

  /* Parts: only the files named here read them; tests/house/test_handle_fields.sh checks it. */
  own_secret secret;     /* own_secret */
  identity identity;     /* identity, open, repair, mdb_urls, sharing, check_exchange, salvage_exchange, incarnate */
  directory_lock lock;   /* directory */
  entry_pool pool;       /* entry_pool: of every entry in a line, in flight, in the batch */
  journal *journal;      /* journal_record: NULL: none */
  late_links late;       /* late, late_pass, late_upkeep */
  tombstones tombstones; /* tombstones */
  host_changes host_changes; /* host_changes */
  lease_table in_flight;     /* leases */
  open_batch batch;          /* open_batch */
  queues queues;             /* queue */
  ordering ordering;         /* ordering */
  workbench bench;           /* workbench */
  recrawling recrawl;        /* recrawl, recrawl_inside, revisit_info */
  folding folding;           /* folding */
  url_counts counts;         /* url_counts */
  hash_log log;              /* hash_log */
  checkpoint checkpoint;     /* checkpoint, renewal */
  renewal renewal;           /* renewal */
  settings settings;         /* settings */
  committing committing;     /* commit */
  lander lander;             /* lander */
  class_chooser chooser;     /* classify, traps */
  own_clock clock;           /* clock */
  wake_event wake;           /* wake */
  found_url found;           /* find_url */
  sharing sharing;           /* sharing, outbox, inbox */
};

/* What always holds between any two calls: each part's `check`. */
#ifdef NDEBUG
static inline void assert_frontier(const frontier *f)
{
  (void)f;
}
#else
void assert_frontier(const frontier *f);
#endif

/* handle.c */
/* With nothing in it, and the secret of its options, or one that is drawn; NULL: no memory, or no random bytes. And
 * when all in it is gone. */
frontier *handle_create(const char *directory, const frontier_options *options);
void handle_free(frontier *f);

/* messages.c */
uint64_t message_number(void); /* the next one */
frontier_status frontier_fail(frontier *f, frontier_status status, const char *format, ...)
  __attribute__((format(printf, 3, 4)));

void frontier_log(const frontier *f, const char *format, ...) __attribute__((format(printf, 2, 3)));

frontier_status refuse_unknown_field(frontier *f); /* sized_take does not know it */
frontier_status refuse_reader(frontier *f);        /* for the calls that write */

/* add.c */
void link_hash(const mlbf_filter *filter, const frontier_link *link, key_hashes *hashes); /* of its key */
/* the verdict on a link alone, and the hashes of its key */
frontier_status link_judge(frontier *f, const frontier_link *link, key_hashes *hashes, frontier_verdict *verdict);

/* frontier.c: what is in flight under this lease id; NULL: nothing, and f->message says so */
entry *lease_entry(frontier *f, uint64_t lease);
host *lease_host(frontier *f, uint64_t lease);
void lease_land(frontier *f, entry *e); /* it is in flight, and then nowhere */
/* release.c */
void lease_put_back(frontier *f, entry *e); /* it is in flight */
void wait_first(frontier *f, entry *e);     /* before its equals; it is nowhere */
/* flight.c: leases end by themselves. Those that did not end in time wait again; then, of a wait: not past the end of
 * the next one. */
void flight_end_late(frontier *f, uint64_t now_ms);
void flight_bound_wait(const frontier *f, uint64_t now_ms, int64_t *wait_ms);
/* classify.c: the class of a new URL */
frontier_class host_classify(frontier *f, host *who, const frontier_link *link, frontier_verdict verdict);

/* open.c */
/* One meta record through its reader; absent is fine unless `is_required`. */
frontier_status meta_take(frontier *f, const char *name, bool is_required,
                          frontier_status (*read)(frontier *, const uint8_t *, size_t));

#endif

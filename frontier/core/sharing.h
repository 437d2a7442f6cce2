/* One partition of a crawl (exchange.h): a part of the handle (part.h). Without partitions each call here does nothing.
 *
 *     sharing.c    the lanes, one for each other partition: from disk, into a transaction; and is it idle?
 *     outbox.c     links -> open parcel of their partition -> closed, committed -> handed out -> acknowledged, dropped
 *     inbox.c      parcels of others -> links -> add_texts.c, and their numbers into the lanes; what others are told
 *
 * A parcel grows on disk with each commit until it is closed: it is full, or has waited long enough. Closing writes
 * nothing; a closed one that is on disk may be handed out. What a crash finds on disk is closed.
 *
 * Called under the handle's mutex. */
#ifndef STRATA_FRONTIER_SHARING_H
#define STRATA_FRONTIER_SHARING_H

#include "frontier/base/limits.h"
#include "frontier/exchange/lane.h"
#include "frontier/exchange/route.h"
#include "frontier/exchange/sent_lately.h"

/* The open parcel for a partition: the last number of its lane; as it will be on disk. */
typedef struct open_parcel {
  uint8_t *body;
  size_t size, room; /* size 0: there is none */
  uint32_t urls;
  uint64_t since_ms; /* own time of the first URL */
  bool is_changed;   /* since the last transaction was gathered */
} open_parcel;

/* Closed ones that are in no transaction yet. */
typedef struct closed_parcel {
  uint64_t key; /* in table `outbox` */
  uint8_t *body;
  size_t size;
} closed_parcel;

typedef struct sharing {
  bool is_on;
  uint32_t own;
  router route;
  uint64_t incarnation, boot;
  bool is_new_life; /* the incarnation is to be written */
  lane *lanes;      /* for each partition; that of this one is not used */
  open_parcel *open;
  closed_parcel *closed;
  size_t closed_count, closed_room;
  size_t unwritten; /* bytes of URLs that wait for a transaction */
  sent_lately lately;
  uint8_t *message; /* handed out last */
  url *parsed;
  frontier_exchange_stats stats;
} sharing;

static inline uint64_t outbox_key(uint32_t to, uint64_t number)
{
  return (uint64_t)to << 48 | number;
}

frontier_status sharing_open(frontier *f); /* at open */

bool sharing_is_elsewhere(const frontier *f, const frontier_link *link);
/* What waits to be sent or to be told goes with a commit, which frontier_next makes: it says when. */
void sharing_bound_wait(const frontier *f, int64_t *wait_ms);
/* The lane to another partition; NULL: it is none, and f->message says so. */
lane *sharing_lane(frontier *f, uint32_t other);
/* What a call on a handle without partitions, or on a reader's, gets; OK: it has some, and may write. */
frontier_status sharing_refuse(frontier *f);
void sharing_raise(frontier *f, uint64_t least); /* its incarnation */

/* A link of another partition into its parcel; `hash`: of its key. BAD_ARGUMENT, NO_MEMORY: it is in none. */
frontier_status outbox_put(frontier *f, const frontier_link *link, uint64_t hash, uint64_t now_ms);
bool outbox_is_full(const frontier *f); /* too much waits for a commit */
/* Into the transaction that is gathered; and when it is sealed. */
void outbox_write(frontier *f);
void outbox_sealed(frontier *f);
void outbox_free(sharing *x);

#endif

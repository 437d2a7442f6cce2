/* Hosts: their table, their counts, their records. schedule.h decides which is next.
 *
 * A host is host[:port] as in fetch URLs; http and https of one name are one host. For each priority class it has a
 * line of URLs in memory, the first of its URLs in that class's queue: entries, which have the text, and behind them
 * refs, whose text is on disk only. Most hosts have URLs of one class only, so the other lines are made when needed.
 *
 *     table: name -> host -> normal: e -> e -> e | 17 20 31      others -> high:  e
 *                                                                          low:   | 25
 *                                                                          trap:  e -> e
 */
#ifndef STRATA_FRONTIER_HOSTS_H
#define STRATA_FRONTIER_HOSTS_H

#include "frontier/base/arena.h"
#include "frontier/base/pair_heap.h"
#include "frontier/hosts/entry.h"
#include "frontier/hosts/refs.h"
#include "frontier/host.h"
#include "mlbf/secret.h"

#include <assert.h>

/* Longer delays (a robots.txt may ask for anything) are this long: some 9,000 years, and no sum overflows. */
#define HOST_DELAY_MAX_MS ((uint64_t)1 << 48)

typedef struct line {
  entry *last;       /* its next is the first; NULL: empty */
  uint64_t queued;   /* URLs of this class that wait or are in flight, wherever they stand; committed */
  uint64_t unread;   /* of those, not met on disk yet: queue.c */
  uint64_t deferred; /* of those, read and found too deep */
  uint32_t count;    /* entries */
  refs refs;         /* behind them */
} line;

struct host {
  uint32_t id;
  uint32_t in_flight, trap_in_flight;
  uint32_t heap_at;               /* 1-based place in the heap, 0 = not in it */
  uint64_t done, failed, skipped; /* committed with the batch */
  uint64_t trap_ended;            /* of those, of class FRONTIER_TRAP */
  line normal;
  line *others;                    /* FRONTIER_CLASSES - 1 of them, or NULL */
  frontier_host_control *control;  /* NULL: nothing was set */
  uint64_t blocked;                /* URLs that may not be taken whatever the time: blocked, over a budget */
  uint64_t due_ms;                 /* next start not before this */
  uint64_t rest_ms;                /* a back-off of this run ends then */
  uint64_t turn;                   /* waits since: breaks ties of due_ms */
  uint64_t asked_ms;               /* between starts, by frontier_host_delay; 0: nothing was asked */
  host *ready_next, *ready_before; /* while it is due: in the line of hosts of class `ready` */
  uint32_t found, suspect;         /* new URLs, and those that look like a trap's: traps.h */
  uint8_t ready;                   /* 1 + class, 0 = not due, or may start none */
  uint8_t turns;                   /* whose class is first: schedule.c */
  bool is_dirty;                   /* touched since the last commit */
  bool is_behind;                  /* its record on disk is: host_changes.h */
  pair_heap *ordered;              /* FRONTIER_CLASSES of them, or NULL: schedule.h */
  uint32_t name_size;
  char name[]; /* NUL-terminated */
};

/* The first refs of this line, which has no entries, become entries (hosts_fill); those whose URL waits there no more
 * are dropped. false: it failed, and the line is as it was. */
typedef bool hosts_loader(void *context, host *who, frontier_class class);

/* The entry of an ordered URL; `*e` NULL: there is no such URL after all. false: it failed. */
typedef bool hosts_fetcher(void *context, host *who, frontier_class class, uint64_t sequence, entry **e);

typedef struct hosts {
  arena memory;              /* of all hosts */
  const mlbf_hasher *hasher; /* the caller's */
  host **by_id;
  size_t count, room; /* room of by_id, heap and dirty */
  uint32_t *table;    /* id + 1 by name hash, 0 = free; at most half full */
  size_t table_size;  /* a power of two */
  host **dirty;
  size_t dirty_count;
  uint64_t delay_ms; /* defaults */
  uint32_t per_host;
  uint64_t trap_budget; /* UINT64_MAX: none */

  host **heap; /* 1-based, by due time: those that may start one */
  size_t heap_count;
  host *ready_first[FRONTIER_CLASSES], *ready_last[FRONTIER_CLASSES]; /* out of the heap: due */
  uint64_t turns, picks;
  size_t waiting[FRONTIER_CLASSES]; /* entries in lines; one with much payload counts for several */
  refs_memory refs;                 /* of all lines */
  hosts_loader *load;               /* schedule.h; NULL: there are no refs */
  hosts_fetcher *fetch;             /* NULL: no URL is ordered */
  void *load_context;
  uint64_t blocked, unread; /* sums over hosts */
} hosts;

/* What always holds of a line, of a host, and of all of them together. */
static inline void assert_line(const line *l)
{
  assert((l->last == NULL) == (l->count == 0));
  assert(l->queued >= l->unread && l->queued - l->unread >= l->deferred);
  (void)l;
}

static inline void assert_host(const hosts *h, const host *who)
{
  assert(who->id < h->count && h->by_id[who->id] == who);
  assert(who->trap_in_flight <= who->in_flight);
  assert(who->blocked <= h->blocked);
  assert(!who->heap_at || !who->ready); /* it waits for its time, or for its turn */
  assert(who->heap_at <= h->heap_count && (!who->heap_at || h->heap[who->heap_at] == who));
  assert(who->ready <= FRONTIER_CLASSES);
  assert(!who->ready || (h->ready_first[who->ready - 1] == who) == (who->ready_before == NULL));
  assert(!who->ready || (h->ready_last[who->ready - 1] == who) == (who->ready_next == NULL));
  assert_line(&who->normal);
  (void)h, (void)who;
}

static inline void assert_hosts(const hosts *h)
{
  assert((h->table_size & (h->table_size - 1)) == 0 && 2 * h->count <= h->table_size);
  assert(h->count < h->room || h->count == 0); /* one more in the heap, which counts from 1 */
  assert(h->heap_count <= h->count && h->dirty_count <= h->count);
  assert(h->delay_ms <= HOST_DELAY_MAX_MS);
  for (unsigned class = 0; class < FRONTIER_CLASSES; ++class)
    assert((h->ready_first[class] == NULL) == (h->ready_last[class] == NULL));
  (void)h;
}

/* The hasher outlives them. It keeps its secret once there is a host: with a known one, 16,000 chosen names have been
 * crowded in one place, which cost 7 s. */
hosts *hosts_create(uint64_t delay_ms, uint32_t per_host, const mlbf_hasher *hasher);
void hosts_set_defaults(hosts *h, uint64_t delay_ms, uint32_t per_host);
void hosts_free(hosts *h); /* and every host and every entry in a line */

/* Find by name, or make with the next id (and touch it); NULL: out of memory. */
host *hosts_find(hosts *h, const char *name, size_t size);
host *hosts_look(const hosts *h, const char *name, size_t size); /* NULL: there is none */
/* Hosts that will be looked for soon: what that takes is fetched, for all of them together. */
enum { HOSTS_FETCH = 32 };
typedef struct host_name {
  const char *at;
  size_t size;
} host_name;
void hosts_fetch(const hosts *h, const host_name *names, size_t count); /* HOSTS_FETCH at most */
/* One that is on disk; NULL: out of memory, or it was there. */
host *hosts_make(hosts *h, const char *name, size_t size, bool *was_there);
uint64_t hosts_count(const hosts *h);
host *hosts_at(const hosts *h, uint32_t id); /* ids are 0..count-1; NULL past the last */

/* Room for a line of this class. false: out of memory. */
bool host_reserve(host *who, frontier_class class);
/* The same, and for one more ordered URL. */
bool host_reserve_ordered(host *who, frontier_class class);
/* NULL: nothing of this class was ever there. */
line *host_line(const host *who, frontier_class class);
uint64_t host_queued(const host *who);

/* Its control, made if there is none yet; NULL: out of memory. */
frontier_host_control *host_control_of(host *who);

/* Between starts: what was set for it, or the default, or what robots.txt asks if that is more. */
uint64_t host_delay(const hosts *h, const host *who);

/* The record changed: remember it for the next commit. hosts_dirty gives the i-th such host, NULL past the last; new
 * ones come in the order of their ids. */
void hosts_touch(hosts *h, host *who);
host *hosts_dirty(const hosts *h, size_t index);
void hosts_clean(hosts *h);

/* What is counted of a host. */
typedef struct host_counts {
  uint64_t queued[FRONTIER_CLASSES];
  uint64_t done, failed, skipped, trap_ended;
  uint32_t found, suspect;
} host_counts;
host_counts host_counts_of(const host *who);
bool host_set_counts(hosts *h, host *who, const host_counts *counts); /* false: no memory */

/* The body of a host record, and back. FORMAT.md, table "hosts". */
enum { HOST_HEAD = 32, HOST_HEAD_2 = 110 };
size_t host_write(const host *who, uint8_t body[HOST_HEAD_2 + URL_LENGTH_MAX]);          /* its size */
frontier_status hosts_read(hosts *h, uint64_t id, const uint8_t *body, size_t size);     /* ids come in order, from 0 */
frontier_status hosts_read_again(hosts *h, host *who, const uint8_t *body, size_t size); /* of one that was read */
/* Whichever it is; the host, if there is one now. */
frontier_status hosts_read_either(hosts *h, const uint8_t *body, size_t size, host **who);

#endif

/* Hosts: who may be asked next, and when.
 *
 * A host is host[:port] as it stands in fetch URLs; http and https of one name are one host. Each has a line of
 * URLs in memory (the head of its part of the queue). A host is in the heap while it has a line and may have
 * one more URL in flight; the heap is ordered by when it is due, then by who waited longest, so with no delay
 * hosts take turns.
 *
 *     table: name -> host          heap: [due 10:00:00.2] [10:00:01.0] ...
 *                     |                       |
 *                     +-- line: e -> e -> e   +-> host
 */
#ifndef STRATA_FRONTIER_HOSTS_H
#define STRATA_FRONTIER_HOSTS_H

#include "frontier/entry.h"

struct host {
  uint32_t id;
  uint32_t in_flight;
  uint64_t queued, done, failed, skipped; /* committed with the batch */
  entry *first, *last;     /* the line */
  uint64_t due_ms;         /* next start not before this */
  uint64_t turn;           /* waits since: breaks ties of due_ms */
  uint64_t delay_ms;
  size_t heap_at;          /* 1-based place in the heap, 0 = not in it */
  bool is_dirty;           /* counts differ from those on disk */
  bool is_low;             /* its line runs low while chunks wait: spill.c has it in a list */
  uint32_t line_count;
  uint32_t chunk_first, chunk_next; /* its chunks on disk are chunk_first .. chunk_next - 1 */
  uint32_t name_size;
  char name[];             /* NUL-terminated */
};

typedef struct hosts hosts;

hosts *hosts_create(uint64_t delay_ms, uint32_t per_host);
void hosts_free(hosts *h); /* and every host and every entry in a line */

/* Find by name, or make with the next id (and touch it); NULL: out of memory. */
host *hosts_find(hosts *h, const char *name, size_t size);
uint64_t hosts_count(const hosts *h);
host *hosts_at(hosts *h, uint32_t id); /* ids are 0..count-1; NULL past the last */

/* Counts changed: remember it for the next commit. hosts_dirty gives the i-th such host, NULL past the last. */
void hosts_touch(hosts *h, host *who);
host *hosts_dirty(hosts *h, size_t index);
void hosts_clean(hosts *h);

/* To the end of its host's line, or (what was leased and comes back) to the head. */
void hosts_push(hosts *h, entry *e);
void hosts_push_front(hosts *h, entry *e);

/* The URL that is due first, taken out of its line; its host's next start is then `now_ms` + delay. NULL if none is
 * due: *wait_ms says how long, or FRONTIER_WAIT_FOREVER if no host may start one. */
entry *hosts_pop_due(hosts *h, uint64_t now_ms, int64_t *wait_ms);
/* A URL of this host is no longer in flight. */
void hosts_landed(hosts *h, host *who);

/* No start before `until_ms`. Never shortens a wait. */
void hosts_back_off(hosts *h, host *who, uint64_t until_ms);

/* At least `delay_ms` between starts, counted from the last one too; never below the default. */
void hosts_set_delay(hosts *h, host *who, uint64_t delay_ms);

/* Cut a line behind its first `keep` entries; the rest, linked, is the caller's. */
entry *hosts_cut(hosts *h, host *who, uint32_t keep);

size_t hosts_waiting(const hosts *h); /* entries in all lines; one with much payload counts for several */

/* The body of a host record, and back. */
enum { HOST_HEAD = 32 };
void host_write(const host *who, uint8_t *body); /* HOST_HEAD + name_size bytes */
frontier_status hosts_read(hosts *h, uint64_t id, const uint8_t *body, size_t size); /* ids come in order, from 0 */

#endif

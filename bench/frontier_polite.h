/* The hosts of the opponents that keep them: one schedule, in memory, for both stores.
 *
 *     ready      h9 -> h1 -> h4          may start something now, in turns
 *       ^ due
 *     heap       [h7 10:00:00.2] ...     may start something, but not yet
 *
 * That is how crawlers over such stores do it (URLFrontier over RocksDB, Heritrix over BDB), and it is faster than an
 * index of due times on disk, which would change with every URL. The numbers of each host's waiting URLs are in memory,
 * too, so that the queue on disk is in order of arrival, and grows and shrinks at its ends; keyed by host and number
 * instead, SQLite wrote 1.45 times as many bytes (600,000 URLs, 100,000 hosts). That takes 8 to 16 bytes for each URL
 * that waits, without bound, which ours does not allow itself.
 *
 * What the store keeps is URLs, and each host's name, delay and counts; open reads hosts and queue, and makes the rest
 * anew. */
#ifndef STRATA_TESTS_FRONTIER_POLITE_H
#define STRATA_TESTS_FRONTIER_POLITE_H

#include "bench/frontier_contender.h"

typedef struct polite_host {
  uint64_t id;       /* 0, 1, ... in order of their first URLs */
  uint64_t *waiting; /* numbers of the URLs that are queued and not in flight: a ring in order of arrival, */
  size_t waiting_first, waiting_count, waiting_room; /* whose room is a power of two, or 0 */
  uint64_t done, failed;
  uint64_t delay_ms, started_ms, due_ms;
  uint64_t wake_ms; /* its place in the heap */
  unsigned in_flight;
  bool is_offered;  /* in the ready line or the heap */
  bool is_changed;  /* since the store last wrote its counts, or */
  bool is_recorded; /* its name and delay: false if those have to be written */
  struct polite_host *ready_next;
  size_t name_size;
  char name[];
} polite_host;

typedef struct polite_lease {
  uint64_t id;
  polite_host *host; /* NULL: it ended */
  uint64_t number;   /* of the URL, rising in order of arrival, > 0 */
  contender_text url;
  struct polite_lease *next_unused;
} polite_lease;

typedef struct polite polite;

polite *polite_create(void);
void polite_free(polite *p);

/* The host of a URL, made if there was none. */
polite_host *polite_host_of(polite *p, const char *url, size_t size);
/* As the store has it: nothing of it changed. In order of ids. */
polite_host *polite_host_restore(polite *p, const char *name, size_t size, uint64_t delay_ms);
polite_host *polite_host_at(polite *p, uint64_t id); /* there is one */

void polite_each_host(const polite *p, contender_host_visitor *visit, void *context);

/* This URL of it can be read from the queue. */
void polite_queued(polite *p, polite_host *host, uint64_t number);

/* The host whose turn it is; `*may` is how many of its URLs it may start. Each is then taken, in order, read and
 * started, and the turn ends with polite_offer. NULL: none is due. */
polite_host *polite_turn(polite *p, size_t *may);
uint64_t polite_take(polite_host *host); /* its number */
void polite_start(polite *p, polite_host *host, uint64_t number, const char *url, size_t size, contender_lease *lease);
void polite_offer(polite *p, polite_host *host);

/* What is in flight under this id; valid until it ends. */
polite_lease *polite_lease_of(polite *p, uint64_t id);
void polite_end(polite *p, polite_lease *lease, contender_state state);

/* At least that long between starts, counted from the last one too. */
void polite_delay(polite *p, polite_host *host, uint64_t delay_ms);

/* A host that is new or whose delay or counts changed since it was last given here; NULL: no more. */
polite_host *polite_changed(polite *p);

#endif

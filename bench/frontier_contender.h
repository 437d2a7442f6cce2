/* What bench_frontier asks of a frontier, so that ours and others' stand in one table.
 *
 *     add     a link: queued if it was never seen
 *     next    up to `max` URLs to fetch; none of them comes again unless the process dies
 *     done    one of them ended, for good: history has its URL, state and code, the queue no more
 *
 * All of it survives a power cut once a group of CONTENDER_GROUP operations is complete. Whoever says `keeps_contract`
 * also keeps what ours (frontier/frontier.h) promises of a crash and of hosts:
 *
 *     again     what was in flight is queued again by the next open
 *     order     URLs of a host come in the order in which they were added
 *     limit     no more than CONTENDER_PER_HOST of a host are in flight
 *     delay     a host with one starts its next URL no sooner than that after its last
 *     turns     each host that may start something gets its turn before any gets a second one
 *     records   hosts are kept, with their delay and how many of their URLs are done and failed
 *
 * sqlite-fifo knows no hosts: one line in order of arrival. `bench_frontier --check` tries each on what it says, and
 * this one shows that the check can fail; it is not measured. Any failure ends the process with a sentence. */
#ifndef STRATA_TESTS_FRONTIER_CONTENDER_H
#define STRATA_TESTS_FRONTIER_CONTENDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Operations in a transaction of the opponents, as many as ours has: 22 commits for 300,000 URLs added and done. With
 * 16,384 SQLite takes half as many syncs again, and no more of the processor. */
enum { CONTENDER_GROUP = 27000 };

enum { CONTENDER_LOT = 512, CONTENDER_PAGE = 64, CONTENDER_TEXT = 128, CONTENDER_PER_HOST = 8 };

typedef struct contender_text {
  char text[CONTENDER_TEXT];
  size_t size;
} contender_text;

typedef struct contender_lease {
  uint64_t id;
  contender_text url;
} contender_lease;

typedef enum contender_state { CONTENDER_DONE = 1, CONTENDER_FAILED } contender_state;

typedef void contender_visitor(void *context, const char *url, size_t size, contender_state state, unsigned code);

typedef struct contender_host {
  const char *name;
  size_t name_size;
  uint64_t delay_ms, done, failed;
} contender_host;

typedef void contender_host_visitor(void *context, const contender_host *host);

typedef struct contender {
  const char *name;
  bool keeps_contract; /* all of it, hosts too */
  double known_rate;   /* it can begin beside known URLs: in a directory of this rate; 0: it cannot */
  bool is_exact;       /* with runs of their keys */
  void *(*open)(const char *directory, uint64_t expected_urls);
  bool (*add)(void *self, const char *url, size_t size); /* true: it was new */
  /* Links of a page, up to CONTENDER_PAGE, in one call; how many were new. NULL: they are added one by one. */
  size_t (*add_page)(void *self, const contender_text *urls, size_t count);
  size_t (*next)(void *self, contender_lease *leases, size_t max);
  bool (*is_finished)(void *self); /* all that was added is done; NULL: when as many are as were new */
  void (*done)(void *self, uint64_t id, contender_state state, unsigned code);
  void (*delay)(void *self, uint64_t id, uint64_t delay_ms); /* of the host of what is in flight; NULL: has none */
  void (*each_ended)(void *self, contender_visitor *visit, void *context);
  void (*each_host)(void *self, contender_host_visitor *visit, void *context);
  void (*close)(void *self);              /* commits what is open */
  void (*commit)(void *self);             /* if enough is open; NULL: done by the calls above */
  void (*report)(void *self);             /* a line about its filter; NULL: it has none */
  void (*compact)(const char *directory); /* that nobody has open; NULL: it has no way */
} contender;

/* Ours: at a rate of 1e-6; the same with options.commit_thread. */
extern const contender contender_strata, contender_thread;
/* With options.exact and 1e-2; the same filter without it, which loses URLs; with a thread; with another filter; and at
 * a rate at which none of a few thousand URLs is late, for --check: a late one comes out of order. */
extern const contender contender_exact, contender_front, contender_exact_thread, contender_exact_line;
extern const contender contender_exact_sure;
extern const contender contender_sqlite, contender_sqlite_fifo, contender_rocksdb;

uint64_t contender_now_ms(void); /* of a clock that never goes back; --check sets it as it likes */
void contender_fail(const char *who, const char *why) __attribute__((noreturn));

#endif

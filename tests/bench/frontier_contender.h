/* What bench_frontier asks of a frontier, so that ours and others' stand in one row.
 *
 *     add     a link: queued if it was never seen
 *     next    up to `max` URLs to fetch; none of them comes again unless the process dies
 *     done    one of them is fetched, for good: history has it, the queue no more
 *
 * All of it survives a power cut once a group of CONTENDER_GROUP operations is complete. The opponents hand out in
 * plain order of arrival: no hosts taking turns, no delays, no verdicts but "seen" and "new". That is less than ours
 * does, and to their advantage. Any failure ends the process with a sentence. */
#ifndef STRATA_TESTS_FRONTIER_CONTENDER_H
#define STRATA_TESTS_FRONTIER_CONTENDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CONTENDER_GROUP = 16384 }; /* operations in a transaction of the opponents, as many as ours has at this pace */

enum { CONTENDER_LOT = 512, CONTENDER_TEXT = 128 };

typedef struct contender_text {
  char text[CONTENDER_TEXT];
  size_t size;
} contender_text;

typedef struct contender {
  const char *name;
  void *(*open)(const char *directory, uint64_t expected_urls);
  bool (*add)(void *self, const char *url, size_t size); /* true: it was new */
  size_t (*add_lot)(void *self, const contender_text *urls, size_t count); /* how many of these were; NULL: one by one */
  size_t (*next)(void *self, uint64_t *ids, size_t max);
  void (*done)(void *self, uint64_t id);
  void (*close)(void *self); /* commits what is open */
  void (*commit)(void *self); /* if enough is open; NULL: done by the calls above */
  void (*report)(void *self); /* a line about its filter; NULL: it has none */
  void (*compact)(const char *directory); /* that nobody has open; NULL: it has no way */
} contender;

extern const contender contender_strata, contender_exact; /* the second with options.exact */
extern const contender contender_sqlite;
extern const contender contender_rocksdb;

void contender_fail(const char *who, const char *why) __attribute__((noreturn));

#endif

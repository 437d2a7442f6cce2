/* datasets/replay/replay.h: the experiment. For each n: filters for n keys get the first n distinct URLs of a list,
 * then the queries of the protocols; every answer is checked against the exact list.
 *
 *     list --first n--> filters <--queries-- protocol
 *                          |
 *                          +--answers, by hash--> sorted --merge with the exact list--> errors counted
 *
 * The list is exact: "seen" of a member is right in every protocol. To count false negatives all n keys are queried
 * after their insertion, as most protocols query none of them. Counts depend on list, settings and seed only; memory
 * depends on the filters, not on the list.
 *
 * Timings: the filters run in turn, a batch of 1,024 keys each, a different filter first in each batch; the result is
 * the median over batches. Hashing is timed, reading and cutting the URL is not. The batch's keys are in the
 * processor's caches; of a filter only what remains there after the other filters' turns. A program is timed alone,
 * over all keys: see program.h. */
#ifndef STRATA_DATASETS_REPLAY_H
#define STRATA_DATASETS_REPLAY_H

#include "datasets/replay/contender.h"
#include "datasets/replay/protocol.h"

enum { REPLAY_FILTERS_MAX = 16, REPLAY_SIZES_MAX = 16 };

/* Make the `index`-th filter for `keys` keys, as contender_make does. */
typedef bool (*replay_make)(void *context, size_t index, uint64_t keys, contender *made, const char **reason);

typedef struct replay_options {
  const urllist *list;
  bool protocols[PROTOCOL_COUNT];
  size_t filter_count;
  bool is_program[REPLAY_FILTERS_MAX]; /* made with a program, and runs alone */
  replay_make make;
  void *make_context;
  size_t size_count;
  uint64_t sizes[REPLAY_SIZES_MAX]; /* n, each from 1 to the list's distinct keys */
  uint64_t queries;                 /* the most a protocol asks; `paper` asks the whole list */
  uint32_t layers;
  uint64_t seed;
  const char *directory;                                     /* for what does not fit in memory */
  void (*note)(void *context, uint64_t n, const char *what); /* the step that begins; may be NULL */
  void *note_context;
  const advance *told; /* of keys inserted and asked, of all that will be; may be NULL */
} replay_options;

/* One row of results.csv. */
typedef struct replay_result {
  protocol protocol;
  const char *filter;
  uint64_t n, bits, queries;
  uint64_t members;           /* queries that were inserted keys */
  uint64_t false_positives;   /* "seen" of a key that was not inserted */
  uint64_t false_negatives;   /* "new" of one that was: members among the queries, and all n asked again */
  double insert_ns, query_ns; /* medians, a key; stream: of the one step that is both; 0: nothing was timed */
  double promised_rate;       /* 0: promises nothing */
  uint32_t hashes;
  bool is_program; /* its times are means, with reading and writing in them, and it ran alone */
} replay_result;

typedef struct replay_results {
  size_t count;
  replay_result rows[REPLAY_SIZES_MAX * PROTOCOL_COUNT * REPLAY_FILTERS_MAX]; /* by n, then protocol, then filter */
  char failure[PROGRAM_FAILURE_SIZE]; /* of a program: what *reason may point to */
} replay_results;

/* False: `*reason` says why; it lasts as long as the results. */
bool replay_run(const replay_options *options, replay_results *results, const char **reason);

#endif

/* Keys, queries and the truth about them, for measuring how often filters are wrong. The queries are those of
 * `strata replay` (datasets/replay/protocol.h). Whatever fails ends the program. */
#ifndef STRATA_TESTS_FILTER_QUERIES_H
#define STRATA_TESTS_FILTER_QUERIES_H

#include "datasets/replay/protocol.h"
#include "mlbf/filter.h"
#include "bench/url_list.h"

enum { SETS = 6, SEED = 20261120 };
extern const protocol sets[SETS]; /* the new hosts last */

void *need(void *memory);

/* For what does not fit in memory: some 100 bytes a key. */
const char *query_directory(void);

/* The keys of a list. */
typedef struct source {
  urllist *list;
  uint64_t keys; /* the first so many are inserted */
} source;

source source_make(const url_list *urls, size_t keys_per_host); /* not 0: another host for every so many keys */

/* The next of the keys to insert; false: there are no more. */
bool source_fill(const source *from, uint64_t *rank, key_batch *batch);

/* A set of keys, as 128-bit hashes. */
typedef struct truth {
  key_hash *slots; /* free() */
  size_t mask;
} truth;

truth truth_create(size_t keys);
bool truth_add(truth *all, key_hash hash); /* true: it is there for the first time */
bool truth_knows(const truth *all, key_hash hash);

/* A line with the rate of wrong answers and its exact 95 % interval (Clopper and Pearson). */
void print_interval(const char *name, double queries, double wrong);

#endif

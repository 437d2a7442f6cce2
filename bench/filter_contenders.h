/* What bench_filters compares: each is made, given URLs and asked about URLs, a chunk at a time. */
#ifndef STRATA_TESTS_FILTER_CONTENDERS_H
#define STRATA_TESTS_FILTER_CONTENDERS_H

#include "mlbf/filter.h"
#include "bench/filter_opponent.h"
#include "bench/url_list.h"

enum { CHUNK_URLS = 1024 }; /* at most so many at once */

/* A list's URLs as keys: whole, and cut into segments. */
typedef struct url_keys {
  size_t count;
  const mlbf_span *texts; /* of the list */
  mlbf_key *whole, *layered;
  mlbf_span *segments; /* of `layered`, end to end */
} url_keys;

url_keys url_keys_make(const url_list *list);
void url_keys_free(url_keys *keys);

/* `count` of them from `begin` on, which remain the list's; not to be freed. */
url_keys url_keys_part(const url_keys *of, size_t begin, size_t count);

/* A row. */
typedef struct contender {
  const char *name;
  const char *against;             /* the row of ours whose time its own is divided by; NULL: it is ours */
  const filter_opponent *opponent; /* NULL: not somebody else's */
  bool tells;                      /* an opponent's `add` says what it had seen */
  mlbf_kind kind;
  bool signals, single; /* single: key by key */
  bool same_bits;       /* as many as mlbf with signals has, and the best k for them */
  bool is_floor;        /* no filter: XXH3_64, and a word of one prefetched line read and written */
} contender;

extern const contender contenders[];
extern const size_t contender_count;

/* False: an opponent that was not linked. */
bool contender_is_there(const contender *row);

/* An empty filter for so many keys at this rate, and its size. */
void *contender_make(const contender *row, uint64_t keys, double rate, uint64_t *bits);
uint64_t contender_add(const contender *row, void *filter, const url_keys *chunk); /* both count the seen */
uint64_t contender_ask(const contender *row, void *filter, const url_keys *chunk);
void contender_drop(const contender *row, void *filter);

/* Ours, with the seed of all benches. Exits if it cannot be made. */
mlbf_filter *bench_filter(mlbf_kind kind, bool signals, uint64_t keys, double rate, uint64_t bits);

double median(double *values, size_t count); /* sorts them */

#endif

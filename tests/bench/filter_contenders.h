/* What bench_filters compares: each is made, given URLs and asked about URLs, a chunk at a time. */
#ifndef STRATA_TESTS_FILTER_CONTENDERS_H
#define STRATA_TESTS_FILTER_CONTENDERS_H

#include "mlbf/filter.h"

enum { CHUNK_URLS = 1024 };

/* URLs ready to be asked: their bytes lie end to end, and who wants them cut has them cut. */
typedef struct url_chunk {
  size_t count;
  mlbf_span texts[CHUNK_URLS];
  mlbf_key whole[CHUNK_URLS], layered[CHUNK_URLS];
} url_chunk;

typedef struct contender {
  const char *name;
  void *(*make)(uint64_t keys, double rate, uint64_t bits); /* for a rate; or for bits, if not 0 */
  uint64_t (*add)(void *state, const url_chunk *chunk);     /* test and set; both return how many it had seen */
  uint64_t (*ask)(void *state, const url_chunk *chunk);
  void (*drop)(void *state);
} contender;

/* Ours, in batches and one by one. */
extern const contender contender_line, contender_line_single, contender_mlbf, contender_bloom;

/* libbloom of Debian, one instance at a time; RedisBloom's bloom.c as BF.RESERVE makes it (64-bit hashes, no
 * rounding), from a library made elsewhere. */
extern const contender contender_libbloom;
#ifdef HAVE_REDISBLOOM
extern const contender contender_redisbloom;
#endif

/* A line in RocksDB's manner (FastLocalBloom, RocksDB 6.6): the lower half of a 64-bit hash chooses the line, the
 * upper half, multiplied again and again by 2^32 / golden ratio, gives positions from its top 9 bits. Asked eight
 * probes at a time with AVX2, added one by one; in the same batches, hashed and fetched ahead, as ours. */
extern const contender contender_rocks;
void *rocks_make(uint64_t keys, double rate, uint64_t bits);
uint64_t rocks_add_hashes(void *state, const uint64_t *hashes, size_t count); /* at most 32; counts the seen */
void rocks_drop(void *state);

/* For tables: cleared, and in huge pages if the system has them, as our filters are. Exits if there is no memory. */
void *table_allocate(uint64_t bytes);
void *need(void *memory);
mlbf_filter *filter_create(mlbf_kind kind, uint64_t keys, double rate, uint64_t bits);

#endif

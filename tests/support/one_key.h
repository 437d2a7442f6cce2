/* One key at a time, with its hashes at hand: filter.h's calls with n = 1. */
#ifndef STRATA_TESTS_ONE_KEY_H
#define STRATA_TESTS_ONE_KEY_H

#include "mlbf/filter.h"

typedef struct one_key {
  mlbf_hash128 whole;
  uint32_t depth; /* its segments that have hashes: those of layers with bits */
  mlbf_hash128 layer[MLBF_LAYERS_MAX];
} one_key;

static inline void one_key_hash(const mlbf_filter *filter, const mlbf_span *segments, size_t count, one_key *key)
{
  uint8_t layers[MLBF_LAYERS_MAX];
  mlbf_hashes hashes = {&key->whole, &key->depth, key->layer, layers};
  mlbf_hash(filter, &(mlbf_key){segments, count}, 1, &hashes);
}

static inline mlbf_verdict one_key_test(const mlbf_filter *filter, const one_key *key)
{
  uint8_t layers[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
  one_key copy = *key;
  mlbf_hashes hashes = {&copy.whole, &copy.depth, copy.layer, layers};
  mlbf_verdict verdict;
  mlbf_test_hashes(filter, &hashes, 1, &verdict);
  return verdict;
}

static inline mlbf_status one_key_insert(mlbf_filter *filter, const one_key *key, mlbf_verdict *verdict)
{
  uint8_t layers[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
  one_key copy = *key;
  mlbf_hashes hashes = {&copy.whole, &copy.depth, copy.layer, layers};
  return mlbf_insert_hashes(filter, &hashes, 1, verdict);
}

/* A key's own hash alone, as from a log. */
static inline mlbf_status one_whole_insert(mlbf_filter *filter, mlbf_hash128 whole)
{
  return mlbf_insert_hashes(filter, &(mlbf_hashes){.keys = &whole}, 1, NULL);
}

static inline bool one_whole_test(const mlbf_filter *filter, mlbf_hash128 whole)
{
  mlbf_verdict verdict;
  mlbf_test_hashes(filter, &(mlbf_hashes){.keys = &whole}, 1, &verdict);
  return verdict.outcome == MLBF_SEEN;
}

/* One segment alone. */
static inline void one_segment_insert(mlbf_filter *filter, uint32_t layer, mlbf_hash128 segment)
{
  uint32_t end = 1;
  uint8_t small = (uint8_t)layer;
  mlbf_insert_hashes(filter, &(mlbf_hashes){.ends = &end, .segments = &segment, .layers = &small}, 1, NULL);
}

static inline bool one_segment_test(const mlbf_filter *filter, uint32_t layer, mlbf_hash128 segment)
{
  uint32_t end = 1;
  uint8_t small = (uint8_t)layer;
  mlbf_hash128 key = {1, 1};
  mlbf_verdict verdict;
  mlbf_test_hashes(filter, &(mlbf_hashes){&key, &end, &segment, &small}, 1, &verdict);
  return verdict.unknown == 0;
}

#endif

/* The classic Bloom filter (Bloom 1970): k bits of m, anywhere. The reference for measuring the others; every
 * bit of a query may be a cache miss. */
#include "mlbf/filter/inside.h"

static void bloom_hash(const mlbf_filter *filter, const mlbf_span *segments, size_t count, mlbf_hashes *hashes)
{
  hashes->whole = mlbf_hash_whole(&filter->keying.keys, segments, count);
  hashes->depth = 0;
}

static mlbf_verdict bloom_test(const mlbf_filter *filter, const mlbf_hashes *hashes)
{
  bool is_known = mlbf_classic_test(&filter->arrays[0], hashes->whole);
  return (mlbf_verdict){is_known ? MLBF_SEEN : MLBF_NEW, 0};
}

static mlbf_verdict bloom_insert(mlbf_filter *filter, const mlbf_hashes *hashes)
{
  bool was_new = mlbf_classic_insert(&filter->arrays[0], hashes->whole);
  return (mlbf_verdict){was_new ? MLBF_NEW : MLBF_SEEN, 0};
}

static void bloom_prefetch_wholes(const mlbf_filter *filter, const mlbf_hash128 *wholes, size_t count)
{
  for (size_t i = 0; i < count; i++)
    mlbf_classic_prefetch(&filter->arrays[0], wholes[i]);
}

static void bloom_prefetch(const mlbf_filter *filter, const mlbf_hashes *hashes)
{
  bloom_prefetch_wholes(filter, &hashes->whole, 1);
}

static uint64_t bloom_test_wholes(const mlbf_filter *filter, const mlbf_hash128 *wholes, size_t count)
{
  uint64_t known = 0;
  for (size_t i = 0; i < count; i++)
    known |= (uint64_t)mlbf_classic_test(&filter->arrays[0], wholes[i]) << i;
  return known;
}

static uint64_t bloom_insert_wholes(mlbf_filter *filter, const mlbf_hash128 *wholes, size_t count)
{
  uint64_t were_new = 0;
  for (size_t i = 0; i < count; i++)
    were_new |= (uint64_t)mlbf_classic_insert(&filter->arrays[0], wholes[i]) << i;
  return were_new;
}

const mlbf_operations mlbf_bloom_operations = {
  .hash = bloom_hash,
  .test = bloom_test,
  .insert = bloom_insert,
  .prefetch = bloom_prefetch,
  .prefetch_wholes = bloom_prefetch_wholes,
  .test_wholes = bloom_test_wholes,
  .insert_wholes = bloom_insert_wholes,
};

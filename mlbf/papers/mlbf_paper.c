/* The seed paper's two filters as printed: Cen, Xu, Sun, "A Multi-Layer Bloom Filter for Duplicated URL
 * Detection". For reproducing its figures; do not use them for anything else.
 *
 *   bloom-paper  one array of m bits, k hashes of the whole URL
 *
 *   mlbf-paper   a1        a2        ...  aL          Hash_j, j = 1..k, reduced mod m
 *                | | |     | | |          | | |
 *              [layer 1] [layer 2]      [layer L]     m bits each
 *                \ \ \-----\-\-\----------\-\-\--> XOR over layers, for each j, mod m
 *                                        [extra]      m bits
 *
 * Our choices where the paper says nothing or is wrong, kept by a stored filter in tests/golden:
 *   - Hash_j is XXH3_64 with seed j, taken of the segment's XXH3_128 fingerprint and not of its bytes, so
 *     that a segment is read once and hashes fit the common interface. Fingerprints agree by chance with
 *     probability 2^-128: every figure is as if the bytes had been hashed.
 *   - The address is hash mod m. The XOR is of addresses, runs over all layers (Algorithm 2 prints it
 *     inside an `if` after `return`), and is reduced mod m, since the XOR of two numbers below m may exceed it.
 *   - It sets bits of an m-bit array (the text says "an array of k bits").
 *   - A URL deeper than L keeps its whole remainder in layer L; a shallower one uses the layers it has.
 *   - The caller drops the scheme and cuts at '/': nothing here knows a URL.
 *
 * What is wrong with it, certain and by construction: the XOR has no layer salt, so (a,b) and (b,a) agree,
 * and so do (a,a) and (b,b). See README.md. */
#include <xxhash.h>

#include "mlbf/filter/inside.h"

static uint64_t address(mlbf_hash128 fingerprint, uint32_t j, uint64_t m)
{
  return XXH3_64bits_withSeed(&fingerprint, sizeof fingerprint, j) % m;
}

static bool paper_test_array(const mlbf_array *array, mlbf_hash128 fingerprint)
{
  for (uint32_t j = 1; j <= array->hashes; j++)
    if (!mlbf_bit_test(array, address(fingerprint, j, array->bits)))
      return false;
  return true;
}

static bool paper_insert_array(mlbf_array *array, mlbf_hash128 fingerprint)
{
  bool was_new = false;
  for (uint32_t j = 1; j <= array->hashes; j++)
    was_new |= mlbf_bit_set(array, address(fingerprint, j, array->bits));
  return was_new;
}

/* bloom-paper */

static void bloom_paper_hash(const mlbf_filter *filter, const mlbf_span *segments, size_t count, mlbf_hashes *hashes)
{
  hashes->whole = mlbf_hash_bytes(segments, count, filter->keying.seed);
  hashes->depth = 0;
}

static mlbf_verdict bloom_paper_test(const mlbf_filter *filter, const mlbf_hashes *hashes)
{
  bool is_known = paper_test_array(&filter->arrays[0], hashes->whole);
  return (mlbf_verdict){is_known ? MLBF_SEEN : MLBF_NEW, 0};
}

static mlbf_verdict bloom_paper_insert(mlbf_filter *filter, const mlbf_hashes *hashes)
{
  bool was_new = paper_insert_array(&filter->arrays[0], hashes->whole);
  return (mlbf_verdict){was_new ? MLBF_NEW : MLBF_SEEN, 0};
}

static uint64_t bloom_paper_test_wholes(const mlbf_filter *filter, const mlbf_hash128 *wholes, size_t count)
{
  uint64_t known = 0;
  for (size_t i = 0; i < count; i++)
    known |= (uint64_t)paper_test_array(&filter->arrays[0], wholes[i]) << i;
  return known;
}

static uint64_t bloom_paper_insert_wholes(mlbf_filter *filter, const mlbf_hash128 *wholes, size_t count)
{
  uint64_t were_new = 0;
  for (size_t i = 0; i < count; i++)
    were_new |= (uint64_t)paper_insert_array(&filter->arrays[0], wholes[i]) << i;
  return were_new;
}

/* The paper's programs fetch nothing ahead, and its figures are times. */
static void paper_prefetch_wholes(const mlbf_filter *filter, const mlbf_hash128 *wholes, size_t count)
{
  (void)filter;
  (void)wholes;
  (void)count;
}

static void paper_prefetch(const mlbf_filter *filter, const mlbf_hashes *hashes)
{
  (void)filter;
  (void)hashes;
}

const mlbf_operations mlbf_bloom_paper_operations = {
  .hash = bloom_paper_hash,
  .test = bloom_paper_test,
  .insert = bloom_paper_insert,
  .prefetch = paper_prefetch,
  .prefetch_wholes = paper_prefetch_wholes,
  .test_wholes = bloom_paper_test_wholes,
  .insert_wholes = bloom_paper_insert_wholes,
};

/* mlbf-paper: array 0 is the extra one, array i layer i. */

static void paper_hash(const mlbf_filter *filter, const mlbf_span *segments, size_t count, mlbf_hashes *hashes)
{
  mlbf_hash_paper(filter->keying.seed, filter->plan.array_count - 1, segments, count, hashes);
}

static uint64_t xor_address(const mlbf_filter *filter, const mlbf_hashes *hashes, uint32_t j)
{
  uint64_t m = filter->arrays[0].bits, xored = 0;
  for (uint32_t i = 0; i < hashes->depth; i++)
    xored ^= address(hashes->layer[i], j, m);
  return xored % m;
}

static bool paper_test_segment(const mlbf_filter *filter, uint32_t layer, mlbf_hash128 segment)
{
  return paper_test_array(&filter->arrays[layer], segment);
}

static void paper_insert_segment(mlbf_filter *filter, uint32_t layer, mlbf_hash128 segment)
{
  paper_insert_array(&filter->arrays[layer], segment);
}

/* Algorithm 2 */
static mlbf_verdict paper_test(const mlbf_filter *filter, const mlbf_hashes *hashes)
{
  for (uint32_t layer = 1; layer <= hashes->depth; layer++)
    if (!paper_test_segment(filter, layer, hashes->layer[layer - 1]))
      return (mlbf_verdict){MLBF_NEW_SEGMENT, layer};
  for (uint32_t j = 1; j <= filter->arrays[0].hashes; j++)
    if (!mlbf_bit_test(&filter->arrays[0], xor_address(filter, hashes, j)))
      return (mlbf_verdict){MLBF_NEW_COMBINATION, 0};
  return (mlbf_verdict){MLBF_SEEN, 0};
}

/* Algorithm 1, after the test that says what it changed */
static mlbf_verdict paper_insert(mlbf_filter *filter, const mlbf_hashes *hashes)
{
  mlbf_verdict verdict = paper_test(filter, hashes);
  for (uint32_t layer = 1; layer <= hashes->depth; layer++)
    paper_insert_segment(filter, layer, hashes->layer[layer - 1]);
  for (uint32_t j = 1; j <= filter->arrays[0].hashes; j++)
    mlbf_bit_set(&filter->arrays[0], xor_address(filter, hashes, j));
  return verdict;
}

static double paper_layer_distinct(const mlbf_filter *filter, uint32_t layer)
{
  return mlbf_array_keys(&filter->arrays[layer]);
}

const mlbf_operations mlbf_paper_operations = {
  .hash = paper_hash,
  .test = paper_test,
  .insert = paper_insert,
  .prefetch = paper_prefetch,
  .test_segment = paper_test_segment,
  .insert_segment = paper_insert_segment,
  .layer_distinct = paper_layer_distinct,
};

/* See hash_sort.h: a pass that puts them in buckets, then insertion. Few hashes, as pages have, go through a copy; many
 * are moved in place (an "American flag" sort). */
#include "mlbf/similar/hash_sort.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>

enum {
  BITS = 8,
  BUCKETS = 1 << BITS,
  CROWD = 64, /* hashes in one bucket, at most, for insertion; more than an even spread makes */
  FEW = 448,  /* hashes, whose copy takes 3.5 kB of stack */
  BITS_OF_FEW = 7,
  BUCKETS_OF_FEW = 1 << BITS_OF_FEW,
};

static int ascending(const void *a, const void *b)
{
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

/* Its highest bit is the greatest one's. */
static uint64_t bits_of_all(const uint64_t *at, size_t count)
{
  uint64_t bits = 0;
  for (size_t i = 0; i < count; i++)
    bits |= at[i];
  return bits;
}

/* Where each bucket begins and ends, the number of the last being `count`. Returns the size of the fullest. */
static size_t divide(const uint64_t *at, size_t count, unsigned shift, size_t begins[BUCKETS], size_t ends[BUCKETS])
{
  size_t sizes[BUCKETS] = {0}, fullest = 0, begin = 0;
  for (size_t i = 0; i < count; i++)
    sizes[at[i] >> shift]++;
  for (unsigned b = 0; b < BUCKETS; b++) {
    begins[b] = begin;
    ends[b] = begin += sizes[b];
    fullest = sizes[b] > fullest ? sizes[b] : fullest;
  }
  return fullest;
}

/* Each to its bucket: what is in its place goes to its own in turn. */
static void distribute(uint64_t *at, unsigned shift, size_t begins[BUCKETS], const size_t ends[BUCKETS])
{
  for (unsigned b = 0; b < BUCKETS; b++)
    while (begins[b] < ends[b]) {
      uint64_t hash = at[begins[b]];
      for (unsigned to; (to = (unsigned)(hash >> shift)) != b;) {
        uint64_t next = at[begins[to]];
        at[begins[to]++] = hash;
        hash = next;
      }
      at[begins[b]++] = hash;
    }
}

static void insert_each(uint64_t *at, size_t count)
{
  for (size_t i = 1; i < count; i++) {
    uint64_t hash = at[i];
    size_t to = i;
    for (; to > 0 && at[to - 1] > hash; to--)
      at[to] = at[to - 1];
    at[to] = hash;
  }
}

static void sort_many(uint64_t *at, size_t count, unsigned shift)
{
  size_t begins[BUCKETS], ends[BUCKETS];
  if (divide(at, count, shift, begins, ends) > CROWD) {
    qsort(at, count, sizeof *at, ascending);
    return;
  }
  distribute(at, shift, begins, ends);
  insert_each(at, count);
}

/* Into the buckets of a copy, and from there each to its place. A crowd in one bucket costs little among so few. */
static void sort_few(uint64_t *at, size_t count, unsigned shift)
{
  uint64_t copy[FEW];
  uint16_t places[BUCKETS_OF_FEW] = {0}, place = 0;
  assert(count <= FEW);
  for (size_t i = 0; i < count; i++)
    places[at[i] >> shift]++;
  for (size_t b = 0; b < BUCKETS_OF_FEW; b++) {
    uint16_t size = places[b];
    places[b] = place;
    place = (uint16_t)(place + size);
  }
  for (size_t i = 0; i < count; i++)
    copy[places[at[i] >> shift]++] = at[i];
  for (size_t i = 0; i < count; i++) {
    uint64_t hash = copy[i];
    size_t to = i;
    for (; to > 0 && at[to - 1] > hash; to--)
      at[to] = at[to - 1];
    at[to] = hash;
  }
}

void mlbf_hash_sort(uint64_t *at, size_t count)
{
  uint64_t bits = bits_of_all(at, count);
  unsigned size = bits ? 64 - (unsigned)__builtin_clzll(bits) : 0;
  if (count <= FEW)
    sort_few(at, count, size > BITS_OF_FEW ? size - BITS_OF_FEW : 0);
  else
    sort_many(at, count, size > BITS ? size - BITS : 0);
}

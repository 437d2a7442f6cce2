/* See hash_sort.h: an "American flag" pass, then insertion. */
#include "mlbf/similar/hash_sort.h"

#include <stdlib.h>

enum { BUCKETS = 256, CROWD = 64 /* hashes in one bucket, at most, for insertion; more than an even spread makes */ };

static int ascending(const void *a, const void *b)
{
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

static uint64_t greatest(const uint64_t *at, size_t count)
{
  uint64_t most = 0;
  for (size_t i = 0; i < count; i++)
    most = at[i] > most ? at[i] : most;
  return most;
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

void mlbf_hash_sort(uint64_t *at, size_t count)
{
  size_t begins[BUCKETS], ends[BUCKETS];
  uint64_t most = greatest(at, count);
  if (most < BUCKETS || count < CROWD / 4) {
    if (count > 1)
      qsort(at, count, sizeof *at, ascending);
    return;
  }
  unsigned shift = 56 - (unsigned)__builtin_clzll(most);
  if (divide(at, count, shift, begins, ends) > CROWD) {
    qsort(at, count, sizeof *at, ascending);
    return;
  }
  distribute(at, shift, begins, ends);
  insert_each(at, count);
}

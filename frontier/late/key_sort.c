/* Keys in order, in place: by the first byte into 256 buckets, each of these by the next byte, and so on, until few are
 * left ("American flag sort": McIlroy, Bostic and McIlroy, Engineering Radix Sort, 1993). Of 65,536 hashes the first
 * byte leaves buckets that lie in the nearest cache, the second one key each; then few neighbours are exchanged.
 *
 * Always: each pass takes a byte of the rest, or finds that all are equal in it. So any keys are sorted, in the time of
 * 24 passes at most, and with 130 KiB of stack. */
#include "frontier/late/key_file.h"

#include <string.h>

enum { BYTE = 8, BUCKETS = 256, FEW = 16, SCATTERED = 1024 };

/* The words of an item, the most significant first, lie in this order. */
static const size_t word_at[] = {1, 0, 2};
_Static_assert(offsetof(mlbf_hash128, high) == 8 && sizeof(mlbf_hash128) == 16, "low, high");
_Static_assert(offsetof(numbered_key, number) == 16 && sizeof(numbered_key) == 24, "key, number");

typedef struct sorter {
  void (*sort)(uint64_t *items, size_t count, unsigned bit);
  void (*scatter)(uint64_t *items, size_t count, unsigned bit, size_t *next); /* not inlined, for its stack */
} sorter;

/* Inlined into the two below, so that the number of words is a constant there. */
#define INLINED static inline __attribute__((always_inline))

INLINED bool is_less(const uint64_t *a, const uint64_t *b, size_t words)
{
  for (size_t i = 0; i + 1 < words; i++)
    if (a[word_at[i]] != b[word_at[i]])
      return a[word_at[i]] < b[word_at[i]];
  return a[word_at[words - 1]] < b[word_at[words - 1]];
}

INLINED void copy(uint64_t *to, const uint64_t *from, size_t words)
{
  for (size_t i = 0; i < words; i++)
    to[i] = from[i];
}

INLINED void sort_few(uint64_t *items, size_t count, size_t words)
{
  for (size_t i = 1; i < count; i++) {
    uint64_t item[3];
    size_t at = i;
    copy(item, items + i * words, words);
    for (; at > 0 && is_less(item, items + (at - 1) * words, words); at--)
      copy(items + at * words, items + (at - 1) * words, words);
    copy(items + at * words, item, words);
  }
}

INLINED size_t bucket_of(const uint64_t *item, unsigned bit)
{
  return item[word_at[bit / 64]] >> (64 - BYTE - bit % 64) & (BUCKETS - 1);
}

/* By the byte at `bit`: item after item goes where its bucket's next place is, and the one that was there on. */
INLINED void into_buckets(uint64_t *items, size_t words, unsigned bit, size_t *next, const size_t *ends)
{
  for (size_t bucket = 0; bucket < BUCKETS; bucket++)
    while (next[bucket] < ends[bucket]) {
      uint64_t item[3], other[3];
      copy(item, items + next[bucket] * words, words);
      for (size_t to; (to = bucket_of(item, bit)) != bucket;) {
        uint64_t *place = items + next[to]++ * words;
        copy(other, place, words);
        copy(place, item, words);
        copy(item, other, words);
      }
      copy(items + next[bucket]++ * words, item, words);
    }
}

/* The same of a few, which are copied first: then no item waits for another one. */
INLINED void scatter(uint64_t *items, size_t count, size_t words, unsigned bit, size_t *next)
{
  uint64_t copies[SCATTERED * 3];
  memcpy(copies, items, count * words * sizeof *items);
  for (size_t i = 0; i < count; i++)
    copy(items + next[bucket_of(copies + i * words, bit)]++ * words, copies + i * words, words);
}

INLINED void sort_items(uint64_t *items, size_t count, size_t words, unsigned bit, const sorter *s)
{
  size_t next[BUCKETS], ends[BUCKETS];
  for (; count > FEW && bit < 64 * words; bit += BYTE) {
    size_t sum = 0, most = 0;
    memset(ends, 0, sizeof ends);
    for (size_t i = 0; i < count; i++)
      ends[bucket_of(items + i * words, bit)]++;
    for (size_t i = 0; i < BUCKETS; i++) {
      most = ends[i] > most ? ends[i] : most;
      next[i] = sum;
      sum += ends[i];
      ends[i] = sum;
    }
    if (most == count)
      continue; /* they are equal in it */
    if (count <= SCATTERED)
      s->scatter(items, count, bit, next);
    else
      into_buckets(items, words, bit, next, ends);
    for (size_t i = 0, begin = 0; i < BUCKETS && most > FEW; begin = ends[i++])
      if (ends[i] - begin > FEW)
        s->sort(items + begin * words, ends[i] - begin, bit + BYTE);
    break;
  }
  sort_few(items, count, words);
}

static __attribute__((noinline)) void scatter_keys(uint64_t *items, size_t count, unsigned bit, size_t *next)
{
  scatter(items, count, 2, bit, next);
}

static __attribute__((noinline)) void scatter_numbered(uint64_t *items, size_t count, unsigned bit, size_t *next)
{
  scatter(items, count, 3, bit, next);
}

static void sort_keys(uint64_t *items, size_t count, unsigned bit)
{
  static const sorter s = {sort_keys, scatter_keys};
  sort_items(items, count, 2, bit, &s);
}

static void sort_numbered(uint64_t *items, size_t count, unsigned bit)
{
  static const sorter s = {sort_numbered, scatter_numbered};
  sort_items(items, count, 3, bit, &s);
}

void keys_sort(mlbf_hash128 *keys, size_t count)
{
  if (count > 1)
    sort_keys(&keys->low, count, 0);
}

void numbered_keys_sort(numbered_key *keys, size_t count)
{
  if (count > 1)
    sort_numbered(&keys->key.low, count, 0);
}

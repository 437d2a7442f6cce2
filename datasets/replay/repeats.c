/* See repeats.h. Segments at both depths are sorted by hash, so those of one segment are neighbours. Always: a rank in
 * `repeats` is that of an inserted key with a segment after the first REPEATS_BEFORE. Called by protocol.c. */
#include "datasets/replay/repeats.h"
#include "datasets/replay/batch.h"
#include "datasets/sort/rng.h"
#include "datasets/sort/sorter.h"

#include <stdlib.h>
#include <string.h>

enum { SAMPLE = 65536 }; /* more variety than any filter of ours could tell apart */

/* A segment after the first REPEATS_BEFORE of a key. */
typedef struct sighting {
  key_hash hash;
  uint64_t rank;
  uint64_t depth; /* segments before it */
} sighting;

struct repeats {
  const urllist *list;
  size_t count;
  uint64_t rank[SAMPLE]; /* of a key that has it at REPEATS_BEFORE */
};

static int by_hash_and_depth(const void *a, const void *b)
{
  const sighting *one = a, *two = b;
  int hashes = key_hash_compare(&one->hash, &two->hash);
  if (hashes != 0)
    return hashes;
  if (one->depth != two->depth)
    return one->depth < two->depth ? -1 : 1;
  return (one->rank > two->rank) - (one->rank < two->rank);
}

/* The segment of a key after the first `depth`, without a query; size 0: the key has no such segment. */
static mlbf_span segment_at(const urllist *list, uint64_t rank, size_t depth, bool *is_last)
{
  mlbf_span segments[MLBF_LAYERS_MAX];
  size_t size;
  const char *key = urllist_key(list, rank, &size);
  size_t count = cut_key(CUT_PAPER, key, size, segments);
  *is_last = count == depth + 1;
  if (count <= depth || segments[depth].size <= 1 || memchr(segments[depth].bytes, '?', segments[depth].size))
    return (mlbf_span){NULL, 0};
  return segments[depth];
}

static bool collect(const urllist *list, uint64_t inserted, sorter *sightings)
{
  for (uint64_t rank = 0; rank < inserted; rank++)
    for (size_t depth = REPEATS_BEFORE; depth <= REPEATS_BEFORE + 1; depth++) {
      bool is_last;
      mlbf_span segment = segment_at(list, rank, depth, &is_last);
      if (segment.size == 0 || (depth > REPEATS_BEFORE && !is_last))
        continue;
      sighting seen = {key_hash_of(segment.bytes, segment.size), rank, depth};
      if (!sorter_add(sightings, &seen))
        return false;
    }
  return sorter_finish(sightings);
}

/* Of each segment, sightings at the lesser depth come first. Those found at both go through a reservoir. */
static void sample(repeats *kept, sorter *sorted, uint64_t rng)
{
  sighting last = {.depth = 0};
  uint64_t found = 0;
  for (const sighting *seen; (seen = sorter_next(sorted)) != NULL; last = *seen) {
    bool is_found = seen->depth > last.depth && last.depth == REPEATS_BEFORE &&
                    key_hash_compare(&seen->hash, &last.hash) == 0;
    if (!is_found)
      continue;
    uint64_t place = found < SAMPLE ? found : rng_below(&rng, found + 1);
    found++;
    if (place < SAMPLE)
      kept->rank[place] = last.rank;
  }
  kept->count = found < SAMPLE ? (size_t)found : SAMPLE;
}

repeats *repeats_find(const urllist *list, uint64_t inserted, const char *directory, uint64_t seed)
{
  repeats *made = malloc(sizeof *made);
  sorter *sightings = sorter_create(directory, sizeof(sighting), by_hash_and_depth, SORTER_MEMORY);
  bool is_found = made != NULL && sightings != NULL && collect(list, inserted, sightings);
  if (is_found) {
    made->list = list;
    sample(made, sightings, rng_mix(seed));
  }
  sorter_free(sightings);
  if (is_found)
    return made;
  free(made);
  return NULL;
}

void repeats_free(repeats *old)
{
  free(old);
}

const char *repeats_draw(const repeats *known, uint64_t *rng, size_t *size)
{
  if (known->count == 0)
    return NULL;
  bool is_last;
  uint64_t rank = known->rank[rng_below(rng, known->count)];
  mlbf_span segment = segment_at(known->list, rank, REPEATS_BEFORE, &is_last);
  *size = segment.size;
  return segment.bytes;
}

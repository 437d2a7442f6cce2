/*     segments (hash salted by layer, rank) --sort--> first row of each segment: new there, at (rank, layer)
 *                                                     --sort--> by rank: its first new layer decides the verdict
 */
#include "datasets/replay/statistics.h"
#include "datasets/sort/rng.h"
#include "datasets/sort/sorter.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { LAYER_BITS = 5 };

typedef struct segment_record {
  key_hash hash;  /* the layer mixed in: one group is one segment at one layer */
  uint64_t place; /* rank, and the layer (from 0) in the lower LAYER_BITS */
} segment_record;

static_assert(STATISTICS_SEGMENT_BYTES == sizeof(segment_record), "a segment in the files");

static int by_hash_and_place(const void *a, const void *b)
{
  const segment_record *one = a, *two = b;
  int hashes = key_hash_compare(&one->hash, &two->hash);
  return hashes != 0 ? hashes : (one->place > two->place) - (one->place < two->place);
}

static int by_place(const void *a, const void *b)
{
  uint64_t one = *(const uint64_t *)a, two = *(const uint64_t *)b;
  return (one > two) - (one < two);
}

/* All keys are looked through, and their segments, once for each cut; and once for the sizes. */
enum { STEPS = 1 + 2 * CUT_COUNT };

static bool collect_segments(const urllist *list, key_cut cut, layer_statistics *counted, sorter *segments,
                             const advance *told)
{
  for (uint64_t rank = 0; rank < urllist_distinct(list); rank++) {
    mlbf_span spans[MLBF_LAYERS_MAX];
    size_t size;
    advance_tell(told, rank + (1 + 2 * (uint64_t)cut) * urllist_distinct(list), STEPS * urllist_distinct(list));
    const char *key = urllist_key(list, rank, &size);
    size_t count = cut_key(cut, key, size, spans);
    if (count > counted->layers) {
      count = counted->layers;
      spans[count - 1].size = (size_t)(key + size - (const char *)spans[count - 1].bytes);
    }
    for (size_t layer = 0; layer < count; layer++) {
      segment_record record = {key_hash_of(spans[layer].bytes, spans[layer].size), rank << LAYER_BITS | layer};
      record.hash.high ^= rng_mix(layer);
      counted->urls[layer]++;
      if (!sorter_add(segments, &record))
        return false;
    }
  }
  return sorter_finish(segments);
}

/* `told` is told of keys, as if all had equally many segments; `before` it were passed. */
static bool count_distinct(sorter *segments, uint64_t urls, layer_statistics *counted, sorter *firsts,
                           const advance *told, uint64_t before)
{
  segment_record last = {.place = 0};
  bool has_last = false;
  uint64_t half = urls / 2, read = 0;
  double share = (double)urls / (double)sorter_count(segments);
  for (const segment_record *record; (record = sorter_next(segments)) != NULL;) {
    if (read++ % ADVANCE_EACH == 0 && told != NULL)
      told->told(told->context, before + (uint64_t)(share * (double)read), STEPS * urls);
    if (has_last && key_hash_compare(&record->hash, &last.hash) == 0)
      continue;
    last = *record;
    has_last = true;
    counted->distinct[last.place & ((1 << LAYER_BITS) - 1)]++;
    if (last.place >> LAYER_BITS >= half && !sorter_add(firsts, &last.place))
      return false;
  }
  return sorter_finish(firsts);
}

static void count_new(sorter *firsts, layer_statistics *counted)
{
  uint64_t last_rank = UINT64_MAX;
  counted->combinations = counted->new_urls;
  for (const uint64_t *place; (place = sorter_next(firsts)) != NULL;) {
    if (*place >> LAYER_BITS == last_rank)
      continue;
    last_rank = *place >> LAYER_BITS;
    counted->first_new[*place & ((1 << LAYER_BITS) - 1)]++;
    counted->combinations--;
  }
}

static bool measure_cut(const urllist *list, key_cut cut, const char *directory, layer_statistics *counted,
                        const advance *told)
{
  uint64_t urls = urllist_distinct(list);
  counted->new_urls = urls - urls / 2;
  sorter *segments = sorter_create(directory, sizeof(segment_record), by_hash_and_place, SORTER_MEMORY);
  sorter *firsts = sorter_create(directory, sizeof(uint64_t), by_place, SORTER_MEMORY);
  bool is_done = segments != NULL && firsts != NULL && collect_segments(list, cut, counted, segments, told) &&
                 count_distinct(segments, urls, counted, firsts, told, (2 + 2 * (uint64_t)cut) * urls);
  if (is_done)
    count_new(firsts, counted);
  sorter_free(segments);
  sorter_free(firsts);
  return is_done;
}

static bool measure_sizes(const urllist *list, list_statistics *measured)
{
  uint64_t *of_size = calloc(KEY_SIZE_MAX + 1, sizeof *of_size);
  if (of_size == NULL)
    return false;
  uint64_t sum = 0, passed = 0;
  for (uint64_t rank = 0; rank < measured->urls; rank++) {
    size_t size;
    const char *key = urllist_key(list, rank, &size);
    measured->with_query += memchr(key, '?', size) != NULL;
    measured->longest = size > measured->longest ? size : measured->longest;
    of_size[size]++;
    sum += size;
  }
  measured->mean_size = measured->urls > 0 ? (double)sum / (double)measured->urls : 0;
  while (passed + of_size[measured->median_size] < (measured->urls + 1) / 2)
    passed += of_size[measured->median_size++];
  free(of_size);
  return true;
}

bool statistics_measure(const urllist *list, uint32_t paper_layers, const char *directory, list_statistics *measured,
                        const advance *told)
{
  *measured = (list_statistics){.urls = urllist_distinct(list)};
  measured->cuts[CUT_PAPER].layers = paper_layers;
  measured->cuts[CUT_LAYERS].layers = MLBF_LAYERS_MAX;
  return measure_sizes(list, measured) && measure_cut(list, CUT_PAPER, directory, &measured->cuts[CUT_PAPER], told) &&
         measure_cut(list, CUT_LAYERS, directory, &measured->cuts[CUT_LAYERS], told);
}

/* datasets/replay/statistics.h: the shape of a URL list, exactly: lengths, depths, and what is new at which depth. */
#ifndef STRATA_DATASETS_STATISTICS_H
#define STRATA_DATASETS_STATISTICS_H

#include "datasets/replay/batch.h"
#include "datasets/sort/list.h"

/* One way of cutting the list's distinct URLs. Layer i is at index i - 1; segments deeper than `layers` count as
 * part of the last layer. */
typedef struct layer_statistics {
  uint32_t layers;
  uint64_t urls[MLBF_LAYERS_MAX];      /* that have a segment at this layer */
  uint64_t distinct[MLBF_LAYERS_MAX];  /* segments at this layer */
  uint64_t new_urls;                   /* the second half of the list, each new when it came ... */
  uint64_t first_new[MLBF_LAYERS_MAX]; /* ... by its first segment not seen before at its layer ... */
  uint64_t combinations;               /* ... or in spite of all its segments being known */
} layer_statistics;

typedef struct list_statistics {
  uint64_t urls, with_query;
  double mean_size; /* bytes of a key, scheme left out */
  size_t median_size, longest;
  layer_statistics cuts[CUT_COUNT]; /* CUT_PAPER with the paper's L layers; CUT_LAYERS with all */
} list_statistics;

enum { STATISTICS_SEGMENT_BYTES = 24 }; /* of a segment in the files */

/* Sorts every segment of the list on disk, twice, and tells `told` (or NULL) of it. False: errno says why. */
bool statistics_measure(const urllist *list, uint32_t paper_layers, const char *directory, list_statistics *measured,
                        const advance *told);

#endif

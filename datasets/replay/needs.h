/* datasets/replay/needs.h: the memory and disk that a replay will take, so that both are known before it begins. */
#ifndef STRATA_DATASETS_NEEDS_H
#define STRATA_DATASETS_NEEDS_H

#include "datasets/replay/replay.h"

typedef struct replay_needs {
  uint64_t memory; /* bytes of the process; the kernel may keep more of the files, and takes that back when needed */
  uint64_t disk;   /* at the worst moment, in the directory of the results; files without names */
} replay_needs;

/* Of a list of `rows` rows whose keys have `key_bytes` bytes together, with `filters` for `n` keys, `queries` of a
 * protocol. The memory of programs is not in it. */
replay_needs needs_estimate(uint64_t rows, uint64_t key_bytes, uint64_t n, const char *const *filters,
                            size_t filter_count, uint64_t queries, const contender_setting *setting);

#endif

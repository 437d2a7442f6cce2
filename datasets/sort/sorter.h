/* datasets/sort/sorter.h: sorts any number of records of one size in a given amount of memory.
 *
 *     add, add, ... --full--> sort --> run on disk      finish, next, next, ...
 *                                      run on disk  ==merge==>
 *                                      the last run stays in memory
 *
 * Records that fit in memory are not written to disk. Equal records come out in any order: if that matters, let
 * the comparison distinguish them. */
#ifndef STRATA_DATASETS_SORTER_H
#define STRATA_DATASETS_SORTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef int (*sorter_compare)(const void *a, const void *b);
typedef struct sorter sorter;

enum { SORTER_MEMORY = 64 * 1024 * 1024 }; /* for most: runs of millions, and a merge of 60 runs for 100 M records */

/* Runs go to `directory`. NULL: errno says why. */
sorter *sorter_create(const char *directory, size_t record_size, sorter_compare compare, size_t memory_bytes);
void sorter_free(sorter *old); /* NULL is fine */

bool sorter_add(sorter *s, const void *record); /* false: errno says why */
uint64_t sorter_count(const sorter *s);

bool sorter_finish(sorter *filled);      /* false: errno says why */
const void *sorter_next(sorter *sorted); /* NULL after the last; valid until sorter_free */

#endif

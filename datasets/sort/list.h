/* datasets/sort/list.h: a whole URL list on disk, with its exact duplicates. Ground truth of every experiment.
 *
 *     rows as they come      key, key, key, ...         urllist_add
 *     stream                 every row, in order: its key, and whether this is the key's first row
 *     distinct               every key once, in order of first appearance; its place is its *rank*
 *     truth                  (hash, rank) sorted by hash
 *
 * One rank serves every n: the first n distinct keys are inserted, so a key is a member if its rank < n. Keys
 * with equal 128-bit hashes count as equal: a list of 10^9 keys has an error with probability 10^-21. Memory is
 * that of a sorter, whatever the list's size. */
#ifndef STRATA_DATASETS_LIST_H
#define STRATA_DATASETS_LIST_H

#include "datasets/sort/advance.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { KEY_SIZE_MAX = 8192 + 64 }; /* a URL's key, and an ID behind it */

typedef struct key_hash {
  uint64_t high, low;
} key_hash;

key_hash key_hash_of(const char *key, size_t size);
int key_hash_compare(const key_hash *a, const key_hash *b);

typedef struct truth_record {
  key_hash hash;
  uint64_t rank;
} truth_record;

typedef struct urllist urllist;

/* Bytes of a row in the files: before each key, at the worst moment while the list is sorted, and afterwards. */
enum { LIST_KEY_BYTES = 2, LIST_SORTING_BYTES = 120, LIST_KEPT_BYTES = 40 };

/* Files go to `directory`. With `shuffle` the order is a permutation fixed by `seed` instead of the rows' own:
 * published lists are often sorted, and the first n of a sorted list are no sample. NULL: errno says why. */
urllist *urllist_create(const char *directory, bool shuffle, uint64_t seed);
void urllist_free(urllist *old); /* NULL is fine */

/* Append a row; `is_https` says which scheme it had. False: errno says why. */
bool urllist_add(urllist *list, const char *key, size_t size, bool is_https);
bool urllist_finish(urllist *filled, const advance *told); /* false: errno says why. `told`: NULL, or is told of it */

uint64_t urllist_rows(const urllist *list);
uint64_t urllist_distinct(const urllist *list);
uint64_t urllist_both_schemes(const urllist *list); /* keys that came with http and with https */

/* The key of a rank below urllist_distinct, and of a row below urllist_rows. */
const char *urllist_key(const urllist *list, uint64_t rank, size_t *size);
const char *urllist_row(const urllist *list, uint64_t row, size_t *size, bool *is_first);

/* urllist_distinct records, sorted by hash. */
const truth_record *urllist_truth(const urllist *list);

#endif

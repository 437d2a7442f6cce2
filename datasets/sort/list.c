/* A URL list in order, and its truth. Three sorts make it:
 *
 *     rows --by (hash, order)--> first of each group marked --by order--> stream, distinct
 *                                                           --by hash---> truth
 *
 * Always: `pending` exists until urllist_finish. After it keys and rows may be read, and none added. The lowest bit
 * of a `place` means https until the firsts are marked, and from then on "the first row of its key". Of rows with
 * one hash exactly one is the first: the one with the least `order`. Ranks count the firsts in order, so ranks[r] is
 * the place of the key of rank r in `keys`.
 *
 * `strata replay` and datasets/ call it on one thread. After a crash: its files have no names (spool.h) and go with
 * the process. */
#include "datasets/sort/list.h"
#include "datasets/sort/rng.h"
#include "datasets/sort/sorter.h"
#include "datasets/sort/spool.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { STEPS = 3 }; /* of urllist_finish, each over all rows or keys */

/* A row: the place of its key, and one flag. */
typedef struct row_record {
  key_hash hash;
  uint64_t order;
  uint64_t place; /* offset of the key in `keys`, doubled; + 1: https, and after marking: first of its key */
} row_record;

static_assert(LIST_KEY_BYTES == sizeof(uint16_t), "the size before each key");
static_assert(LIST_SORTING_BYTES == 2 * sizeof(row_record) + 2 * sizeof(truth_record) + sizeof(uint64_t),
              "rows by hash and by order; the truth, also in runs; the stream");
static_assert(LIST_KEPT_BYTES == 2 * sizeof(uint64_t) + sizeof(truth_record), "stream, ranks and truth");

struct urllist {
  const char *directory;
  bool shuffle;
  uint64_t seed, rows, distinct, both_schemes;
  spool *keys;     /* size (2 bytes), bytes, size, bytes, ... */
  spool *stream;   /* a `place` for each row, in order */
  spool *ranks;    /* offset in `keys` for each rank */
  spool *truth;    /* truth_record, sorted by hash */
  sorter *pending; /* row_record by (hash, order), until finish */
};

key_hash key_hash_of(const char *key, size_t size)
{
  XXH128_hash_t hash = XXH3_128bits(key, size);
  return (key_hash){hash.high64, hash.low64};
}

int key_hash_compare(const key_hash *a, const key_hash *b)
{
  if (a->high != b->high)
    return a->high < b->high ? -1 : 1;
  return (a->low > b->low) - (a->low < b->low);
}

static int by_hash_and_order(const void *a, const void *b)
{
  const row_record *one = a, *two = b;
  int hashes = key_hash_compare(&one->hash, &two->hash);
  return hashes != 0 ? hashes : (one->order > two->order) - (one->order < two->order);
}

static int by_order(const void *a, const void *b)
{
  const row_record *one = a, *two = b;
  return (one->order > two->order) - (one->order < two->order);
}

static int by_hash(const void *a, const void *b)
{
  const truth_record *one = a, *two = b;
  return key_hash_compare(&one->hash, &two->hash);
}

urllist *urllist_create(const char *directory, bool shuffle, uint64_t seed)
{
  urllist *made = calloc(1, sizeof *made);
  if (made == NULL)
    return NULL;
  made->directory = directory;
  made->shuffle = shuffle;
  made->seed = rng_mix(seed);
  made->keys = spool_create(directory);
  made->stream = spool_create(directory);
  made->ranks = spool_create(directory);
  made->truth = spool_create(directory);
  made->pending = sorter_create(directory, sizeof(row_record), by_hash_and_order, SORTER_MEMORY);
  if (made->keys && made->stream && made->ranks && made->truth && made->pending)
    return made;
  urllist_free(made);
  return NULL;
}

void urllist_free(urllist *old)
{
  if (old == NULL)
    return;
  spool_free(old->keys);
  spool_free(old->stream);
  spool_free(old->ranks);
  spool_free(old->truth);
  sorter_free(old->pending);
  free(old);
}

bool urllist_add(urllist *list, const char *key, size_t size, bool is_https)
{
  assert(list->pending && size <= UINT16_MAX && list->rows == sorter_count(list->pending));
  row_record row = {
    .hash = key_hash_of(key, size),
    .order = list->shuffle ? rng_mix(list->seed ^ list->rows) : list->rows, /* mix is a bijection: no two rows tie */
    .place = 2 * spool_size(list->keys) + is_https,
  };
  uint16_t size16 = (uint16_t)size;
  list->rows++;
  return spool_write(list->keys, &size16, sizeof size16) && spool_write(list->keys, key, size) &&
         sorter_add(list->pending, &row);
}

/* Rows of one key are adjacent, in their order of appearance: mark the first. */
static bool mark_firsts(urllist *list, sorter *ordered, const advance *told)
{
  uint64_t done = 0;
  row_record last = {.place = 0};
  bool is_counted = false, has_last = false;
  for (const row_record *row; (row = sorter_next(list->pending)) != NULL;) {
    advance_tell(told, done++, STEPS * list->rows);
    bool is_first = !has_last || key_hash_compare(&row->hash, &last.hash) != 0;
    bool differs = !is_first && (row->place & 1) != (last.place & 1);
    list->both_schemes += differs && !is_counted;
    is_counted = !is_first && (is_counted || differs);
    last = *row;
    has_last = true;
    row_record marked = {row->hash, row->order, (row->place & ~UINT64_C(1)) | is_first};
    if (!sorter_add(ordered, &marked))
      return false;
  }
  return sorter_finish(ordered);
}

static bool write_orders(urllist *list, sorter *ordered, sorter *hashes, const advance *told)
{
  uint64_t done = list->rows;
  for (const row_record *row; (row = sorter_next(ordered)) != NULL;) {
    advance_tell(told, done++, STEPS * list->rows);
    if (!spool_write(list->stream, &row->place, sizeof row->place))
      return false;
    if ((row->place & 1) == 0)
      continue;
    uint64_t offset = row->place / 2;
    truth_record known = {row->hash, list->distinct++};
    if (!spool_write(list->ranks, &offset, sizeof offset) || !sorter_add(hashes, &known))
      return false;
  }
  return sorter_finish(hashes);
}

static bool write_truth(urllist *list, sorter *hashes, const advance *told)
{
  uint64_t done = 2 * list->rows;
  for (const truth_record *known; (known = sorter_next(hashes)) != NULL;) {
    advance_tell(told, done++, STEPS * list->rows);
    if (!spool_write(list->truth, known, sizeof *known))
      return false;
  }
  return spool_finish(list->keys) && spool_finish(list->stream) && spool_finish(list->ranks) &&
         spool_finish(list->truth);
}

bool urllist_finish(urllist *filled, const advance *told)
{
  sorter *ordered = sorter_create(filled->directory, sizeof(row_record), by_order, SORTER_MEMORY);
  sorter *hashes = sorter_create(filled->directory, sizeof(truth_record), by_hash, SORTER_MEMORY);
  bool is_done = ordered != NULL && hashes != NULL && sorter_finish(filled->pending) &&
                 mark_firsts(filled, ordered, told) && write_orders(filled, ordered, hashes, told) &&
                 write_truth(filled, hashes, told);
  assert(!is_done || (filled->distinct <= filled->rows && filled->both_schemes <= filled->distinct));
  assert(!is_done || spool_size(filled->stream) == filled->rows * sizeof(uint64_t));
  sorter_free(filled->pending);
  filled->pending = NULL;
  sorter_free(ordered);
  sorter_free(hashes);
  return is_done;
}

uint64_t urllist_rows(const urllist *list)
{
  return list->rows;
}

uint64_t urllist_distinct(const urllist *list)
{
  return list->distinct;
}

uint64_t urllist_both_schemes(const urllist *list)
{
  return list->both_schemes;
}

static const char *key_at(const urllist *list, uint64_t offset, size_t *size)
{
  const char *bytes = (const char *)spool_bytes(list->keys) + offset;
  uint16_t size16;
  assert(offset + sizeof size16 <= spool_size(list->keys));
  memcpy(&size16, bytes, sizeof size16);
  *size = size16;
  return bytes + sizeof size16;
}

const char *urllist_key(const urllist *list, uint64_t rank, size_t *size)
{
  assert(!list->pending && rank < list->distinct);
  return key_at(list, ((const uint64_t *)spool_bytes(list->ranks))[rank], size);
}

const char *urllist_row(const urllist *list, uint64_t row, size_t *size, bool *is_first)
{
  assert(!list->pending && row < list->rows);
  uint64_t place = ((const uint64_t *)spool_bytes(list->stream))[row];
  *is_first = place & 1;
  return key_at(list, place / 2, size);
}

const truth_record *urllist_truth(const urllist *list)
{
  return spool_bytes(list->truth);
}

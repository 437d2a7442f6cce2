/* mlbf/similar/near_table.h: from 64-bit keys to the places of documents, in memory, and in a file. Internal to mlbf/;
 * FORMAT.md has every byte.
 *
 *     key   [ segment 9 | hash 25 | not kept ]
 *     slot  [ hash 25 | volume 16 | offset / 8 23 ]     0: empty
 *
 *     segment    . . a b . c d e . . f . g g h . . .     ascending; none stands before hash * room / 2^25, and no
 *                |<-------- room -------->|<- tail >|    slot between there and its own is empty
 *
 * Why not buckets: they lose keys, or waste memory, when some are full before others. Why not one array that doubles:
 * it would take 128 bytes of a page in turn with 64, and stop for a second. Each of the segments grows by an eighth
 * when 85 % of it are used, which for 10^7 pages is 2 MB read and written in order.
 *
 * A key has at most NEAR_SAME_MOST places: the newest. Pages of one template share keys without being near. */
#ifndef STRATA_MLBF_NEAR_TABLE_H
#define STRATA_MLBF_NEAR_TABLE_H

#include <stddef.h>

#include "mlbf/file/block_file.h"

enum {
  NEAR_SEGMENT_BITS = 9,
  NEAR_SEGMENTS = 1 << NEAR_SEGMENT_BITS,
  NEAR_HASH_BITS = 25,
  NEAR_VOLUME_BITS = 16,
  NEAR_OFFSET_BITS = 23,
  NEAR_SAME_MOST = 4, /* as many copies in three manuals were found as with 16: bench/bench_near --trees */
};

typedef struct near_segment {
  uint64_t *slots;
  uint32_t room, used;
} near_segment;

typedef struct near_table {
  near_segment segments[NEAR_SEGMENTS];
} near_table;

typedef struct near_place {
  uint32_t volume; /* below 2^16 */
  uint64_t offset; /* in its .docs file; a multiple of 8, at most 2^26 from CORPUS_HEADER_BYTES on */
} near_place;

void near_table_free(near_table *t); /* of zeros, or one that is used; afterwards it is of zeros */

/* Does nothing if it is there. Places of a key must come in ascending order. false: no memory, and nothing changed. */
bool near_table_put(near_table *t, uint64_t key, near_place place);

/* How many it has, into `places`, oldest first. */
size_t near_table_get(const near_table *t, uint64_t key, near_place places[NEAR_SAME_MOST]);

/* Before a get or put of that key, so that several wait for memory together. */
void near_table_prefetch(const near_table *t, uint64_t key);

uint64_t near_table_bytes(const near_table *t);

/* What the file says of the corpus that it is of. */
typedef struct near_cover {
  uint64_t volumes, documents, bytes; /* of so many volumes, which never change again */
} near_cover;

/* `near.table` in `directory`. MLBF_IO, MLBF_NO_MEMORY. */
mlbf_status near_table_save(int directory, const near_table *t, const mlbf_keying *keying, near_cover cover);

/* Into a table of zeros: of the volumes that the file covers alone. Any status but MLBF_OK: it is of zeros still. */
mlbf_status near_table_load(int directory, near_table *t, mlbf_keying *keying, near_cover *cover);

#endif

/* The keys of doubts on disk, in parts: each of a range of rows, with the numbers of their rows.
 *
 *     rows    |=== part ===|=== part ===|=== part ===|= last =|
 *     keys      a file       a file       in memory    in memory, more follow
 *
 * A part with 65,536 keys is sorted and becomes a file, in steps, named after its first row. The keys of a part whose
 * file is damaged or gone are read again from table `unconfirmed`. Parts that are in a pass stay as they are.
 *
 * Called under the handle's mutex. */
#ifndef STRATA_FRONTIER_DOUBT_PARTS_H
#define STRATA_FRONTIER_DOUBT_PARTS_H

#include "frontier/base/limits.h"
#include "frontier/late/key_file.h"
#include "frontier/store/store.h"

enum { DOUBTS_KEYS = FRONTIER_LIMIT(65536, 40) };

typedef struct doubt_part {
  struct doubt_part *next;
  uint64_t first, end; /* its rows */
  key_file *file;      /* NULL: its keys are in memory, or nowhere */
  bool is_loaded, is_sorted;
  numbered_key *keys;
  size_t count, room;
} doubt_part;

void doubt_part_free(doubt_part *p); /* the file stays; NULL is fine */

typedef struct doubt_parts {
  key_place place;
  store *store;
  doubt_part *first, *last; /* in order of rows */
  uint64_t in_pass;         /* parts that end here or before are in a pass */
  bool is_changed;          /* there is a new file since it was set to false */
  doubt_part *to_make;      /* the first that is to become a file, or to be read for it; NULL: none is */
  doubt_part *made;         /* becomes one */
  key_writer *writer;       /* NULL: it is to begin */
  size_t written;
} doubt_parts;

void doubt_parts_free(doubt_parts *p);

/* Rows that follow all others. With file: it holds so many keys; one that does not, or is damaged, is as none. Without:
 * its keys are read when they are needed. NO_MEMORY, IO. */
frontier_status doubt_parts_add(doubt_parts *p, uint64_t first, uint64_t end, uint64_t file_keys,
                                char message[FRONTIER_MESSAGE_SIZE]);

/* The keys of rows that have landed and follow all others, in order of rows. May they be taken now? Few are left until
 * a pass has ended. false: no memory, and nothing has changed. */
bool doubt_parts_may_take(const doubt_parts *p, size_t count);
bool doubt_parts_take(doubt_parts *p, const numbered_key *keys, size_t count);

/* Its keys are in its file, or in memory and sorted. NO_MEMORY, DAMAGED (the table), IO. */
frontier_status doubt_part_need(doubt_parts *p, doubt_part *part, char message[FRONTIER_MESSAGE_SIZE]);
/* Its file is damaged: its keys are nowhere. */
void doubt_part_spoil(doubt_part *part);

/* All parts that there are belong to a pass from here on. Errors as above. */
frontier_status doubt_parts_begin_pass(doubt_parts *p, char message[FRONTIER_MESSAGE_SIZE]);
/* Now they are ordinary parts again, */
void doubt_parts_end_pass(doubt_parts *p);
/* or are settled, and taken out: a list. */
doubt_part *doubt_parts_settle_pass(doubt_parts *p);

frontier_status doubt_parts_have(doubt_parts *p, mlbf_hash128 key, bool *has, char message[FRONTIER_MESSAGE_SIZE]);

bool doubt_parts_can_step(const doubt_parts *p);
frontier_status doubt_parts_step(doubt_parts *p, char message[FRONTIER_MESSAGE_SIZE]);

#endif

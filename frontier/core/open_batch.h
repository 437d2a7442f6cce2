/* The open batch: what was accepted and what ended since the last commit. A part of the handle (part.h). */
#ifndef STRATA_FRONTIER_OPEN_BATCH_H
#define STRATA_FRONTIER_OPEN_BATCH_H

#include "frontier/hosts/entry_list.h"
#include "frontier/base/limits.h"

enum {
  COMMIT_URLS = FRONTIER_LIMIT(16384, 50), /* group commit: after so many URLs added or ended, */
  COMMIT_AFTER_MS = 100,                   /* or after so long */
  BATCH_FULL = FRONTIER_LIMIT(24576, 800), /* nothing is added to so large a batch: some 5 MB; 32,768 took up to 119 ms
                                              to commit while a filter for 1,000 grows to millions */
  BATCH_FULL_BYTES = 16 << 20,             /* nor to one with so much payload */
};

typedef struct open_batch {
  entry_list added;
  size_t untaken; /* of `added`, those left to the queue on disk */
  bool has_old;   /* an older URL waits for the disk, too, though it is not in `added` */
  entry_list ended;
  size_t payload_size; /* bytes that go with `added` */
  bool is_dirty;       /* there is something to commit, if only a counter */
  uint64_t first_ms;   /* when it began */
} open_batch;

/* A URL that was accepted, or has ended. false: no memory. */
bool batch_add_entry(open_batch *b, entry *e, uint64_t now_ms);
bool batch_add_ended(open_batch *b, entry *e, frontier_state state, uint16_t code, uint64_t now_ms);
/* The last one that was added, or that ended, is taken back. */
void batch_drop_entry(open_batch *b);
void batch_drop_ended(open_batch *b);

bool batch_is_due(const open_batch *b, uint64_t now_ms);
bool batch_is_full(const open_batch *b);

/* There is something to commit. */
static inline void batch_touch(open_batch *b)
{
  b->is_dirty = true;
}

static inline bool batch_is_dirty(const open_batch *b)
{
  return b->is_dirty;
}

static inline bool batch_has_urls(const open_batch *b)
{
  return b->added.count + b->ended.count > 0;
}

/* The URL that was added last is left to the queue on disk: it is next after the URLs there. */
static inline void batch_leave(open_batch *b)
{
  b->untaken++;
}

static inline bool batch_has_untaken(const open_batch *b)
{
  return b->untaken > 0;
}

/* An older URL is left to the queue on disk: it may come before URLs there. */
static inline void batch_leave_old(open_batch *b)
{
  b->is_dirty = b->has_old = true;
}

static inline bool batch_has_old(const open_batch *b)
{
  return b->has_old;
}

/* Is this one, which was accepted before now, on disk? */
static inline bool batch_is_stored(const open_batch *b, uint64_t sequence)
{
  return !b->added.count || sequence < b->added.at[0]->sequence;
}

#endif

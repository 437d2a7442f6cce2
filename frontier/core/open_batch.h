/* The open batch: what was accepted and what ended since the last commit, as it will be on disk. A part of the handle
 * (part.h). */
#ifndef STRATA_FRONTIER_OPEN_BATCH_H
#define STRATA_FRONTIER_OPEN_BATCH_H

#include "frontier/base/limits.h"
#include "frontier/hosts/entry.h"
#include "frontier/rows/rows.h"
#include "frontier/rows/url_row.h"
#include "frontier/rows/url_state.h"

enum {
  COMMIT_URLS = FRONTIER_LIMIT(16384, 50), /* group commit: after so many URLs added or ended, */
  COMMIT_AFTER_MS = 100,                   /* or after so long, by default */
  BATCH_FULL = FRONTIER_LIMIT(24576, 100), /* nothing is added to so large a batch: some 3 MB */
  COMMIT_BYTES = 2 << 20,                  /* the same, by the bytes of their rows: payload, and very long URLs */
  BATCH_FULL_BYTES = 16 << 20,
};

typedef struct open_batch {
  rows_writer text, ended; /* values to be */
  size_t added;
  size_t untaken;      /* of those added, left to the disk */
  visit_note **visits; /* of those that ended */
  size_t visit_count, visit_room;
  struct again_change {
    uint64_t sequence;
    uint8_t *row; /* NULL: it ended */
    size_t size;
  } * again; /* of table `again`, in their order */
  size_t again_count, again_room;
  uint8_t *scratch;
  size_t scratch_room;
  bool is_dirty;     /* there is something to commit, if only a counter, */
  bool is_wanted;    /* and it is to be committed in time, though it may be no URL */
  uint64_t first_ms; /* when it began */
  uint64_t after_ms; /* and so long after that it is due */
} open_batch;

/* At open: where the tables go on. */
frontier_status batch_open(frontier *f);

/* So many bytes, valid until the next call; NULL: no memory. */
uint8_t *batch_scratch(open_batch *b, size_t size);

/* Room for a URL with this row, or for one that ends, so that adding it cannot fail. false: no memory. */
bool batch_make_room(open_batch *b, const url_row *row, uint64_t sequence);
bool batch_make_room_ended(open_batch *b);

void batch_add_url(open_batch *b, const url_row *row, uint64_t sequence, uint64_t now_ms);
void batch_add_ended(open_batch *b, uint64_t sequence, url_state state, uint64_t now_ms);
/* One in flight has ended: with its visit, which the batch takes, and out of table `again`. */
void batch_add_done(open_batch *b, entry *e, frontier_state state, uint16_t code, uint64_t now_ms);
/* Waits again, with this row. false: no memory. */
bool batch_add_again(open_batch *b, const url_row *row, uint64_t sequence, uint64_t now_ms);

/* 0: by default */
static inline void batch_begin(open_batch *b, uint64_t after_ms)
{
  b->after_ms = after_ms ? after_ms : COMMIT_AFTER_MS;
}

static inline int64_t batch_wait_ms(const open_batch *b) /* no change waits longer */
{
  return b->after_ms < INT64_MAX ? (int64_t)b->after_ms : INT64_MAX;
}

bool batch_is_due(const open_batch *b, uint64_t now_ms);
bool batch_is_old(const open_batch *b, uint64_t now_ms); /* for calls that move no time */
bool batch_is_full(const open_batch *b);

/* There is something to commit. */
static inline void batch_touch(open_batch *b)
{
  b->is_dirty = true;
}

/* ... and not only along with URLs. */
static inline bool batch_has_urls(const open_batch *b);
static inline void batch_want(open_batch *b, uint64_t now_ms)
{
  if (!b->is_wanted && !batch_has_urls(b))
    b->first_ms = now_ms;
  b->is_dirty = b->is_wanted = true;
}

static inline bool batch_is_wanted(const open_batch *b)
{
  return b->is_wanted || batch_has_urls(b);
}

static inline void batch_clean(open_batch *b) /* where nothing is kept */
{
  b->is_dirty = false;
}

/* Rows of `ended`: the number of the first of this batch, and how many it has. */
static inline uint64_t batch_ended_first(const open_batch *b)
{
  return b->ended.first;
}

static inline uint64_t batch_ended_count(const open_batch *b)
{
  return b->ended.count;
}

static inline bool batch_is_dirty(const open_batch *b)
{
  return b->is_dirty;
}

static inline size_t batch_urls(const open_batch *b)
{
  return b->added + (size_t)b->ended.count;
}

static inline bool batch_has_urls(const open_batch *b)
{
  return batch_urls(b) > 0;
}

/* The URL that was added last is left to the disk: it is next after the URLs there. */
static inline void batch_leave(open_batch *b)
{
  b->untaken++;
}

static inline bool batch_has_untaken(const open_batch *b)
{
  return b->untaken > 0;
}

#endif

/* The hash log: every key that was ever accepted, a chunk with each commit. A part of the handle (part.h). Together
 * with these keys it commits the tombstones.
 *
 *     add --> [open batch of seen.c] -- put --> transaction -- sealed --> [landing batch] -- landed --> filter bits
 *
 * A frontier that keeps nothing has its log in memory, to grow the filter from. */
#ifndef STRATA_FRONTIER_HASH_LOG_H
#define STRATA_FRONTIER_HASH_LOG_H

#include "frontier/core/progress.h"
#include "frontier/seen/seen.h"

typedef struct hash_log {
  uint64_t keys;        /* committed: a chunk that is not on disk does not count */
  double expected_lost; /* of them, to false positives */
  uint8_t *memory;      /* the log when nothing is kept */
  size_t size, room;
} hash_log;

static inline uint64_t hash_log_keys(const hash_log *l)
{
  return l->keys;
}

static inline double hash_log_expected_lost(const hash_log *l)
{
  return l->expected_lost;
}

void hash_log_go_on(hash_log *l, const progress *p); /* at open */
void hash_log_say(const frontier *f, progress *p);   /* its state once all that was added is committed */

/* All who need keys again read them here. Keys `from` on, chunk by chunk, until a chunk begins at `to` or later; that
 * is `*reached` (`to` itself if the log ends before). Both are where chunks begin; a log in memory is read whole. */
frontier_status hash_log_read(frontier *f, const seen_sink *sink, uint64_t from, uint64_t to, uint64_t *reached);

/* The open batch's keys into memory, in place of a transaction. */
frontier_status hash_log_keep(frontier *f);

#endif

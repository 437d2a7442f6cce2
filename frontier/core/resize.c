/* The filter's next size, while adds go on.
 *
 * Nobody knows how many URLs a crawl will find. When a filter is nine tenths full, its larger successor (1.4 times,
 * mlbf/growth.h) is begun, and filled from the hash log a piece with each commit; until it has caught up the old one
 * answers, which still has room:
 *
 *     hash log   [=====filled=====|........to do........|<- new keys]
 *
 * Each commit of k keys fills at least 12 k, so the 0.9 n keys to do are done before another 0.1 n have come. Where
 * reopening made it begin again with less room than that, each fills as many times more as there is more to do. */
#include "frontier/core/state.h"

#include "mlbf/growth.h"

#include <assert.h>

enum {
  FILL_FACTOR = 12,
  FILL_MIN = FRONTIER_LIMIT(16384, 8), /* keys: some 5 ms */
};

/* At nine tenths of what the filter in use is made for. */
static void plan(frontier *f)
{
  mlbf_stats stats;
  mlbf_stats_read(seen_filter(f->seen), &stats);
  f->full_at = stats.design_keys;
  f->grow_at = stats.design_keys - stats.design_keys / 10;
  assert(f->grow_at && f->grow_at <= f->full_at); /* 0 would mean that it is not known */
}

uint64_t grow_room_for(uint64_t expected)
{
  return expected < UINT64_MAX / 2 ? expected + expected / 9 + 1 : expected;
}

/* Keys to fill after a commit of `new_keys`: in proportion, all are done when no room is left. */
static uint64_t share_of(const frontier *f, uint64_t new_keys)
{
  assert(!f->growing || f->growing_keys <= f->log_keys);
  uint64_t to_do = f->log_keys - (f->growing ? f->growing_keys : 0);
  uint64_t room = f->full_at > f->log_keys ? f->full_at - f->log_keys : 0;
  if (room == 0)
    return to_do;
  uint64_t factor = to_do / room + 1, keys = new_keys * (factor > FILL_FACTOR ? factor : FILL_FACTOR);
  return keys > FILL_MIN ? keys : FILL_MIN;
}

static frontier_status begin(frontier *f)
{
  assert(!f->growing);
  mlbf_status made = mlbf_create_larger(seen_filter(f->seen), &f->growing);
  if (made != MLBF_OK)
    return frontier_fail(f, made == MLBF_NO_MEMORY ? FRONTIER_NO_MEMORY : FRONTIER_BAD_ARGUMENT,
                         "the next larger filter: %s", mlbf_status_text(made));
  f->growing_keys = 0;
  frontier_log(f, "the filter is nearly full at %llu URLs: a larger one is being filled",
               (unsigned long long)f->log_keys);
  return FRONTIER_OK;
}

static void finish(frontier *f)
{
  assert(f->growing && f->growing_keys == f->log_keys); /* or keys would be new again */
  checkpoint_abandon(f);
  seen_replace(f->seen, f->growing);
  f->growing = NULL;
  f->checkpoint_at = f->log_keys;
  plan(f);
}

typedef struct filling {
  mlbf_filter *filter;
  const revoked *except;
  uint64_t limit;    /* chunks that begin here or later wait for the next step */
  uint64_t reached;  /* the first of them, if any */
  bool is_damaged;
} filling;

static bool fill_chunk(void *context, uint64_t key, const uint8_t *body, size_t size)
{
  filling *step = context;
  if (key >= step->limit) {
    step->reached = key;
    return false;
  }
  step->is_damaged = !seen_replay(step->filter, body, size, step->except);
  return !step->is_damaged;
}

static frontier_status fill(frontier *f, uint64_t keys)
{
  if (!f->store) { /* the log in memory has no index to go by */
    f->growing_keys = f->log_keys;
    return seen_replay_log(f, f->growing, 0);
  }
  filling step = {.filter = f->growing, .except = &f->revoked, .limit = f->growing_keys + keys, .reached = f->log_keys};
  frontier_status status = store_each(f->store, STORE_HASHES, f->growing_keys, fill_chunk, &step);
  if (status != FRONTIER_OK || step.is_damaged)
    return frontier_fail(f, step.is_damaged ? FRONTIER_DAMAGED : status, "%s: the hash log: %s", f->directory,
                         step.is_damaged ? "damaged" : store_message(f->store));
  assert(step.reached >= f->growing_keys);
  f->growing_keys = step.reached;
  return FRONTIER_OK;
}

/* One step, from the beginning of a larger filter to its taking over. */
static frontier_status advance(frontier *f, uint64_t keys)
{
  frontier_status status = f->growing ? FRONTIER_OK : begin(f);
  if (status == FRONTIER_OK)
    status = fill(f, keys);
  if (status == FRONTIER_OK && f->growing_keys == f->log_keys)
    finish(f);
  return status;
}

frontier_status grow_step(frontier *f, uint64_t new_keys)
{
  frontier_status status = FRONTIER_OK;
  if (f->grow_at == 0)
    plan(f);
  while (status == FRONTIER_OK && f->log_keys >= f->grow_at) { /* a batch may fill a small filter and the next too */
    status = advance(f, share_of(f, new_keys));
    if (f->growing)
      break; /* more with the next commit */
  }
  return status;
}

frontier_status grow_by(frontier *f, uint64_t keys)
{
  return advance(f, keys);
}

bool grow_is_due(const frontier *f)
{
  return f->grow_at && f->log_keys >= f->grow_at;
}

frontier_status grow_at_open(frontier *f)
{
  mlbf_stats stats;
  mlbf_stats_read(seen_filter(f->seen), &stats);
  return f->log_keys > stats.design_keys ? grow_step(f, f->log_keys) : FRONTIER_OK;
}

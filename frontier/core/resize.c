/* The filter's next size, while adds go on.
 *
 * It is unknown how many URLs a crawl will find. When a filter has nine tenths of its design keys, its larger successor
 * (1.4 times, mlbf/growth.h) is begun, and filled from the hash log a piece with each commit; until it has caught up
 * the old one answers, which still has room:
 *
 *     hash log   [=====filled=====|........to do........|<- new keys]
 *                                 ^ growing_keys        ^ keys of the log
 *
 * Each commit of k keys fills at least 12 k, so the 0.9 n keys to do are done before another 0.1 n have come. If
 * the filling began again after a reopen, with less room left, each commit fills more in proportion.
 *
 * Always: one filter answers. The larger one takes its place only when the whole log was replayed into it (`finish`).
 * It is filled from the log alone, never from the old filter, which may know a segment wrongly.
 *
 * Called under the handle's mutex: maintain.c pays the steps, and all that is left where the old filter is overfull.
 *
 * After a crash: the larger filter was in memory only. It is begun again when it is found due. */
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
  f->resize.full_at = stats.design_keys;
  f->resize.resize_at = stats.design_keys - stats.design_keys / 10;
  assert(f->resize.resize_at && f->resize.resize_at <= f->resize.full_at); /* 0 would mean that it is not known */
}

uint64_t resize_room_for(uint64_t expected)
{
  return expected < UINT64_MAX / 2 ? expected + expected / 9 + 1 : expected;
}

/* Keys to fill after a commit of `new_keys`: in proportion, all are done when no room is left. */
static uint64_t share_of(const frontier *f, uint64_t new_keys)
{
  assert(!f->resize.growing || f->resize.growing_keys <= hash_log_keys(&f->log));
  uint64_t to_do = hash_log_keys(&f->log) - (f->resize.growing ? f->resize.growing_keys : 0);
  uint64_t room = f->resize.full_at > hash_log_keys(&f->log) ? f->resize.full_at - hash_log_keys(&f->log) : 0;
  if (room == 0)
    return to_do;
  uint64_t factor = to_do / room + 1, keys = new_keys * (factor > FILL_FACTOR ? factor : FILL_FACTOR);
  return keys > FILL_MIN ? keys : FILL_MIN;
}

static frontier_status begin(frontier *f)
{
  assert(!f->resize.growing);
  mlbf_status made = mlbf_create_larger(seen_filter(f->seen), &f->resize.growing);
  if (made != MLBF_OK)
    return frontier_fail(f, made == MLBF_NO_MEMORY ? FRONTIER_NO_MEMORY : FRONTIER_BAD_ARGUMENT,
                         "the next larger filter: %s", mlbf_status_text(made));
  f->resize.growing_keys = 0;
  frontier_log(f, "the filter is nearly full at %llu URLs: a larger one is being filled",
               (unsigned long long)hash_log_keys(&f->log));
  return FRONTIER_OK;
}

static void finish(frontier *f)
{
  assert(f->resize.growing && f->resize.growing_keys == hash_log_keys(&f->log)); /* or keys would be new again */
  checkpoint_abandon(f);
  seen_replace(f->seen, f->resize.growing);
  f->resize.growing = NULL;
  checkpoint_hasten(f);
  plan(f);
}

typedef struct filling {
  mlbf_filter *filter;
  const tombstones *except;
  uint64_t limit;   /* chunks that begin here or later wait for the next step */
  uint64_t reached; /* the first of them, if any */
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
    f->resize.growing_keys = hash_log_keys(&f->log);
    return hash_log_replay(f, f->resize.growing, 0);
  }
  filling step = {.filter = f->resize.growing,
                  .except = &f->tombstones,
                  .limit = f->resize.growing_keys + keys,
                  .reached = hash_log_keys(&f->log)};
  frontier_status status = store_each(f->store, STORE_HASHES, f->resize.growing_keys, fill_chunk, &step);
  if (status != FRONTIER_OK || step.is_damaged)
    return frontier_fail(f, step.is_damaged ? FRONTIER_DAMAGED : status, "%s: the hash log: %s", f->directory,
                         step.is_damaged ? "damaged" : store_message(f->store));
  assert(step.reached >= f->resize.growing_keys);
  f->resize.growing_keys = step.reached;
  return FRONTIER_OK;
}

/* One step, from the beginning of a larger filter to its taking over. */
static frontier_status advance(frontier *f, uint64_t keys)
{
  frontier_status status = f->resize.growing ? FRONTIER_OK : begin(f);
  if (status == FRONTIER_OK)
    status = fill(f, keys);
  if (status == FRONTIER_OK && f->resize.growing_keys == hash_log_keys(&f->log))
    finish(f);
  return status;
}

frontier_status resize_step(frontier *f, uint64_t new_keys)
{
  frontier_status status = FRONTIER_OK;
  if (f->resize.resize_at == 0)
    plan(f);
  /* a batch may fill a small filter and the next too */
  while (status == FRONTIER_OK && hash_log_keys(&f->log) >= f->resize.resize_at) {
    status = advance(f, share_of(f, new_keys));
    if (f->resize.growing)
      break; /* more with the next commit */
  }
  return status;
}

frontier_status resize_by(frontier *f, uint64_t keys)
{
  return advance(f, keys);
}

bool resize_is_due(const frontier *f)
{
  return f->resize.resize_at && hash_log_keys(&f->log) >= f->resize.resize_at;
}

frontier_status resize_at_open(frontier *f)
{
  mlbf_stats stats;
  assert(!f->resize.growing); /* it belongs to a filter */
  mlbf_stats_read(seen_filter(f->seen), &stats);
  return hash_log_keys(&f->log) > stats.design_keys ? resize_step(f, hash_log_keys(&f->log)) : FRONTIER_OK;
}

bool resize_is_late(const frontier *f)
{
  return hash_log_keys(&f->log) > f->resize.full_at;
}

void resize_abandon(frontier *f)
{
  mlbf_free(f->resize.growing);
  f->resize.growing = NULL;
  f->resize.resize_at = 0; /* not known yet */
}

static void check(const frontier *f)
{
  assert(!f->resize.growing || f->resize.growing_keys <= hash_log_keys(&f->log));
  assert(f->resize.resize_at <= f->resize.full_at);
  (void)f;
}

const part resize_part = {.check = check, .close = resize_abandon};

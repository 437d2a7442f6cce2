/* Upkeep in bounded steps: the filter's next size, and its checkpoints.
 *
 * Each commit makes a share of this work due ("owes" it), in proportion to its new keys. Each later call does ("pays")
 * a piece, so that no single call waits for a commit and for all this work together. The rest is done before the next
 * commit sets its bits, so the work is always done in time. A caller with time to spare does it earlier by
 * frontier_maintain. */
#include "frontier/base/machine.h"
#include "frontier/core/state.h"

#include <assert.h>

/* A step of frontier_maintain: some 2 ms each. */
enum { SAVE_BYTES = 1 << 20, FILL_KEYS = FRONTIER_LIMIT(8192, 8) };

/* A piece: some 10 ms each. */
enum { PIECE_BYTES = FRONTIER_LIMIT(4 << 20, 4 << 10), PIECE_KEYS = FRONTIER_LIMIT(4096, 20) };

static frontier_status pay(frontier *f, uint64_t keys)
{
  assert(keys && keys <= f->upkeep.owed_keys);
  if (checkpoint_is_due(f))
    checkpoint_step(f, checkpoint_share(f, keys));
  frontier_status status = resize_step(f, keys);
  f->upkeep.owed_keys -= status == FRONTIER_OK ? keys : 0; /* else all of it again, with the next commit */
  return status;
}

frontier_status maintain_pay_all(frontier *f)
{
  f->upkeep.has_failed = false;
  return f->upkeep.owed_keys ? pay(f, f->upkeep.owed_keys) : FRONTIER_OK;
}

void maintain_pay_some(frontier *f)
{
  uint64_t keys = f->upkeep.owed_keys, bytes = checkpoint_share(f, keys);
  if (keys == 0 || f->upkeep.has_failed)
    return;
  if (bytes > PIECE_BYTES)
    keys = (uint64_t)((double)keys * PIECE_BYTES / (double)bytes) + 1;
  if (resize_is_due(f) && keys > PIECE_KEYS)
    keys = PIECE_KEYS;
  f->upkeep.has_failed = pay(f, keys < f->upkeep.owed_keys ? keys : f->upkeep.owed_keys) != FRONTIER_OK;
}

frontier_status frontier_maintain(frontier *f, uint64_t budget_ms, bool *is_more)
{
  LOCKED(f);
  uint64_t end_ms = machine_monotonic_ms() + budget_ms;
  frontier_status status = FRONTIER_OK;
  bool is_due = true;
  do {
    if (f->seen && resize_is_due(f))
      status = resize_by(f, FILL_KEYS);
    else if (f->seen && checkpoint_is_due(f))
      checkpoint_step(f, SAVE_BYTES);
    else
      is_due = false;
  } while (is_due && status == FRONTIER_OK && machine_monotonic_ms() < end_ms);
  *is_more = is_due && status == FRONTIER_OK;
  return status;
}

static void check(const frontier *f)
{
  assert(f->upkeep.owed_keys <= hash_log_keys(&f->log));
  (void)f;
}

const part upkeep_part = {.check = check};

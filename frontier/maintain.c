/* Upkeep in bounded steps: the filter's next size, and its checkpoints.
 *
 * Each commit takes a step of what is due, in proportion to the keys it brought, so that all is done in time whoever
 * calls. A caller with time to spare takes more of them by frontier_maintain, and the commits find less to do. */
#include "frontier/state.h"

#include <time.h>

/* A step of frontier_maintain: some 2 ms each. */
enum { SAVE_BYTES = 1 << 20, FILL_KEYS = FRONTIER_LIMIT(8192, 8) };

frontier_status maintain_after_commit(frontier *f, uint64_t new_keys)
{
  if (checkpoint_is_due(f))
    checkpoint_step(f, checkpoint_share(f, new_keys));
  return grow_step(f, new_keys);
}

static uint64_t now_ms(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

frontier_status frontier_maintain(frontier *f, uint64_t budget_ms, bool *is_more)
{
  HOLD(f);
  uint64_t end_ms = now_ms() + budget_ms;
  frontier_status status = FRONTIER_OK;
  bool is_due = true;
  do {
    if (f->seen && grow_is_due(f))
      status = grow_by(f, FILL_KEYS);
    else if (f->seen && checkpoint_is_due(f))
      checkpoint_step(f, SAVE_BYTES);
    else
      is_due = false;
  } while (is_due && status == FRONTIER_OK && now_ms() < end_ms);
  *is_more = is_due && status == FRONTIER_OK;
  return status;
}

/* Upkeep in bounded steps: the next main filter, and checks of the one in use.
 *
 * Each new key makes a share of this work due (renewal.c). Each later call does a step of what is due, so that no
 * single call waits for a commit and for all this work together. The rest of it is done with the next commit. A caller
 * with time to spare does it earlier by frontier_maintain. */
#include "frontier/base/machine.h"
#include "frontier/core/state.h"

void maintain_pay_all(frontier *f)
{
  while (renewal_is_due(f))
    renewal_step(f);
}

void maintain_pay_some(frontier *f)
{
  if (renewal_is_due(f))
    renewal_step(f);
  else if (late_is_due(f))
    late_step(f);
  else if (renewal_is_unverified(f))
    renewal_verify(f);
}

frontier_status frontier_maintain(frontier *f, uint64_t budget_ms, bool *is_more)
{
  LOCKED(f);
  uint64_t end_ms = machine_monotonic_ms() + budget_ms;
  bool is_due = true;
  do {
    if (renewal_can_step(f))
      renewal_step(f);
    else if (late_can_step(f))
      late_step(f);
    else if (renewal_is_unverified(f))
      renewal_verify(f);
    else
      is_due = false;
    late_frees_disk(f);
  } while (is_due && machine_monotonic_ms() < end_ms);
  *is_more = is_due;
  return FRONTIER_OK;
}

/* Spin locks of a shared filter, one for each stripe of its keys. stripes.h says why they are needed.
 *
 * Always: one thread holds a stripe at a time, and a thread holds one at most: filter.c and shared.c, which alone call
 * this, let go before they lock another and before they return. So no two wait for each other in a circle. A key's
 * stripe follows from its whole hash, by whatever call it is inserted.
 *
 * A thread that waits only reads the lock until it is free, so that the cache line stays where it is, and after SPINS
 * reads lets others run. Taking acquires and letting go releases: the next holder of a stripe sees all bits that the
 * last one set, though bits are set with relaxed order. All is in memory, and nothing of it is saved. */
#include "mlbf/filter/stripes.h"

#include <assert.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum { SPINS = 200 };

mlbf_stripe *mlbf_stripes_create(void)
{
  void *stripes;
  if (posix_memalign(&stripes, sizeof(mlbf_stripe), MLBF_STRIPES * sizeof(mlbf_stripe)) != 0)
    return NULL;
  return memset(stripes, 0, MLBF_STRIPES * sizeof(mlbf_stripe));
}

void mlbf_stripes_free(mlbf_stripe *stripes)
{
  free(stripes);
}

bool mlbf_stripe_try(mlbf_stripe *stripe)
{
  return !__atomic_exchange_n(&stripe->is_locked, true, __ATOMIC_ACQUIRE);
}

void mlbf_stripe_lock(mlbf_stripe *stripe)
{
  while (!mlbf_stripe_try(stripe))
    for (unsigned spin = 0; __atomic_load_n(&stripe->is_locked, __ATOMIC_RELAXED); spin++)
      if (spin >= SPINS) /* its holder was put to sleep by the scheduler: let it run */
        sched_yield();
}

void mlbf_stripe_unlock(mlbf_stripe *stripe)
{
  assert(__atomic_load_n(&stripe->is_locked, __ATOMIC_RELAXED));
  __atomic_store_n(&stripe->is_locked, false, __ATOMIC_RELEASE);
}

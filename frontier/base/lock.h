/* One call at a time: every public function on a handle, but open, close, message and add_texts (core/add_texts.c),
 * begins with LOCKED(f), and unlocks however its block is left. The mutex is recursive, since calls and visitors make
 * other calls. LOCKED also asserts the invariants of a frontier, so each call checks the state that the last one
 * left. */
#ifndef STRATA_FRONTIER_LOCK_H
#define STRATA_FRONTIER_LOCK_H

#include <pthread.h>

static inline pthread_mutex_t *lock_begin(pthread_mutex_t *mutex)
{
  pthread_mutex_lock(mutex);
  return mutex;
}

static inline void lock_end(pthread_mutex_t **locked)
{
  pthread_mutex_unlock(*locked);
}

#define LOCKED(f)                                                                              \
  pthread_mutex_t *locked __attribute__((cleanup(lock_end), unused)) = lock_begin((f)->mutex); \
  assert_frontier(f)

#endif

/* See lander.h.
 *
 *     idle --lander_go--> busy --written, or failed--> done --lander_wait, by whoever needs it--> idle
 *
 * The thread then tries to do what a caller would do next (commit_poll), so that the journal's lines do not wait for
 * one. Always: the thread never waits for the handle's mutex. A caller has it while it waits for the thread; that may
 * be for the next transaction by then, if it finished this one itself. */
#include "frontier/core/state.h"

#include "frontier/base/machine.h"

#include <sys/resource.h>

/* What follows from what is done, unless a caller does it first. With the lander's mutex, which comes after the
 * handle's: so that one is only tried. */
static void follow(frontier *f)
{
  lander *l = &f->lander;
  while (l->state == LANDER_DONE) {
    bool has_handle = pthread_mutex_trylock(f->mutex) == 0;
    pthread_mutex_unlock(&l->mutex);
    if (has_handle) {
      commit_poll(f);
      pthread_mutex_unlock(f->mutex);
    } else {
      machine_sleep_ms(1);
    }
    pthread_mutex_lock(&l->mutex);
  }
}

static void *run(void *context)
{
  frontier *f = context;
  lander *l = &f->lander;
  pthread_mutex_lock(&l->mutex);
  for (;;) {
    while (l->state != LANDER_BUSY && l->state != LANDER_QUITS)
      pthread_cond_wait(&l->changed, &l->mutex);
    if (l->state == LANDER_QUITS)
      break;
    pthread_mutex_unlock(&l->mutex);
    commit_write(f);
    pthread_mutex_lock(&l->mutex);
    l->state = LANDER_DONE;
    pthread_cond_broadcast(&l->changed);
    follow(f);
  }
  pthread_mutex_unlock(&l->mutex);
  return NULL;
}

/* A thread's heap takes 64 MiB of address space, which under a limit the map needs more. */
static bool has_address_space(void)
{
  struct rlimit limit;
  return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur == RLIM_INFINITY;
}

frontier_status lander_start(frontier *f)
{
  lander *l = &f->lander;
  if (!f->options.commit_thread || !f->store || f->options.read_only || !machine_has_threads() || !has_address_space())
    return FRONTIER_OK;
  pthread_mutex_init(&l->mutex, NULL);
  pthread_cond_init(&l->changed, NULL);
  l->has_thread = pthread_create(&l->thread, NULL, run, f) == 0;
  if (l->has_thread)
    return FRONTIER_OK;
  pthread_cond_destroy(&l->changed);
  pthread_mutex_destroy(&l->mutex);
  return frontier_fail(f, FRONTIER_NO_MEMORY, "%s: no thread can be made to commit", f->directory);
}

void lander_stop(frontier *f)
{
  lander *l = &f->lander;
  if (!l->has_thread)
    return;
  pthread_mutex_lock(&l->mutex);
  l->state = LANDER_QUITS;
  pthread_cond_broadcast(&l->changed);
  pthread_mutex_unlock(&l->mutex);
  pthread_join(l->thread, NULL);
  pthread_cond_destroy(&l->changed);
  pthread_mutex_destroy(&l->mutex);
  l->has_thread = false;
}

void lander_go(frontier *f)
{
  lander *l = &f->lander;
  pthread_mutex_lock(&l->mutex);
  assert(l->state == LANDER_IDLE);
  l->state = LANDER_BUSY;
  pthread_cond_broadcast(&l->changed);
  pthread_mutex_unlock(&l->mutex);
}

bool lander_wait(frontier *f)
{
  lander *l = &f->lander;
  if (!l->has_thread)
    return false;
  pthread_mutex_lock(&l->mutex);
  bool was_under_way = l->state == LANDER_BUSY || l->state == LANDER_DONE;
  while (l->state == LANDER_BUSY)
    pthread_cond_wait(&l->changed, &l->mutex);
  if (was_under_way)
    l->state = LANDER_IDLE;
  pthread_mutex_unlock(&l->mutex);
  return was_under_way;
}

bool lander_is_busy(frontier *f)
{
  lander *l = &f->lander;
  if (!l->has_thread)
    return false;
  pthread_mutex_lock(&l->mutex);
  bool is_busy = l->state == LANDER_BUSY;
  pthread_mutex_unlock(&l->mutex);
  return is_busy;
}

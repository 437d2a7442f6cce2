/* The commit thread: writes one sealed transaction at a time, without the handle's mutex. A part of the handle
 * (part.h), if frontier_options.commit_thread asks for it. */
#ifndef STRATA_FRONTIER_LANDER_H
#define STRATA_FRONTIER_LANDER_H

#include "frontier/frontier.h"

#include <pthread.h>

typedef struct lander {
  bool has_thread;
  pthread_t thread;
  pthread_mutex_t mutex; /* of `state` alone; taken after the handle's */
  pthread_cond_t changed;
  enum { LANDER_IDLE, LANDER_BUSY, LANDER_DONE, LANDER_QUITS } state;
} lander;

frontier_status lander_start(frontier *f); /* at open; without the option nothing happens */
void lander_stop(frontier *f);             /* at close, before anything is closed; nothing may be under way */

static inline bool lander_is_there(const lander *l)
{
  return l->has_thread;
}

/* What is sealed is to be written. Nothing is under way. */
void lander_go(frontier *f);
/* It is written, or has failed, when this returns. false: nothing was under way. */
bool lander_wait(frontier *f);
/* Is it still being written? */
bool lander_is_busy(frontier *f);

#endif
